"""Who started a run is kept with it, and with each review that it asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import Decision, Executor, MemoryStore, Reviews, SqliteStore
from stepgraph.runs.views import open_run
from stepgraph.stores.base import StateStore
from stepgraph.values.errors import StateError
from tests.stores.asking import asking_graph


@pytest.fixture(params=["memory", "sqlite"])
def executor(request: pytest.FixtureRequest, tmp_path: Path) -> Executor:
    store: StateStore = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "runs.db")
    return Executor(asking_graph(), store)


def test_who_started_a_run_is_kept_with_it_and_with_its_reviews(executor: Executor) -> None:
    run = executor.run(executor.start({}, "r-1", by="ana"))
    assert run.started_by == "ana"
    assert open_run(executor.store, "r-1").started_by == "ana"
    assert run.pending is not None
    assert run.pending.started_by == "ana"
    assert [review.started_by for review in Reviews(executor.store).pending()] == ["ana"]
    assert Reviews(executor.store).decide(run.pending.id, Decision.approve(by="bo")).started_by == "ana"


def test_nobody_need_say_so(executor: Executor) -> None:
    run = executor.run(executor.start({}, "r-1"))
    assert run.started_by == ""
    assert run.pending is not None
    assert run.pending.started_by == ""
    assert executor.store.rows("r-1")[0].data is None


def test_a_question_has_the_same_hash_whoever_started_the_run(executor: Executor) -> None:
    reviews = [executor.run(executor.start({}, name, by=name)).pending for name in ("ana", "bo")]
    assert len({review.hash for review in reviews if review is not None}) == 1


def test_a_fork_is_started_by_who_made_it(executor: Executor) -> None:
    executor.run(executor.start({}, "r-1", by="ana"))
    fork = executor.fork("r-1", at=0, new_run_id="r-2", by="bo")
    edited = executor.fork("r-2", at=0, new_run_id="r-3", by="cy", values={"amount": 5})
    unsaid = executor.fork("r-3", new_run_id="r-4")
    assert [run.started_by for run in (fork, edited, unsaid)] == ["bo", "cy", "ana"]
    assert [run.head.origin for run in (fork, edited, unsaid)] == ["r-1@0", "r-2@0", "r-3@0+1"]
    for run, who, amount in ((fork, "bo", 12), (edited, "cy", 5)):
        pending = executor.run(run).pending
        assert pending is not None
        assert (pending.started_by, pending.values["amount"]) == (who, amount)
        assert open_run(executor.store, run.id).started_by == who
    assert [edit.data for edit in executor.store.rows("r-3", kinds=("edit",))] == [
        {"by": "cy", "comment": "given when it was forked from r-2@0"}
    ]
    assert [run.version for run in (fork, unsaid)] == [3, 2]


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
