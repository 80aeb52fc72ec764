"""A Ctrl-C that a program survives: what it asks a server next is answered, not what it asked before."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from random import Random
from threading import Event
from typing import Any

import pytest
from redis.connection import AbstractConnection

from stepgraph import Executor, StateGraph
from stepgraph.extras.postgres.store import PostgresStore
from stepgraph.extras.redis.store import RedisStore
from stepgraph.stores.checking import store_damages
from stepgraph.values.json_values import Json
from tests.crash.children import ask
from tests.examples import times
from tests.interrupting import interrupted, unmeasured
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer
from tests.stores.building import DEFINITION_HASH, create, pointer, step_row

KINDS: dict[str, Callable[[str], Any]] = {"postgres": PostgresStore, "redis": RedisStore}


@pytest.fixture
def url(request: pytest.FixtureRequest, kind: str) -> str:
    """A new store on a server of a kind, which is started here: never in a forked child."""
    server: RedisServer | PostgresServer = request.getfixturevalue(
        "shared_redis" if kind == "redis" else "postgres_server"
    )
    return server.fresh_url()


@contextmanager
def opened_twice(kind: str, url: str) -> Iterator[tuple[Any, Any]]:
    """A store on a server, and another connection to it that nobody interrupts."""
    with KINDS[kind](url) as store, KINDS[kind](url) as other:
        yield store, other


def step(store: Any, version: int) -> None:
    values: dict[str, Json] = {"n": version}
    entry: dict[str, Json] = {"version": version}
    store.commit("r-1", step_row(version, values), pointer(version), values, audit=entry)


def read(store: Any) -> tuple[object, ...]:
    """Answers of which each is of another kind."""
    return store.load("r-1"), store.versions(), store.audit_end(), store.definition(DEFINITION_HASH)


@pytest.mark.parametrize("first", ["load", "commit"])
def test_an_answer_that_nobody_waits_for_any_more_is_not_given_to_who_asks_next(
    own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """The server stands still until the next question is sent: the answer to the first one comes then."""
    real = AbstractConnection.send_command
    sent, interrupts = Event(), [KeyboardInterrupt]

    def send(self: AbstractConnection, *words: object, **named: object) -> None:
        real(self, *words, **named)  # type: ignore[no-untyped-call]  # redis-py's
        if interrupts:
            raise interrupts.pop()
        sent.set()

    with RedisStore(own_redis.url()) as store, ThreadPoolExecutor(1) as threads:
        create(store, "r-0")
        create(store)
        step(store, 2)
        store.load("r-0"), store.versions()  # the server knows the scripts
        own_redis.signal(signal.SIGSTOP)
        monkeypatch.setattr(AbstractConnection, "send_command", send)
        with pytest.raises(KeyboardInterrupt):
            store.load("r-0") if first == "load" else step(store, 3)
        asked = threads.submit(store.versions)
        assert sent.wait(60)
        own_redis.signal(signal.SIGCONT)
        assert asked.result(60) in ({"r-0": 1, "r-1": 2}, {"r-0": 1, "r-1": 3})


@pytest.mark.parametrize(
    ("kind", "connected", "apart"),
    [("redis", True, 2), ("redis", False, 19), ("postgres", True, 7), ("postgres", False, 19)],
)
def test_wherever_a_commit_is_interrupted_the_next_question_gets_its_own_answer(
    url: str, kind: str, connected: bool, apart: int
) -> None:
    """At one place after the other, some of them apart: also while it connects."""
    with opened_twice(kind, url) as (store, other):
        create(store)
        version, place, more = 1, 0, True
        while more:
            if not connected:
                store.backend._disconnect()
            with interrupted(place, "stores", "extras") as met:
                step(store, version + 1)
            assert read(store) == read(other), met
            found = other.load("r-1").pointer.version
            assert found in (version, version + 1), met
            version, place, more = found, place + apart, bool(met)
        assert place > 100
        assert [*store_damages(other)] == []


@pytest.mark.parametrize("what", ["load", "stamp", "delete_runs"])
@pytest.mark.parametrize(("kind", "apart"), [("redis", 1), ("postgres", 5)])
def test_wherever_reading_is_interrupted_the_next_question_gets_its_own_answer(
    url: str, kind: str, apart: int, what: str
) -> None:
    with opened_twice(kind, url) as (store, other):
        create(store)
        step(store, 2)
        asked = {"load": ("r-1",), "delete_runs": ({"r-1": 1},)}.get(what, ())
        expected, place, more = read(other), 0, True
        while more:
            with interrupted(place, "stores", "extras") as met:
                getattr(store, what)(*asked)
            assert read(store) == expected, met
            place, more = place + apart, bool(met)
        assert place > 20


@unmeasured
@pytest.mark.crash
@pytest.mark.slow
@pytest.mark.parametrize(("kind", "signals"), [("redis", 300), ("postgres", 60)])
def test_a_program_that_survives_hundreds_of_signals_loses_no_step(url: str, kind: str, signals: int) -> None:
    """In a process of its own: the time limit of the tests is a signal, too."""
    graph = StateGraph("counts", start="count", max_steps=1_000_000)
    graph.add_node("count", lambda state: {"n": state["n"] + 1})
    graph.add_key("n", default=0)
    graph.add_edge("count", "count")
    app = graph.compile()

    heard: list[None] = []

    def interrupt(*_: object) -> None:
        heard.append(None)
        raise KeyboardInterrupt

    def work(tell: Callable[[str], None]) -> None:
        random = Random(22)  # noqa: S311  # no secret
        signal.signal(signal.SIGALRM, interrupt)
        with opened_twice(kind, url) as (store, other):
            executor = Executor(app, store)
            executor.start({}, "r")
            done = 0
            for number in times(signals):
                run = executor.load("r")
                if run.error is not None:  # it came while the node ran
                    executor.try_again(run)
                assert run.step in (done, done + 1)
                executor.step(run)
                assert store.load("r") == other.load("r")
                assert run.values == {"n": run.step} == other.values("r", run.version)
                done = run.step
                with suppress(KeyboardInterrupt):
                    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0002, 0.004))
                    while len(heard) == number:
                        done = executor.step(run).step if run.error is None else done
            assert [*store_damages(other)] == []
            tell(f"{done >= len(times(signals))}")

    assert ask(work) == ["True"]
