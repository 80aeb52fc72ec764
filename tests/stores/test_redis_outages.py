"""A Redis server goes away under use: what was acknowledged stays, and what was asked is done once."""

from __future__ import annotations

import hashlib
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.extras.redis import scripts
from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores.audit import broken_links
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.values.errors import Conflict, RunExists, StoreError, StoreUnreachable
from stepgraph.values.json_values import Json
from tests.examples import examples
from tests.servers.cutting import Cutter, cutting
from tests.servers.redis import RedisServer, running_server, skipping
from tests.stores.building import Writer, create, pointer, step_row
from tests.stores.hearing import Told


def test_a_store_goes_on_when_its_server_is_killed_and_started_again(own_redis: RedisServer) -> None:
    told = Told()
    with RedisStore(own_redis.url(), on_outage=told) as store:
        writer = Writer(store, {"n": 0, "log": []}, {"log": "append"})
        for number in range(60):
            writer.step({"n": number, "log": [number]})
        own_redis.stop(signal.SIGKILL)
        with ThreadPoolExecutor(1) as thread:

            def go_on() -> None:
                for number in range(60, 70):
                    writer.step({"n": number, "log": [number]})

            going_on = thread.submit(go_on)
            assert told.heard.wait(60)
            assert not going_on.done()
            own_redis.start()
            going_on.result(60)
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected
        assert [row.seq for row in store.rows("r-1")] == [*range(1, 72)]
    assert "cannot be reached: connection refused" in told[0].what
    assert {outage.url for outage in told} == {store.url}
    assert [outage.over for outage in told] == [*[False] * (len(told) - 1), True]


def test_a_restart_that_nobody_noticed_is_told_to_nobody(own_redis: RedisServer) -> None:
    told = Told()
    with RedisStore(own_redis.url(), on_outage=told) as store:
        writer = Writer(store, {"n": 0})
        for number in range(3):
            own_redis.stop()
            own_redis.start()  # it has forgotten the scripts, too
            writer.step({"n": number})
            assert store.values("r-1", writer.seq) == {"n": number}
        with own_redis.client() as client:
            client.script_flush()
        writer.step({"n": 9})
    assert told == []


def test_what_asks_a_server_that_stays_away_is_told_so(own_redis: RedisServer) -> None:
    told = Told(patient=False)
    with RedisStore(own_redis.url(), on_outage=told) as store:
        create(store)
        own_redis.stop()
        asks: list[Callable[[], object]] = [
            store.runs,
            store.stamp,
            store.versions,
            store.reviews,
            store.audit,
            store.about,
            lambda: store.commit("r-1", step_row(2), pointer(2)),
            lambda: store.values("r-1", 1),
            lambda: store.delete_runs({"r-1": 1}),
            lambda: create(store, "r-2"),
        ]
        for ask in asks:
            with pytest.raises(StoreUnreachable, match="cannot be reached") as caught:
                ask()
            assert caught.value.hint
        own_redis.start()
        store.commit("r-1", step_row(2), pointer(2))
        assert [run.head.id for run in store.runs()] == ["r-1"]
    assert len(told) == len(asks)


def test_opening_a_server_that_is_down_waits_only_where_somebody_listens(own_redis: RedisServer) -> None:
    own_redis.stop()
    with pytest.raises(StoreUnreachable, match="cannot be reached"):
        RedisStore(own_redis.url())
    told = Told()
    with ThreadPoolExecutor(1) as thread:
        opening = thread.submit(lambda: RedisStore(own_redis.url(), on_outage=told))
        assert told.heard.wait(60)
        own_redis.start()
        with opening.result(60) as store:
            create(store)


def test_closing_a_store_ends_its_waiting(own_redis: RedisServer) -> None:
    told = Told()
    store = RedisStore(own_redis.url(), on_outage=told)
    own_redis.stop()
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(store.runs)
        assert told.heard.wait(60)
        store.close()
        with pytest.raises(StoreUnreachable):
            asked.result(60)
    with pytest.raises(StoreError, match="is closed"):
        store.runs()


def test_a_server_that_hangs_is_an_outage_too(own_redis: RedisServer) -> None:
    with RedisStore(own_redis.url(socket_timeout="0.2"), on_outage=Told()) as store:
        create(store)
        own_redis.signal(signal.SIGSTOP)
        store.on_outage = Told(patient=False)
        with pytest.raises(StoreUnreachable, match="does not answer in time") as caught:
            store.commit("r-1", step_row(2), pointer(2))
        assert "whether what was asked last is recorded" in caught.value.hint
        own_redis.signal(signal.SIGCONT)
        store.on_outage = Told()
        with pytest.raises(Conflict):  # it was in the server's hands, and is written once
            store.commit("r-1", step_row(2, {"other": 1}), pointer(2))
        assert [row.seq for row in store.rows("r-1")] == [1, 2]


# A real crash


def test_nothing_acknowledged_is_lost_when_the_server_is_killed_under_writers() -> None:
    """Four writers, and a server that is killed and started again; what it said is on the disk is there."""
    with skipping(), running_server({"appendfsync": "always"}) as server, ThreadPoolExecutor(4) as threads:
        progress = [Event() for _ in range(3)]
        done = [threads.submit(write, server.url(), f"r-{number}", progress) for number in range(4)]
        for event in progress:
            assert event.wait(60)
            server.stop(signal.SIGKILL)
            server.start()
        acknowledged = [writing.result(120) for writing in done]
        with RedisStore(server.url()) as store:
            for writer in acknowledged:
                assert [row.seq for row in store.rows(writer.run_id)] == [*range(1, writer.seq + 1)]
                states = {seq: store.values(writer.run_id, seq) for seq in writer.expected}
                assert states == writer.expected
            links = store.audit()
        assert sorted(str(link.entry["row"]) for link in links) == sorted(
            f"{writer.run_id} {seq}" for writer in acknowledged for seq in range(2, writer.seq + 1)
        )
        assert broken_links(links) == []


STEPS = 60


def write(url: str, run_id: str, progress: list[Event]) -> Writer:
    """Write a run, each of whose commits brings an entry of the audit, and tell how far it is."""
    with RedisStore(
        url, on_outage=lambda outage: outage.waited < 60, snapshots=SnapshotPolicy(3, 3)
    ) as store:
        writer = Writer(store, {"n": 0, "log": []}, {"log": "append"}, run_id)
        for number in range(STEPS):
            seq = writer.seq + 1
            updates: dict[str, Json] = {"n": number, "log": [number]}
            writer.state = {"n": number, "log": [*range(number + 1)]}
            row = step_row(seq, updates, ops={"log": "append"})
            entry = {"row": f"{run_id} {seq}"}
            store.commit(run_id, row, pointer(seq), writer.state, writer.append_keys, audit=entry)
            writer.seq, writer.expected[seq] = seq, dict(writer.state)
            if run_id == "r-0" and number % 15 == 10 and number < 45:
                progress[number // 15].set()
    return writer


# Cuts at a moment of choice


@contextmanager
def cut_off(server: RedisServer, script: str = scripts.COMMIT) -> Iterator[tuple[Cutter, str]]:
    """What cuts the connection at a script, and the address that leads through it."""
    digest = hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()
    with cutting(server.socket, digest.encode()) as cutter:
        yield cutter, server.fresh_url().replace(str(server.socket), str(cutter.path))


def test_who_cannot_know_whether_a_commit_is_recorded_is_told_so(own_redis: RedisServer) -> None:
    with cut_off(own_redis) as (cutter, url), RedisStore(url, on_outage=Told(patient=False)) as store:
        create(store)
        cutter.script, cutter.then = ["after"], own_redis.stop
        with pytest.raises(StoreUnreachable) as caught:
            store.commit("r-1", step_row(2), pointer(2))
        assert "whether what was asked last is recorded" in caught.value.hint
        cutter.then = lambda: None
        own_redis.start()
        with pytest.raises(Conflict):
            store.commit("r-1", step_row(2), pointer(2))


def test_a_run_that_was_created_before_the_cut_is_not_refused(shared_redis: RedisServer) -> None:
    with cut_off(shared_redis) as (cutter, url), RedisStore(url, on_outage=Told()) as store:
        for run_id, cut in (("r-1", "before"), ("r-2", "after")):
            cutter.script = [cut]
            create(store, run_id, {"n": 1})
            assert not cutter.script
            with pytest.raises(RunExists):
                create(store, run_id)
        assert [len(store.rows(run_id)) for run_id in ("r-1", "r-2")] == [1, 1]


def test_runs_that_were_deleted_before_the_cut_are_told_as_deleted(shared_redis: RedisServer) -> None:
    with cut_off(shared_redis, scripts.DELETE) as (cutter, url), RedisStore(url, on_outage=Told()) as store:
        for run_id in ("r-1", "r-2", "r-3"):
            create(store, run_id)
        for run_id, cut in (("r-1", "before"), ("r-2", "after")):
            cutter.script = [cut]
            assert store.delete_runs({run_id: 1, "r-3": 9}) == [run_id]
        assert [*store.versions()] == ["r-3"]


cuts = st.lists(st.sampled_from(["", "before", "after"]), max_size=12)


@examples(40)
@given(script=cuts, due=st.booleans())
def test_each_row_and_entry_is_there_once_wherever_the_connection_is_cut(
    shared_redis: RedisServer, script: list[str], due: bool
) -> None:
    policy = SnapshotPolicy(2, 2) if due else SnapshotPolicy()
    with (
        cut_off(shared_redis) as (cutter, url),
        RedisStore(url, snapshots=policy, on_outage=Told()) as store,
    ):
        writer = Writer(store, {"n": 0, "log": []}, {"log": "append"})
        cutter.script = script
        for number in range(8):
            writer.step({"n": number, "log": [number]})
        for seq in (10, 11, 12):
            store.commit("r-1", step_row(seq), pointer(seq), audit={"row": seq})
        assert [row.seq for row in store.rows("r-1")] == [*range(1, 13)]
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected
        assert [link.entry for link in store.audit()] == [{"row": seq} for seq in (10, 11, 12)]
        assert broken_links(store.audit()) == []
