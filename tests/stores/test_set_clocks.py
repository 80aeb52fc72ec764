"""Deadlines count the time that has passed: a clock that is wrong, or set, neither ends nor prolongs one."""

from __future__ import annotations

import time
from typing import Any

import pytest

from stepgraph import (
    END,
    ApprovalNode,
    Executor,
    MemoryStore,
    Review,
    Reviews,
    ReviewTerms,
    RunStatus,
    StateGraph,
    StateStore,
)
from stepgraph.nodes.wait import WaitNode
from stepgraph.reviews import inbox as due
from stepgraph.reviews import stored as clock
from stepgraph.reviews.inbox import DueReviews
from stepgraph.testing import FakeClock

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
TERMS = ReviewTerms(
    30 * MINUTE, "reject", approvers=("ana",), escalate_after=10 * MINUTE, escalate_to=("ben",)
)


class Machine:
    """The clocks of this machine and of the store's server, on which time passes when a test says so."""

    def __init__(self, patch: pytest.MonkeyPatch, store: StateStore) -> None:
        self.set_by = self.passed = 0.0
        self.boot: str | None = "one"
        patch.setattr(time, "time", lambda: 1_800_000_000.0 + self.passed + self.set_by)
        for module in (clock, due):
            patch.setattr(module, "uptime", lambda: 1_000.0 + self.passed)
        patch.setattr(clock, "boot_id", lambda: self.boot)
        if store.now() is not None:
            patch.setattr(store, "now", lambda: 1_700_000_000.0 + self.passed)


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, store: StateStore) -> Machine:
    return Machine(monkeypatch, store)


def asked(store: StateStore, node: Any = None, terms: ReviewTerms = TERMS, **made: Any) -> Executor:
    graph = StateGraph("ask", start="ask")
    graph.add_node("ask", node or ApprovalNode(prompt="Pay?"), terms=terms)
    graph.add_edge("ask", END)
    executor = Executor(graph.compile(), store, **made)
    assert executor.run(executor.start({}, "r")).status is RunStatus.PAUSED
    return executor


def only(reviews: list[Review]) -> Review:
    (review,) = reviews
    return review


def left(review: Review) -> float:
    """The minutes that are left by the clock that looks."""
    return round(((review.deadline or 0.0) - time.time()) / MINUTE, 1)


def test_an_hour_ahead_ends_nothing_and_says_so(store: StateStore, machine: Machine) -> None:
    asked(store)
    machine.set_by = HOUR
    found = Reviews(store).pending()
    assert (found.due, left(only(found)), only(found).clock_ahead) == ([], 30.0, HOUR)
    assert Reviews(store).expire() == []
    assert store.load("r").pointer.status is RunStatus.PAUSED
    machine.passed = 30 * MINUTE + 1
    assert only(Reviews(store).pending().due).status == "expired"
    assert store.load("r").pointer.status is RunStatus.READY


@pytest.mark.parametrize("set_by", [-HOUR, -DAY])
def test_a_clock_that_was_set_back_prolongs_nothing(
    store: StateStore, machine: Machine, set_by: float
) -> None:
    asked(store)
    machine.set_by, machine.passed = set_by, 20 * MINUTE
    assert left(only(Reviews(store).pending())) == 10.0
    machine.passed = 31 * MINUTE
    assert only(Reviews(store).expire()).status == "expired"


def test_a_question_of_a_machine_that_was_an_hour_ahead_waits_no_longer(
    store: StateStore, machine: Machine
) -> None:
    machine.set_by = HOUR
    asked(store)
    machine.set_by, machine.passed = 0.0, 31 * MINUTE
    assert only(Reviews(store).expire()).status == "expired"


def test_an_escalation_comes_by_the_time_that_has_passed(store: StateStore, machine: Machine) -> None:
    asked(store)
    machine.set_by = HOUR
    assert not only(Reviews(store).pending()).escalated
    machine.set_by, machine.passed = -DAY, 11 * MINUTE
    review = only(Reviews(store).pending())
    Reviews(store).get(review.id)
    assert only(Reviews(store).pending()).escalated


def test_a_node_that_waits_goes_on_by_the_time_that_has_passed(store: StateStore, machine: Machine) -> None:
    executor = asked(store, WaitNode(**{"for": "30m"}), ReviewTerms())
    machine.set_by = HOUR
    assert executor.load("r").status is RunStatus.PAUSED
    machine.set_by, machine.passed = -DAY, 31 * MINUTE
    assert executor.run(executor.load("r")).values == {"waited": "over"}


def test_who_looks_again_and_again_notices_it_whatever_the_clock_says(
    store: StateStore, machine: Machine
) -> None:
    asked(store, terms=ReviewTerms(30 * MINUTE, "reject"))
    again = DueReviews(store, time.time)
    again.look(store.runs(RunStatus.PAUSED))
    machine.set_by = HOUR
    looked = again.is_due, again.look(store.runs(RunStatus.PAUSED)), again.is_due
    assert looked == (True, False, False), "it would be looked at ten times a second"
    machine.set_by, machine.passed = -DAY, 31 * MINUTE
    assert (again.is_due, again.look(store.runs(RunStatus.PAUSED))) == (True, True)


def test_a_server_tells_its_time_and_a_file_has_none(store: StateStore) -> None:
    told = store.now()
    assert (told is None) is store.url.startswith(("memory:", "sqlite:"))
    if told is not None:
        assert 0 < told <= (store.now() or 0.0)


def test_a_clock_of_a_program_is_taken_at_its_word(store: StateStore, machine: Machine) -> None:
    told = FakeClock()
    asked(store, clock=told)
    assert "asked" not in (store.rows("r", kinds=("review",))[0].data or {})
    told.advance(31 * MINUTE)
    assert only(Reviews(store, told.time).expire()).status == "expired"


def test_a_moment_that_is_asked_for_is_taken_at_its_word(store: StateStore, machine: Machine) -> None:
    asked(store)
    assert only(Reviews(store).expire(time.time() + 31 * MINUTE)).status == "expired"


def test_after_another_start_of_the_machine_the_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    with MemoryStore() as store:
        machine = Machine(monkeypatch, store)
        asked(store)
        machine.boot = "two"
        machine.set_by = HOUR
        assert only(Reviews(store).expire()).status == "expired"


def test_without_a_witness_the_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    with MemoryStore() as store:
        machine = Machine(monkeypatch, store)
        machine.boot = None
        asked(store)
        assert left(only(Reviews(store).pending())) == 30.0
        machine.set_by = HOUR
        assert only(Reviews(store).expire()).status == "expired"
