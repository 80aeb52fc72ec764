"""Several connections, threads and processes on one Redis server."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from stepgraph import Decision, Reviews
from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores.audit import audit_damages
from stepgraph.stores.base import StoredRun
from stepgraph.stores.checking import store_damages
from stepgraph.stores.ledger import RunHead
from stepgraph.values.errors import AlreadyDecided, Conflict, UnknownRun
from tests.crash.children import Child
from tests.servers.redis import RedisServer
from tests.stores.asking import waiting
from tests.stores.building import DEFINITION, Writer, create, pointer, start_row, step_row

PROCESSES, REVIEWS = 10, 30


@pytest.fixture
def url(shared_redis: RedisServer) -> str:
    """The address of a store that is not there yet."""
    return shared_redis.fresh_url()


def test_ten_processes_decide_the_same_reviews_and_each_is_decided_once(url: str) -> None:
    with RedisStore(url) as store:
        ids = waiting(store, REVIEWS)

    def decide_all(name: str) -> Callable[[Callable[[str], None]], None]:
        def work(tell: Callable[[str], None]) -> None:
            with RedisStore(url) as store:
                for id_ in ids:
                    try:
                        Reviews(store).decide(id_, Decision.approve(by=name))
                        tell(f"won {id_}")
                    except AlreadyDecided as error:
                        tell(f"lost {id_} {error.message.split(' by ')[1].split()[0]}")

        return work

    children = {f"p{number}": Child(decide_all(f"p{number}")) for number in range(PROCESSES)}
    told = {name: [line.split() for line in child.wait()] for name, child in children.items()}
    won = {id_: name for name, lines in told.items() for what, id_, *_ in lines if what == "won"}
    lost = [(id_, rest[0]) for lines in told.values() for what, id_, *rest in lines if what == "lost"]
    assert sorted(won) == sorted(ids)
    assert len(lost) == (PROCESSES - 1) * REVIEWS
    assert all(won[id_] == winner for id_, winner in lost), "each loser is told who won"
    with RedisStore(url) as store:
        assert {str(link.entry["review"]): link.entry["by"] for link in store.audit()} == won
        assert len(store.audit()) == REVIEWS
        assert audit_damages(store) == []
        assert list(store_damages(store)) == []


def test_processes_that_are_killed_in_the_middle_leave_whole_runs(url: str) -> None:
    def drive(number: int) -> Callable[[Callable[[str], None]], None]:
        def work(tell: Callable[[str], None]) -> None:
            with RedisStore(url) as store:
                writer = Writer(store, {"n": 0, "log": []}, {"log": "append"}, f"r-{number}")
                while True:
                    writer.step({"n": writer.seq, "log": [writer.seq]})
                    tell(f"{writer.seq}")

        return work

    children = [Child(drive(number)) for number in range(4)]
    for child in children:
        while len(child.lines) < 60:
            assert child.listen(30)
    for child in children:
        child.kill()
    with RedisStore(url) as store:
        assert list(store_damages(store)) == []
        for number, child in enumerate(children):
            version = store.load(f"r-{number}").pointer.version
            assert version - int(child.lines[-1]) in (0, 1), (
                "what was told is there, and at most what came next"
            )
            store.commit(f"r-{number}", step_row(version + 1, {"n": -1}), pointer(version + 1))
            assert store.values(f"r-{number}", version)["log"] == [*range(1, version)]


def test_a_forked_process_has_a_connection_of_its_own(url: str) -> None:
    with RedisStore(url) as store:
        create(store)
        store.backend.turns._lock.acquire()  # as another thread might, at the moment of the fork

        def work(tell: Callable[[str], None]) -> None:
            store.commit("r-1", step_row(2, {"n": 2}), pointer(2))
            store.close()
            tell("done")

        child = Child(work)
        store.backend.turns._lock.release()
        assert child.wait() == ["done"]
        assert os.getpid() != child.pid
        store.commit("r-1", step_row(3, {"n": 3}), pointer(3), {"n": 3})
        assert store.values("r-1", 3) == {"n": 3}


def test_one_connection_sees_what_another_wrote(url: str) -> None:
    with RedisStore(url) as here, RedisStore(url) as there:
        before = here.stamp()
        writer = Writer(there, {"n": 0})
        assert here.stamp() != before
        writer.step({"n": 1})
        assert here.load("r-1") == there.load("r-1")
        writer.store = here
        writer.step({"n": 2})
        assert there.values("r-1", 3) == {"n": 2}
        with pytest.raises(Conflict, match="at version 3 and not at 2"):
            there.commit("r-1", step_row(3, {"n": 9}), pointer(3), {"n": 9})


def test_stores_behind_other_prefixes_are_worlds_of_their_own(shared_redis: RedisServer) -> None:
    with RedisStore(shared_redis.fresh_url()) as one, RedisStore(shared_redis.fresh_url()) as other:
        create(one)
        assert (other.versions(), other.runs(), other.stamp()) == ({}, [], None)
        create(other, values={"n": 9})
        assert one.values("r-1", 1) == {}


def test_a_run_of_the_same_id_is_not_moved_in_place_of_the_deleted_one(url: str) -> None:
    with RedisStore(url) as driver, RedisStore(url) as other:
        create(driver)
        other.delete_runs({"r-1": 1})
        with pytest.raises(UnknownRun, match="it was deleted"):
            driver.commit("r-1", step_row(2), pointer(2))
        create(driver)
        other.delete_runs({"r-1": 1})
        new = RunHead("r-1", "demo", 999.0)
        other.create(StoredRun(new, pointer(1)), [start_row()], DEFINITION)
        with pytest.raises(Conflict, match="not the one that was loaded"):
            driver.commit("r-1", step_row(2), pointer(2))
        assert other.load("r-1") == StoredRun(new, pointer(1))
        assert list(store_damages(other)) == []
