"""Several people decide one review at once: one wins, and each loser hears who it was."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, ApprovalNode, Decision, Executor, MemoryStore, SqliteStore, StateGraph, StateStore
from stepgraph.reviews.inbox import Reviews
from stepgraph.values.errors import AlreadyDecided, PayloadChanged

_PEOPLE = 6
_ROUNDS = 25


@pytest.fixture(params=["memory", "sqlite"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[StateStore]]:
    """A connection to the same runs for each person."""
    if request.param == "memory":
        yield [MemoryStore()] * _PEOPLE
        return
    opened = [SqliteStore(tmp_path / "runs.db", durability="normal") for _ in range(_PEOPLE)]
    yield list(opened)
    for store in opened:
        store.close()


def asking(store: StateStore) -> Executor:
    graph = StateGraph("asking", start="ask")
    graph.add_key("n", default=1)
    graph.add_node("ask", ApprovalNode(prompt="Go on?", show=["n"]))
    graph.add_edge("ask", END)
    return Executor(graph.compile(), store)


def paused(executor: Executor, run_id: str) -> str:
    review = executor.run(executor.start({}, run_id)).pending
    assert review is not None
    return review.id


def test_of_many_at_once_one_wins_and_all_others_hear_who(stores: list[StateStore]) -> None:
    executor = asking(stores[0])
    barrier = threading.Barrier(_PEOPLE)
    asked = [paused(executor, f"r-{number}") for number in range(_ROUNDS)]
    heard: list[list[Any]] = [[None] * _PEOPLE for _ in asked]

    def decide(person: int) -> None:
        for number, review in enumerate(asked):
            barrier.wait()
            try:
                Reviews(stores[person]).decide(review, Decision.approve(by=f"<{person}>"))
                heard[number][person] = "won"
            except Exception as error:
                heard[number][person] = error

    threads = [threading.Thread(target=decide, args=(person,)) for person in range(_PEOPLE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, answers in enumerate(heard):
        winner = answers.index("won")
        losers = [answer for answer in answers if answer != "won"]
        assert len(losers) == _PEOPLE - 1
        for answer in losers:
            assert type(answer) is AlreadyDecided, (number, answer)
            assert f"approve by <{winner}>" in answer.message


def test_a_review_that_is_decided_while_it_is_read_is_of_one_moment(tmp_path: Path) -> None:
    with SqliteStore(tmp_path / "runs.db") as ours, SqliteStore(tmp_path / "runs.db") as theirs:
        review = paused(asking(ours), "r-1")
        statements = 0

        def between(cursor: object, sql: str, bindings: object) -> bool:
            nonlocal statements
            statements += "SELECT" in sql
            if statements == 1:
                Reviews(theirs).decide(review, Decision.reject(by="ben"))
            return True

        ours.backend.db.exec_trace = between
        found = Reviews(ours).get(review)
        ours.backend.db.exec_trace = None
        assert statements == 1  # more than one might see two moments
        assert found.status == "decided"
        assert found.decision is not None
        assert found.decision.by == "ben"
        with pytest.raises(AlreadyDecided, match="reject by ben"):
            Reviews(ours).decide(review, Decision.approve(by="ana"))


def test_a_review_that_an_edit_withdraws_is_said_to_be_withdrawn(stores: list[StateStore]) -> None:
    ours, theirs = asking(stores[0]), asking(stores[1])
    review = paused(ours, "r-1")
    theirs.edit("r-1", {"n": 2}, by="ben")
    with pytest.raises(PayloadChanged, match="was withdrawn"):
        ours.decide("r-1", Decision.approve(by="ana"), review=review)
    assert ours.decide("r-1", Decision.approve(by="ana")).id != review


def test_an_edit_that_is_overtaken_is_recorded_once_and_the_run_is_as_the_other_left_it(
    stores: list[StateStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = asking(stores[0]), asking(stores[1])
    paused(ours, "r-1")
    step = ours.step

    def overtaken(run: Any) -> Any:
        theirs.run(theirs.load("r-1"))
        return step(run)

    monkeypatch.setattr(ours, "step", overtaken)
    run = ours.edit("r-1", {"n": 2}, by="ana")
    assert run.values["n"] == 2
    assert run.pending is not None
    assert len(stores[0].rows("r-1", kinds=("edit",))) == 1
    assert len(stores[0].rows("r-1", kinds=("review",))) == 2


def test_a_decision_without_a_review_id_goes_to_what_was_asked_while_it_looked(
    stores: list[StateStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = asking(stores[0]), asking(stores[1])
    first = paused(ours, "r-1")
    load = stores[0].load
    theirs.decide("r-1", Decision.approve(by="ben"))

    def loaded(run_id: str) -> Any:
        found = load(run_id)
        monkeypatch.undo()
        theirs.edit("r-1", {"n": 2}, by="ben")  # the decision was for another state: it asks anew
        theirs.run(theirs.load("r-1"))
        return found

    monkeypatch.setattr(ours.store, "load", loaded)
    second = ours.decide("r-1", Decision.approve(by="ana"))
    assert second.id != first
    assert second.decision is not None
    assert second.decision.by == "ana"
