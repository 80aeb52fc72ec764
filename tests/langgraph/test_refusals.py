"""What cannot be carried is refused by name: at opening where it can be seen, else at the step."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("langgraph")

from stepgraph import Executor, GraphError, GraphFileError, NodeFailed, RunStatus
from stepgraph.extras.langgraph.loaded import load
from tests.langgraph.side_by_side import GRAPHS, opened

AT_OPENING = {
    "several_starts": ["START has 2 edges that are all taken at once, to a, b: a parallel superstep"],
    "several_edges": ["node 'a' has 2 edges that are all taken at once, to b, c: a parallel superstep"],
    "joined": ["node 'c' waits for a, b together"],
    "handled": ["node 'risky' has an error handler"],
    "root": ["its state is one value"],
    "topical": ["'news' is kept in a channel of the class Topic"],
    "own": ["the state key 'langgraph' is where Stepgraph keeps"],
    "remembering": ["a graph inside of node 'outer' was compiled with checkpointer=True"],
    "stopped": ["it is interrupted before and after a"],
    "everything": ["START has 2 edges", "node 'a' has 2 edges", "'news' is kept"],
}

AT_THE_STEP = {
    "sending": "it leads to b, c at once (b, c by Send): a parallel superstep",
    "commanding": "it leads to c, b at once (c by Send): a parallel superstep",
    "sent_and_led": "it leads to b at once (b by Send): a parallel superstep",
    "sent_elsewhere": "it went to 'c', which is not one of its declared destinations",
    "waiting": "it leads to b, d at once: a parallel superstep",
    "unsendable": """what is sent to 'b'.arg["x"][0] is an Unknown, which cannot be kept as JSON""",
    "both": "it leads to b, c at once: a parallel superstep",
    "listing": "it leads to b, c at once: a parallel superstep",
    "undeclared": "it went to 'b', which is not one of its declared destinations",
    "inside": "is an Unknown, which cannot be kept as JSON",
    "unknown": 'state["x"] is an Unknown, which cannot be kept as JSON',
}


@pytest.mark.parametrize("name", AT_OPENING)
def test_what_can_be_seen_is_refused_at_opening_all_at_once(name: str) -> None:
    with pytest.raises(GraphFileError) as caught:
        opened(f"refused:{name}")
    problems = caught.value.problems
    assert len(problems) == len(AT_OPENING[name])
    for said, problem in zip(AT_OPENING[name], problems, strict=True):
        assert said in problem.message
        assert problem.code == "G060"
        assert problem.hint
        assert problem.place.file == str(GRAPHS / "refused.py")


def test_the_line_of_the_function_is_named() -> None:
    with pytest.raises(GraphFileError) as caught:
        opened("refused:handled")
    (problem,) = caught.value.problems
    lines = (GRAPHS / "refused.py").read_text(encoding="utf-8").splitlines()
    assert problem.place.line is not None
    assert lines[problem.place.line - 1].startswith("def risky(")


@pytest.mark.parametrize("name", AT_THE_STEP)
def test_what_only_a_run_shows_fails_its_step_and_changes_nothing(name: str) -> None:
    graph = opened(f"refused:{name}")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.status is RunStatus.FAILED
    assert (run.values, list(run.history)) == ({}, [])
    with pytest.raises(NodeFailed) as caught:
        run.raise_for_status()
    assert AT_THE_STEP[name] in str(caught.value)
    assert caught.value.hint


def test_what_is_no_graph_of_nodes_is_refused(tmp_path: Path) -> None:
    module = tmp_path / "odd.py"
    module.write_text(
        "from langgraph.func import entrypoint\n"
        "from langgraph.graph import StateGraph\n"
        "@entrypoint()\n"
        "def flow(x):\n"
        "    return x\n"
        "empty = StateGraph(dict)\n"
    )
    with pytest.raises(GraphFileError, match="whose nodes cannot be seen"):
        opened("odd:flow", module.with_suffix(""))
    for found in (lambda: print, {}, [], object()):
        with pytest.raises(GraphError) as told:
            load(found, "odd:found")
        assert "whose nodes cannot be seen" in told.value.problems[0].message
    with pytest.raises(GraphFileError, match="does not compile: Graph must have an entrypoint"):
        opened("odd:empty", module.with_suffix(""))


class Silent(Exception):
    def __str__(self) -> str:
        raise OSError


def hushing() -> None:
    raise Silent


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (sys.exit, "raised SystemExit"),
        (partial(sys.exit, "enough"), "raised SystemExit: enough"),
        (hushing, "raised Silent"),
        (lambda: (yield), "is a generator"),
    ],
)
def test_what_is_made_by_a_function_that_fails_is_told(make: Callable[[], object], message: str) -> None:
    with pytest.raises(GraphError) as caught:
        load(make, "mine:make")
    assert caught.value.problems[0].message.startswith(f"'mine:make' {message}")


def test_an_interruption_is_no_failure_of_the_function() -> None:
    def stops() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        load(stops, "mine:stops")
