"""Live runs through the engine: what the ledger keeps of calls, what they spend, and what bounds them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from stepgraph import END, LLMNode, RunStatus, SqliteStore, StateGraph
from stepgraph.models.catalog import ModelCatalog
from stepgraph.models.client import CallEvent
from stepgraph.runs.answering import Answering
from stepgraph.runs.modes import RunMode, mode_of
from stepgraph.runs.operations import set_limits
from stepgraph.runs.run import Run
from stepgraph.runs.spending import SpendingLimits
from tests.models.asking import read, settings_at
from tests.models.fake_server import FakeServer, Said

LIVE = RunMode(live=True)
PRICED = {"input_price": 1.0, "output_price": 2.0}


def graph(**settings: float) -> StateGraph:
    made = StateGraph("two", start="draft", **settings)  # type: ignore[arg-type]  # the limits
    made.add_node("draft", LLMNode(prompt="Write.", replies=["scripted"]))
    made.add_node("check", LLMNode(prompt="Check: {{ response }}", output="verdict"))
    made.add_edge("draft", "check")
    made.add_edge("check", END)
    return made


class Bench:
    """A store, and executors that go by modes."""

    def __init__(self, server: FakeServer, store: SqliteStore, provider: str) -> None:
        self.server, self.store, self.provider = server, store, provider
        self.events: list[CallEvent] = []
        self.stop = threading.Event()
        self.answering = self.priced()

    def priced(self, **settings: object) -> Answering:
        """Make models at a price, or at what the settings say."""
        said = settings_at(self.server, self.provider, key_env="TEST_KEY", **(settings or PRICED))
        return Answering(ModelCatalog({"default": read(said)}))

    def start(self, mode: RunMode = LIVE, limits: SpendingLimits | None = None, **settings: float) -> Run:
        """Start a run and run it as far as it goes."""
        executor = self.answering.executor(
            graph(**settings).compile(), self.store, mode, tell=self.events.append, stopped=self.stop.is_set
        )
        run = executor.start({}, "r-1")
        if limits is not None:
            set_limits(run, limits, "ana", 1.0)
        return executor.run(run)

    def retry(self, **settings: float) -> Run:
        """Retry it, in its own mode."""
        mode = mode_of(self.store, "r-1")
        executor = self.answering.executor(graph(**settings).compile(), self.store, mode)
        return executor.run(executor.retry("r-1"))


@pytest.fixture
def bench(server: FakeServer, tmp_path: Path, provider: str) -> Iterator[Bench]:
    with SqliteStore(tmp_path / "runs.db") as store:
        made = Bench(server, store, provider)
        yield made
        made.answering.close()


def test_what_a_model_thought_is_in_the_ledger_and_not_in_the_state(bench: Bench) -> None:
    bench.server.then(Said("a poem", "long " * 6_000), Said("fine"))
    run = bench.start()
    assert run.status is RunStatus.ENDED
    first, second = (record.calls[0] for record in run.history)
    assert first["thoughts"] == ("long " * 6_000)[:20_000]
    assert "thoughts" not in second
    assert "long" not in str(dict(run.values))


def test_max_tokens_fails_the_next_call_and_more_can_be_allowed(bench: Bench) -> None:
    bench.server.then(Said("a poem", usage=(90, 10)), Said("fine"))
    run = bench.start(max_tokens=100)
    assert run.status is RunStatus.FAILED
    assert run.step == 1
    assert run.error is not None
    assert "the run has used 100 tokens, and max_tokens = 100" in run.error.message
    assert "--max-tokens" in run.error.hint
    assert len(bench.server.requests) == 1
    executor = bench.answering.executor(graph(max_tokens=100).compile(), bench.store, LIVE)
    run = executor.load("r-1")
    set_limits(run, SpendingLimits(max_tokens=500), "ana", 2.0)
    assert run.limits == SpendingLimits(max_tokens=500)
    assert bench.retry(max_tokens=100).status is RunStatus.ENDED


def test_max_cost_fails_the_next_call(bench: Bench) -> None:
    bench.server.then(Said("a poem", usage=(100, 100)))
    run = bench.start(limits=SpendingLimits(max_cost=0.0003))
    assert run.error is not None
    assert "the run has spent $0.0003, and max_cost = $0.0003" in run.error.message
    assert "--max-cost" in run.error.hint


def test_a_cost_that_nobody_can_count_is_not_bounded_by_guessing(bench: Bench) -> None:
    bench.answering = bench.priced(timeout=30)
    run = bench.start(max_cost=5.0)
    assert run.error is not None
    assert "max_cost = $5 cannot be enforced: the model's price is unknown" in run.error.message
    assert bench.server.requests == []


@pytest.mark.parametrize("settings", [{"max_cost": 0}, {"max_cost": float("nan")}, {"max_tokens": 0}])
def test_a_limit_that_is_none_is_a_problem_of_the_graph(settings: dict[str, float]) -> None:
    with pytest.raises(Exception, match="above 0"):
        graph(**settings).compile()
