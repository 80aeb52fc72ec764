"""Ten processes decide the same hundred reviews at once: each one once, and each loser is told who won."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from stepgraph import Decision, Reviews, StateStore
from stepgraph.stores import open_store
from stepgraph.stores.audit import audit_damages
from stepgraph.values.errors import AlreadyDecided
from tests.crash.children import Child
from tests.engine.terms import Bench
from tests.stores.asking import decide, waiting

_PROCESSES, _REVIEWS = 10, 100


@pytest.fixture(params=["sqlite", "postgres", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'runs.db'}"
    server = request.getfixturevalue("postgres_server" if request.param == "postgres" else "shared_redis")
    address: str = server.fresh_url()
    return address


def at_once(work: Callable[[StateStore, Callable[[str], None], str], None], url: str) -> dict[str, list[str]]:
    """Let so many processes work on a store, none before all are there; what each tells."""
    meeting = get_context("fork").Barrier(_PROCESSES)

    def begin(tell: Callable[[str], None], name: str) -> None:
        with open_store(url) as store:
            meeting.wait()
            work(store, tell, name)

    names = [f"process-{number}" for number in range(_PROCESSES)]
    children = [Child(partial(begin, name=name)) for name in names]
    return {name: child.wait() for name, child in zip(names, children, strict=True)}


def test_each_review_is_decided_once_and_the_audit_is_whole(url: str) -> None:
    with open_store(url) as store:
        reviews = waiting(store, _REVIEWS)

    def decide_all(store: StateStore, tell: Callable[[str], None], by: str) -> None:
        for review in random.Random(by).sample(reviews, _REVIEWS):  # noqa: S311  # an order, no secret
            try:
                decide(store, review, by)
                tell(f"{review} {by}")
            except AlreadyDecided as error:
                winner = next(word for word in error.message.split() if word.startswith("process-"))
                tell(f"{review} {winner}")

    told = [dict(line.split() for line in lines) for lines in at_once(decide_all, url).values()]
    assert [len(winners) for winners in told] == [_REVIEWS] * _PROCESSES
    assert all(winners == told[0] for winners in told), "all were told the same"
    with open_store(url) as store:
        entries = {str(link.entry["review"]): link.entry["by"] for link in store.audit()}
        assert (entries, store.audit_end(), audit_damages(store)) == (told[0], _REVIEWS, [])
        decisions = {id_: Reviews(store).get(id_).decision for id_ in reviews}
        assert {id_: made.by for id_, made in decisions.items() if made is not None} == entries


def test_two_people_approve_each_review_and_each_vote_counts_once(url: str) -> None:
    with open_store(url) as store:
        bench = Bench(store, approvals=2)
        reviews = [bench.paused(f"r-{number}").id for number in range(_REVIEWS)]

    def approve_all(store: StateStore, tell: Callable[[str], None], by: str) -> None:
        for review in random.Random(by).sample(reviews, _REVIEWS):  # noqa: S311  # an order, no secret
            try:
                found = Reviews(store).decide(review, Decision.approve(by=by))
            except AlreadyDecided:
                continue
            assert by in {vote.by for vote in found.votes} | {found.decision and found.decision.by}
            tell(review)

    told = at_once(approve_all, url)
    with open_store(url) as store:
        entries = [link.entry for link in store.audit()]
        assert (store.audit_end(), audit_damages(store)) == (2 * _REVIEWS, [])
        for review in reviews:
            whose = [(entry["what"], entry["by"]) for entry in entries if entry["review"] == review]
            assert [what for what, _ in whose] == ["vote", "decision"]
            assert {by for _, by in whose} == {by for by, approved in told.items() if review in approved}
            assert len({by for _, by in whose}) == 2, "two different people"
            found = Reviews(store).get(review)
            assert found.decision is not None
            assert [*(("vote", vote.by) for vote in found.votes), ("decision", found.decision.by)] == whose
