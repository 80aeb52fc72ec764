"""Who answers in a run is in its ledger, and goes with its forks."""

from __future__ import annotations

import pytest

from stepgraph import END, Executor, MemoryStore, StateGraph, StateStore
from stepgraph.runs.modes import SCRIPTED, RunMode, mode_of, mode_word
from stepgraph.runs.operations import set_mode


def app() -> StateGraph:
    graph = StateGraph("two", start="one")
    graph.add_node("one", lambda state: {"a": 1})
    graph.add_node("two", lambda state: {"b": 2})
    graph.add_edge("one", "two")
    graph.add_edge("two", END)
    return graph


def started(store: StateStore, *, live: bool) -> Executor:
    executor = Executor(app().compile(), store, live=live)
    executor.start({}, "r-1")
    return executor


def test_a_run_keeps_the_mode_that_it_was_started_in() -> None:
    store = MemoryStore()
    started(store, live=True)
    assert mode_of(store, "r-1") == RunMode(live=True)
    assert mode_of(store, "r-1").word == "LIVE"


def test_a_fork_goes_on_in_the_mode_of_its_run() -> None:
    store = MemoryStore()
    executor = started(store, live=True)
    run = executor.load("r-1")
    executor.step(run)
    executor.fork("r-1", new_run_id="r-2")
    set_mode(run, SCRIPTED, "ana", 5.0)
    executor.fork("r-1", new_run_id="r-3")
    executor.fork("r-1", at=0, new_run_id="r-4")
    executor.fork("r-3", new_run_id="r-5")
    assert [mode_of(store, f"r-{number}").word for number in (2, 3, 4, 5)] == [
        "LIVE", "SCRIPTED", "LIVE", "SCRIPTED",
    ]  # fmt: skip


def test_what_is_no_mode_is_scripted() -> None:
    wrong: list[object] = [None, [], "live", {"live": 1}, {"live": "yes"}, {"replay": 3}]
    for data in wrong:
        assert RunMode.from_json(data) == SCRIPTED


LIVE, REPLAY = RunMode(live=True), RunMode(replay="r-0")


@pytest.mark.parametrize(
    ("said", "step", "ended", "word"),
    [
        ([(0, SCRIPTED)], 0, False, "SCRIPTED"),
        ([(0, REPLAY)], 3, True, "REPLAY"),
        ([(0, SCRIPTED), (0, LIVE)], 0, False, "LIVE"),
        ([(0, SCRIPTED), (2, LIVE)], 2, False, "MIXED, LIVE"),
        ([(0, SCRIPTED), (2, LIVE)], 2, True, "SCRIPTED"),
        ([(0, SCRIPTED), (2, LIVE)], 3, True, "MIXED"),
        ([(0, LIVE), (1, SCRIPTED), (1, LIVE)], 4, False, "LIVE"),
        ([(0, REPLAY), (1, LIVE), (2, SCRIPTED)], 2, False, "MIXED, SCRIPTED"),
    ],
)
def test_a_word_says_who_answered_so_far_and_who_answers_next(
    said: list[tuple[int, RunMode]], step: int, ended: bool, word: str
) -> None:
    assert mode_word(said, step, ended=ended) == word
