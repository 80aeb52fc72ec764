"""Deleting runs: all that is theirs goes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from stepgraph import Reviews
from stepgraph.graphs.parts import definition_hash
from stepgraph.stores.base import StateStore
from stepgraph.stores.checking import store_damages
from stepgraph.stores.ledger import Row
from stepgraph.values.errors import StoreError, UnknownRun
from tests.engine.terms import Bench
from tests.stores.building import DEFINITION, DEFINITION_HASH, create, pointer, step_row

OTHER = '{"name":"other"}'
OTHER_HASH = definition_hash({"name": "other"})


def move(store: StateStore, run_id: str = "r-1", seq: int = 2) -> None:
    store.commit(run_id, step_row(seq, {"n": seq}), pointer(seq))


def test_who_drives_a_deleted_run_is_told_by_the_next_commit(store: StateStore) -> None:
    create(store)
    move(store)
    store.delete_runs({"r-1": 2})
    with pytest.raises(UnknownRun, match="no run 'r-1' in this store any more: it was deleted"):
        move(store, seq=3)
    assert store.runs() == []


def test_a_definition_stays_that_a_run_went_by_before_it_adopted_another(store: StateStore) -> None:
    for run_id in ("r-1", "r-2"):
        create(store, run_id)
        data = {"from": DEFINITION_HASH, "to": OTHER_HASH}
        row = Row(2, "adopt", 0, "work", data=dict(data))
        store.commit(run_id, row, pointer(2, definition=OTHER_HASH), {}, definition=OTHER)
    store.delete_runs({"r-1": 2})
    assert store.definition(DEFINITION_HASH) == DEFINITION
    assert store.definition(OTHER_HASH) == OTHER
    store.delete_runs({"r-2": 2})
    for hash_ in (DEFINITION_HASH, OTHER_HASH):
        with pytest.raises(StoreError, match="no definition"):
            store.definition(hash_)


@pytest.mark.parametrize("method", ["load", "definition", "rows", "values"])
def test_a_run_that_is_deleted_while_it_is_checked_is_no_damage(
    store: StateStore, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    create(store)
    delete_before(store, monkeypatch, method)
    assert list(store_damages(store)) == []
    assert store.runs() == []


@pytest.mark.parametrize("method", ["rows", "review"])
@pytest.mark.parametrize("look", [Reviews.pending, Reviews.expire])
def test_a_run_that_is_deleted_while_reviews_are_looked_at_hides_no_other(
    store: StateStore, monkeypatch: pytest.MonkeyPatch, method: str, look: Callable[[Reviews], object]
) -> None:
    bench = Bench(store, "before", allow_self=False, deadline=60.0, on_timeout="reject")
    bench.paused("r-1")
    bench.clock.advance(60)
    bench.paused("r-2")
    delete_before(store, monkeypatch, method, {"r-1": 2})
    look(bench.reviews)
    monkeypatch.undo()
    waiting = bench.reviews.pending()
    assert ([review.run_id for review in waiting], waiting.damages) == (["r-2"], [])


def delete_before(
    store: StateStore, monkeypatch: pytest.MonkeyPatch, method: str, versions: dict[str, int] | None = None
) -> None:
    """Have somebody else delete runs just before a method is called."""
    real = getattr(store, method)

    def late(*args: object, **named: object) -> object:
        store.delete_runs(versions or store.versions())
        return real(*args, **named)

    monkeypatch.setattr(store, method, late)


# What a file shares between processes
