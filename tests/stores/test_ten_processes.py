"""Ten processes decide the same hundred reviews at once: each one once, and each loser is told who won."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from stepgraph import Reviews
from stepgraph.stores import open_store
from stepgraph.stores.audit import audit_damages
from stepgraph.values.errors import AlreadyDecided
from tests.crash.children import Child
from tests.stores.asking import decide, waiting

_PROCESSES, _REVIEWS = 10, 100


@pytest.fixture(params=["sqlite", "postgres", "redis"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'runs.db'}"
    server = request.getfixturevalue("postgres_server" if request.param == "postgres" else "shared_redis")
    address: str = server.fresh_url()
    return address


def test_each_review_is_decided_once_and_the_audit_is_whole(url: str) -> None:
    with open_store(url) as store:
        reviews = waiting(store, _REVIEWS)

    def decide_all(tell: Callable[[str], None], by: str) -> None:
        mine = random.Random(by).sample(reviews, _REVIEWS)  # noqa: S311  # an order, no secret
        with open_store(url) as store:
            for review in mine:
                try:
                    decide(store, review, by)
                    tell(f"{review} {by}")
                except AlreadyDecided as error:
                    winner = next(word for word in error.message.split() if word.startswith("process-"))
                    tell(f"{review} {winner}")

    children = [Child(partial(decide_all, by=f"process-{number}")) for number in range(_PROCESSES)]
    told = [dict(line.split() for line in child.wait()) for child in children]
    assert [len(winners) for winners in told] == [_REVIEWS] * _PROCESSES
    assert all(winners == told[0] for winners in told), "all were told the same"
    with open_store(url) as store:
        entries = {str(link.entry["review"]): link.entry["by"] for link in store.audit()}
        assert (entries, store.audit_end(), audit_damages(store)) == (told[0], _REVIEWS, [])
        decisions = {id_: Reviews(store).get(id_).decision for id_ in reviews}
        assert {id_: made.by for id_, made in decisions.items() if made is not None} == entries
