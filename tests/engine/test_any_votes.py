"""Votes, decisions, deadlines, escalations and edits in any order: each review is decided once."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stepgraph import AlreadyDecided, Decision, MemoryStore, Review, RunStatus, SqliteStore, StateStore
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.terms import person
from stepgraph.stores.audit import audit_damages
from stepgraph.stores.ledger import WAITING
from stepgraph.values.errors import StepgraphError
from tests.engine.terms import PLACES, Bench

PEOPLE = ("ana", "ben", "Ben ", "chris", "dora", "")
_THREADS = 4

moves = st.one_of(
    st.tuples(st.sampled_from(["approve", "reject"]), st.sampled_from(PEOPLE)),
    st.tuples(st.just("wait"), st.sampled_from([1.0, 30.0, 61.0])),
    st.tuples(st.sampled_from(["expire", "pending", "step", "edit"]), st.just("")),
)
terms = st.fixed_dictionaries(
    {
        "approvals": st.sampled_from([1, 2, 3]),
        "allow_self": st.booleans(),
        "deadline": st.sampled_from([0, 90.0]),
        "on_timeout": st.sampled_from(["reject", "fail", "approve_unsafe"]),
    },
    optional={
        "approvers": st.just(["ana", "ben", "chris"]),
        "escalate_after": st.just(45.0),
    },
)


def on(said: dict[str, Any]) -> dict[str, Any]:
    """Terms that fit together."""
    if "escalate_after" in said:
        said |= {"escalate_to": ["dora"]}
        said.setdefault("approvers", ["ana", "ben", "chris"])
    return said


def play(bench: Bench, story: Sequence[tuple[str, Any]]) -> Iterator[str]:
    """Do one thing after the other, and tell what came of each."""
    for what, how in story:
        try:
            run = bench.store.load("r-1")
            match what:
                case "approve" | "reject":
                    decision = Decision(what, by=how)
                    yield bench.reviews.decide(run.pointer.review or "", decision).status
                case "wait":
                    bench.clock.advance(how)
                case "expire":
                    yield f"{[review.status for review in bench.reviews.expire()]}"
                case "pending":
                    yield f"{len(bench.reviews.pending())}"
                case "edit":
                    bench.executor.edit("r-1", {"n": run.pointer.version}, by="chris")
                case "step":
                    handle = bench.executor.load("r-1")
                    bench.executor.retry("r-1") if handle.status is RunStatus.FAILED else bench.executor.run(
                        handle
                    )
        except StepgraphError as error:
            yield type(error).__name__


def check(bench: Bench) -> None:
    """Hold the ledger to its promises: of each review one end at the most, and each person once before it."""
    rows = bench.store.rows("r-1")
    for asked in (row for row in rows if row.kind == "review"):
        about = [row for row in rows if row.review == asked.review][1:]
        ends = [row for row in about if row.kind not in WAITING]
        assert len(ends) <= 1
        assert about[-1:] == ends or not ends
        review = bench.reviews.read(asked.review or "")[0]
        names = [person(vote.by) for vote in review.votes]
        if review.decision is not None and review.decision.verb == "approve" and review.status == "decided":
            names.append(person(review.decision.by))
            assert len(names) == review.terms.needed
        assert len(set(names)) == len(names) <= review.terms.needed
        assert "" not in names or review.terms.needed == 1
        assert [row.kind for row in about].count("escalation") <= 1
    assert audit_damages(bench.store) == []


@settings(deadline=None)
@given(place=st.sampled_from(PLACES), said=terms.map(on), story=st.lists(moves, max_size=14))
def test_any_order_decides_each_review_once_and_alike_on_both_stores(
    tmp_path_factory: pytest.TempPathFactory, place: str, said: dict[str, Any], story: list[tuple[str, Any]]
) -> None:
    told = []
    folder = tmp_path_factory.mktemp("votes")
    for store in (MemoryStore(), SqliteStore(folder / "runs.db", durability="normal")):
        with store:
            bench = Bench(store, place, **said)
            bench.executor.run(bench.executor.start({}, "r-1", by="ana"))
            told.append((list(play(bench, story)), bench.kinds()))
            check(bench)
    assert told[0] == told[1]


@pytest.fixture(params=["memory", "sqlite"])
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[StateStore]]:
    """A connection to the same runs for each thread."""
    if request.param == "memory":
        yield [MemoryStore()] * _THREADS
        return
    opened = [SqliteStore(tmp_path / "runs.db", durability="normal") for _ in range(_THREADS)]
    yield list(opened)
    for store in opened:
        store.close()


def at_once(stores: list[StateStore], act: Any) -> list[Any]:
    """Have each thread do something at the same moment, and collect what it gave or raised."""
    barrier, told = threading.Barrier(_THREADS), [None] * _THREADS

    def go(number: int) -> None:
        barrier.wait()
        try:
            told[number] = act(number, stores[number])
        except Exception as error:
            told[number] = error  # type: ignore[call-overload]  # whatever came of it

    threads = [threading.Thread(target=go, args=(number,)) for number in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return told


@pytest.mark.parametrize("rule", ["reject", "fail", "approve_unsafe"])
def test_of_many_who_see_a_deadline_pass_at_once_one_applies_it(stores: list[StateStore], rule: str) -> None:
    bench = Bench(
        stores[0], deadline=60, on_timeout=rule, approvers=["ana"], escalate_after=30, escalate_to=["b"]
    )
    asked = [bench.paused(f"r-{number}") for number in range(10)]
    bench.clock.advance(60)

    def expire(number: int, store: StateStore) -> list[Review]:
        return Reviews(store, bench.clock.time).expire()

    told = at_once(stores, expire)
    applied = [review.id for reviews in told for review in reviews]
    assert sorted(applied) == sorted(review.id for review in asked)
    assert all(len(bench.kinds(review.run_id)) == 3 for review in asked)
    assert audit_damages(stores[0]) == []


def test_of_many_votes_at_once_as_many_count_as_are_needed(stores: list[StateStore]) -> None:
    bench = Bench(stores[0], approvals=2)
    for number in range(10):
        review = bench.paused(f"r-{number}")

        def vote(person: int, store: StateStore, id_: str = review.id) -> str:
            return Reviews(store, bench.clock.time).decide(id_, Decision.approve(by=f"p{person}")).status

        told = at_once(stores, vote)
        assert sorted(each for each in told if isinstance(each, str)) == ["decided", "pending"]
        assert sum(isinstance(each, AlreadyDecided) for each in told) == _THREADS - 2
        assert bench.kinds(f"r-{number}") == ["start", "review", "vote", "decision"]
    with suppress(AlreadyDecided):
        bench.reviews.decide(review.id, Decision.reject(by="late"))
    assert audit_damages(stores[0]) == []
