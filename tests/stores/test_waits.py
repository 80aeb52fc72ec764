"""The node type wait: times, and what becomes of a run meanwhile, on every store."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import (
    END,
    Executor,
    GraphError,
    MemoryStore,
    ReviewTerms,
    RunStatus,
    StateGraph,
    StateStore,
    check,
)
from stepgraph.nodes.wait import WaitNode
from stepgraph.reviews.terms import NO_TERMS

NOON = 1_767_268_800.0  # 2026-01-01T12:00:00Z


class Clock:
    """A time that tests set."""

    def __init__(self) -> None:
        self.now = NOON

    def time(self) -> float:
        return self.now

    def perf_counter(self) -> float:
        return 0.0


def graph(settings: dict[str, Any], terms: ReviewTerms = NO_TERMS) -> StateGraph:
    made = StateGraph("g", start="wait", reviews=terms)
    made.declare_node("wait", "wait", settings)
    made.add_node("after", lambda state: {"done": True})
    made.add_edge("wait", "after")
    made.add_edge("after", END)
    return made


def executor(
    store: StateStore, clock: Clock, settings: dict[str, Any], terms: ReviewTerms = NO_TERMS
) -> Executor:
    return Executor(graph(settings, terms).compile(), store, clock=clock)


@pytest.mark.parametrize(
    "settings",
    [{"for": "2h"}, {"for": "{{ hours }}h"}, {"until": "2026-01-01T14:00:00Z"}, {"until": "{{ at }}"}],
)
def test_a_run_goes_on_when_the_time_has_come_and_no_sooner(store: StateStore, settings: Any) -> None:
    clock = Clock()
    engine = executor(store, clock, settings)
    run = engine.run(engine.start({"hours": 2, "at": "2026-01-01T15:00:00+01:00"}, "r1"))
    assert (run.status, run.current) == (RunStatus.PAUSED, "wait")
    assert run.pending is not None
    assert run.pending.is_wait
    assert run.pending.deadline == NOON + 7200
    clock.now += 7199
    assert engine.load("r1").status is RunStatus.PAUSED
    clock.now += 1
    run = engine.run(engine.load("r1"))
    assert run.status is RunStatus.ENDED
    assert run.values["waited"] == "over"


@pytest.mark.parametrize("settings", [{"until": "2026-01-01T12:00:00Z"}, {"for": "0"}, {"until": "{{ at }}"}])
def test_what_is_over_is_not_waited_for(store: StateStore, settings: Any) -> None:
    engine = executor(store, Clock(), settings)
    run = engine.run(engine.start({"at": "2020-01-01 00:00Z"}))
    assert run.status is RunStatus.ENDED
    assert len(run.history) == 2


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"for": "2h", "until": "2026-01-01T12:00:00Z"},
        {"for": "2 hours"},
        {"for": "11000d"},
        {"until": "tomorrow"},
        {"until": "2026-01-01"},
        {"until": "2026-13-01T12:00:00Z"},
        {"until": "2026-01-01T12:00:00"},
    ],
)
def test_what_is_no_time_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(GraphError):
        WaitNode(**settings)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"for": "{{ n }}"}, "'soon' is not a duration"),
        ({"until": "{{ n }}"}, "'soon' is no time"),
        ({"until": "{{ m }}"}, "without a zone"),
        ({"until": "9999-01-01T00:00:00Z"}, "at most ten years"),
    ],
)
def test_what_turns_out_to_be_no_time_fails_the_node(settings: dict[str, Any], words: str) -> None:
    engine = executor(MemoryStore(), Clock(), settings)
    run = engine.run(engine.start({"n": "soon", "m": "2026-01-01T12:00"}))
    assert run.status is RunStatus.FAILED
    assert words in str(run.error)


def test_terms_of_its_own_are_pointless() -> None:
    made = StateGraph("g", start="wait")
    made.declare_node("wait", "wait", {"for": "1h"}, terms=ReviewTerms(60, "reject"))
    made.add_edge("wait", END)
    assert "never asks a person" in str([str(problem) for problem in check(made)])
