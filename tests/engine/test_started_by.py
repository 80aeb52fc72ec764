"""Who started a run is kept with it, and with each review that it asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Executor, MemoryStore, SqliteStore
from stepgraph.stores.base import StateStore
from stepgraph.values.errors import StateError
from tests.stores.asking import asking_graph


@pytest.fixture(params=["memory", "sqlite"])
def executor(request: pytest.FixtureRequest, tmp_path: Path) -> Executor:
    store: StateStore = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "runs.db")
    return Executor(asking_graph(), store)


def test_a_question_has_the_same_hash_whoever_started_the_run(executor: Executor) -> None:
    reviews = [executor.run(executor.start({}, name, by=name)).pending for name in ("ana", "bo")]
    assert len({review.hash for review in reviews if review is not None}) == 1


def test_an_edit_changes_nobody_who_started_it(executor: Executor) -> None:
    executor.run(executor.start({}, "r-1", by="ana"))
    pending = executor.edit("r-1", {"amount": 3}, by="bo").pending
    assert pending is not None
    assert pending.started_by == "ana"


@pytest.mark.parametrize("name", [5, ["ana"], "\ud800"])
def test_a_name_is_a_text(executor: Executor, name: object) -> None:
    with pytest.raises(StateError, match="by"):
        executor.start({}, "r-1", by=name)  # type: ignore[arg-type]  # what is refused
    assert executor.store.runs() == []
