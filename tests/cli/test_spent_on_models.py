"""What ``runs show`` tells of who answered in a run, and what that cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Executor, SqliteStore
from stepgraph.files import read_graph
from stepgraph.models.messages import ModelReply, ToolCall, Usage
from stepgraph.testing import FakeClock
from stepgraph.values.errors import ModelError
from tests.cli.calling import Cli

GRAPH = """
format = 1
name = "poems"
start = "write"
max_cost = 0.5

[nodes.write]
type = "llm"
prompt = "Write."
output = "draft"

[nodes.check]
type = "llm"
prompt = "Check {{ draft }}"
output = "verdict"

[[edges]]
from = "write"
to = "check"

[[edges]]
from = "check"
to = "END"
"""


class Answers:
    """A model that gives prepared answers; an error is raised."""

    provider = "openai"

    def __init__(self, *answers: ModelReply | ModelError) -> None:
        self._answers = list(answers)

    def generate(self, prompt: str) -> str:
        raise AssertionError(prompt)

    def reply(self, request: object, watch: object) -> ModelReply:
        answer = self._answers.pop(0)
        if isinstance(answer, ModelError):
            raise answer
        return answer


@pytest.fixture
def spent(cli: Cli, tmp_path: Path) -> Cli:
    """The run r-1, live: its first call failed, the third asked for a tool."""
    graph = cli.graph(GRAPH)
    model = Answers(
        ModelError("it is overloaded (529)"),
        ModelReply("A poem.", usage=Usage(1_200, 34), cost=0.25, model="small-1"),
        ModelReply("Let me look.", (ToolCall("look", {"word": "moon"}),), Usage(10, 5), 0.0004, "small-1"),
    )
    store = SqliteStore(cli.folder / "runs.db")
    executor = Executor(
        read_graph(graph).compile(), store, models={"default": model}, live=True, clock=FakeClock()
    )
    executor.run(executor.start({}, "r-1"))
    executor.run(executor.retry("r-1"))
    store.close()
    return cli


def test_a_run_tells_who_answered_and_what_it_spent_in_all_and_by_node(spent: Cli) -> None:
    shown = " ".join(spent("runs", "show", "r-1").out.split())
    assert "mode LIVE models 3 calls, 1,210 + 39 tokens, $0.2504, in" in shown
    assert "; it may spend $0.50 write: 2 calls, 1,200 + 34 tokens, $0.25 check: 1 call, 10 + 5" in shown
    assert "MODELS" in shown


def test_a_step_tells_each_call_the_ones_that_failed_before_too(spent: Cli) -> None:
    first = spent("runs", "show", "r-1", "--step", "1").out
    assert "no answer of default after" in first
    assert "it is overloaded (529)" in first
    assert "default, small-1 answered in" in first
    second = spent("runs", "show", "r-1", "--step", "2").out
    assert 'asks for look(word="moon")' in second


def test_the_same_comes_as_json(spent: Cli) -> None:
    told = spent("runs", "show", "r-1", "--json").json
    assert told["spending"]["cost"] == pytest.approx(0.2504)
    assert told["spending_by_node"]["write"]["calls"] == 2
    assert [call["model"] for step in told["history"] for call in step["calls"] if "model" in call] == [
        "small-1",
        "small-1",
    ]


def test_a_run_that_asked_nobody_says_nothing_of_models(cli: Cli) -> None:
    graph = cli.graph(GRAPH.replace('output = "draft"', 'output = "draft"\nreplies = ["A poem."]'))
    cli("run", graph, "--run-id", "r-2")
    shown = cli("runs", "show", "r-2").out
    assert "\nmodels " not in shown
    assert "MODELS" not in shown
