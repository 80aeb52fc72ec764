"""A Ctrl-C that a program survives: what it asks a server next is answered, not what it asked before."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from random import Random
from threading import Event
from types import FrameType
from typing import Any

import pytest
from redis.connection import AbstractConnection

from stepgraph import Executor, StateGraph
from stepgraph.stores.checking import store_damages
from stepgraph.stores.postgres.store import PostgresStore
from stepgraph.stores.redis.store import RedisStore
from stepgraph.values.json_values import Json
from tests.crash.children import Child
from tests.servers.postgres import PostgresServer
from tests.servers.redis import RedisServer
from tests.stores.building import DEFINITION_HASH, create, pointer, step_row

KINDS: dict[str, Callable[[str], Any]] = {"postgres": PostgresStore, "redis": RedisStore}
_WITHIN = ("stepgraph/stores/", "/redis/", "/psycopg/")


@contextmanager
def interrupted(place: int) -> Iterator[list[str]]:
    """Raise KeyboardInterrupt at one place in a store or its library, and end the block there.

    The interpreter lets signals in where a function begins, and where a call has come to its end.

    Args:
        place: Its number, from 1 on.

    Yields:
        What the place is, once it was come to.
    """
    left = place
    met: list[str] = []

    def watch(frame: FrameType, event: str, _: Any) -> None:
        nonlocal left
        if event in ("call", "return", "c_return") and any(
            part in frame.f_code.co_filename for part in _WITHIN
        ):
            left -= 1
            if left == 0:
                met.append(f"{event} at {frame.f_code.co_filename}:{frame.f_lineno}")
                raise KeyboardInterrupt

    sys.setprofile(watch)
    try:
        with suppress(KeyboardInterrupt):
            yield met
    finally:
        sys.setprofile(None)


pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # half made by redis-py


@contextmanager
def opened_twice(request: pytest.FixtureRequest, kind: str) -> Iterator[tuple[Any, Any]]:
    """A store on a server, and another connection to it that nobody interrupts."""
    server: RedisServer | PostgresServer = request.getfixturevalue(
        "shared_redis" if kind == "redis" else "postgres_server"
    )
    url = server.fresh_url()
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
    [("redis", True, 11), ("redis", False, 47), ("postgres", True, 29), ("postgres", False, 89)],
)
def test_wherever_a_commit_is_interrupted_the_next_question_gets_its_own_answer(
    request: pytest.FixtureRequest, kind: str, connected: bool, apart: int
) -> None:
    """At one place after the other, some of them apart: also while it connects."""
    with opened_twice(request, kind) as (store, other):
        create(store)
        version, place, met = 1, 1, ["the first"]
        while met:
            if not connected:
                store._disconnect()
            with interrupted(place) as met:
                step(store, version + 1)
            assert read(store) == read(other), met
            found = other.load("r-1").pointer.version
            assert found in (version, version + 1), met
            version, place = found, place + apart
        assert place > 500
        assert [*store_damages(other)] == []


@pytest.mark.parametrize("what", ["load", "stamp", "delete_runs"])
@pytest.mark.parametrize(("kind", "apart"), [("redis", 7), ("postgres", 11)])
def test_wherever_reading_is_interrupted_the_next_question_gets_its_own_answer(
    request: pytest.FixtureRequest, kind: str, apart: int, what: str
) -> None:
    with opened_twice(request, kind) as (store, other):
        create(store)
        step(store, 2)
        asked = {"load": ("r-1",), "delete_runs": ({"r-1": 1},)}.get(what, ())
        expected, place, met = read(other), 1, ["the first"]
        while met:
            with interrupted(place) as met:
                getattr(store, what)(*asked)
            assert read(store) == expected, met
            place += apart
        assert place > 30


@pytest.mark.crash
@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_program_that_survives_hundreds_of_signals_loses_no_step(
    request: pytest.FixtureRequest, kind: str
) -> None:
    """In a process of its own: the time limit of the tests is a signal, too."""
    graph = StateGraph("counts", start="count", max_steps=1_000_000)
    graph.add_node("count", lambda state: {"n": state["n"] + 1})
    graph.add_key("n", default=0)
    graph.add_edge("count", "count")
    app = graph.compile()

    def work(tell: Callable[[str], None]) -> None:
        random = Random(22)  # noqa: S311  # no secret
        heard = 0

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, interrupt)
        with opened_twice(request, kind) as (store, other):
            executor = Executor(app, store)
            executor.start({}, "r")
            done = 0
            for _ in range(400):
                run = executor.load("r")
                if run.error is not None:  # it came while the node ran
                    executor.try_again(run)
                assert run.step in (done, done + 1)
                assert store.load("r") == other.load("r")
                assert run.values == {"n": run.step} == other.values("r", run.version)
                done = run.step
                try:
                    signal.setitimer(signal.ITIMER_REAL, random.uniform(0.0002, 0.004))
                    while run.error is None:
                        done = executor.step(run).step
                except KeyboardInterrupt:
                    heard += 1
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            assert [*store_damages(other)] == []
            tell(f"{heard > 200} {done > 50}")

    assert Child(work).wait() == ["True True"]
