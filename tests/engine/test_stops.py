"""Stops: going through the past of a run from change to change, and from hit to hit."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from stepgraph import END, Breakpoint, Executor, MemoryStore, Run, StateGraph, Watch
from stepgraph.runs.debug.stops import RunStops

updates = st.fixed_dictionaries(
    {}, optional={"n": st.integers(0, 3), "text": st.sampled_from(["a", "b", None])}
)


def ended() -> Run:
    """A run of one step, in which n goes from 0 to 4."""
    graph = StateGraph("one", start="even")
    graph.add_node("even", lambda state: {"n": 4})
    graph.add_edge("even", END)
    executor = Executor(graph.compile(), MemoryStore())
    return executor.run(executor.start({"n": 0}))


@pytest.mark.parametrize(
    ("watches", "breakpoints", "said"),
    [
        (["n"], [], "step 1: n changed"),
        ([], [Breakpoint("after", "even", id="b1")], "step 1: b1 hit: after even"),
        (
            ["n", "n > 1"],
            [Breakpoint("after", "even")],
            "step 1: n, n > 1 changed; breakpoint hit: after even",
        ),
        (
            [],
            [Breakpoint("after", "even", id="b1"), Breakpoint("changes", path="n", id="b12")],
            "step 1: b1, b12 hit",
        ),
        (["n > 1 and n < 1000 or n == 4711"], [], "step 1: n > 1 and n < 1000 or n == 4711 changed"),
        (["n > 1 and n < 1000 or n == 4711", "n"], [], "step 1: n > 1 and n < 1000 or n…, n changed"),
        (["n", "n > 0", "n > 1", "n > 2", "n > 3"], [], "step 1: n, n > 0, n > 1 and 2 more changed"),
    ],
)
def test_a_stop_says_where_it_is_and_why(
    watches: list[str], breakpoints: list[Breakpoint], said: str
) -> None:
    run = ended()
    stop = RunStops([Watch(text) for text in watches], breakpoints, run.plan).read(run).find(0, 1)
    assert stop is not None
    assert stop.describe() == said


def test_what_comes_before_the_first_node_is_told_as_the_start() -> None:
    run = ended()
    stop = RunStops([], [Breakpoint("before", "even")], run.plan).read(run).find(1, -1)
    assert stop is not None
    assert stop.describe() == "the start: breakpoint hit: before even"


@pytest.mark.parametrize(
    ("updates", "told"),
    [
        ({}, "step 2: n edited after step 1"),
        ({"n": 9}, "step 2: n edited after step 1"),
        ({"n": 5}, "step 2: n changed"),
        ({"text": "b"}, "step 2: text changed; n edited after step 1"),
    ],
    ids=["the edit alone", "the step writes the same", "the step writes more", "the step writes another"],
)
def test_what_an_edit_has_changed_is_not_said_of_the_step_after_it(
    updates: dict[str, Any], told: str
) -> None:
    graph = StateGraph("work", start="work", max_steps=9)
    graph.add_node("work", lambda state: updates if state.step == 2 else {})
    graph.add_edge("work", END, when="step >= 3")
    graph.add_edge("work", "work")
    executor = Executor(graph.compile(), MemoryStore())
    run = executor.start({"n": 0, "text": "a"}, "r")
    executor.step(run)
    executor.edit("r", {"n": 9}, by="ana")
    run = executor.run(executor.load("r"))
    stops = RunStops([Watch("n"), Watch("text")], [], run.plan).read(run)
    stop = stops.find(0, 1)
    assert stop is not None
    assert stop.describe() == told
    assert stops.find(2, 1) is None


def test_an_edit_at_the_start_is_told_as_one() -> None:
    graph = StateGraph("work", start="work", max_steps=9)
    graph.add_node("work", lambda state: {})
    graph.add_edge("work", END)
    executor = Executor(graph.compile(), MemoryStore())
    executor.start({"n": 0}, "r")
    executor.edit("r", {"n": 1}, by="ana")
    run = executor.run(executor.load("r"))
    stop = RunStops([Watch("n")], [], run.plan).read(run).find(0, 1)
    assert stop is not None
    assert stop.describe() == "step 1: n edited after the start"
