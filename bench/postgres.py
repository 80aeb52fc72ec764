"""What a step costs on PostgreSQL, on a server of its own that keeps what it acknowledges."""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from stepgraph import Executor
from stepgraph.extras.postgres.store import PostgresStore
from tests.servers.postgres import running_server

from .contenders.engine import ring
from .measure import ROOT, alternate
from .table import Line
from .waiting import list_line
from .workers import SETTINGS

_ROUNDS = 40
_STEPS = 25
_GOAL = 1.3


def lines() -> list[Line]:
    """A step, beside a bare insert, update and commit on the same server; nothing where there is none."""
    folder = ROOT / ".bench"
    folder.mkdir(exist_ok=True)
    try:
        with running_server(SETTINGS, str(folder)) as server:
            address = server.url()
            with _step(address) as ours, _bare_step(address, 4) as bare, _bare_step(address, 1) as shortest:
                contenders = {"engine": ours, "bare": bare, "shortest": shortest}
                rounds = alternate(contenders, _ROUNDS, _STEPS)
            with PostgresStore(server.fresh_url()) as store:
                listed = list_line(store)
    except LookupError as error:
        print(f"left out: {error}", file=sys.stderr)
        return []
    ratio = rounds.ratio("engine", "bare")
    return [
        Line("one step on PostgreSQL", rounds.median("engine"), "s", None, ratio),
        Line("a step there : a bare insert, update, commit", ratio, "x", _GOAL),
        Line("a step there : one bare statement of both", rounds.ratio("engine", "shortest"), "x"),
        listed,
    ]


@contextmanager
def _step(address: str) -> Iterator[Callable[[], object]]:
    """A function that does one step each time it is called."""
    with PostgresStore(address) as store:
        executor = Executor(ring(2, _ROUNDS * _STEPS), store)
        run = executor.start({"n": 0})
        yield lambda: executor.step(run)


@contextmanager
def _bare_step(address: str, journeys: int) -> Iterator[Callable[[], object]]:
    """A function that does the like by hand: in a transaction, or in one statement that does all."""
    with psycopg.connect(address, autocommit=journeys == 1) as db:
        table = f"bare_{journeys}"
        db.execute(
            f"CREATE TABLE {table}(seq bigint PRIMARY KEY, node text, at float8, updates text)".encode()
        )
        db.execute(f"CREATE TABLE {table}_runs(no bigint PRIMARY KEY, version bigint, at float8)".encode())
        db.execute(f"INSERT INTO {table}_runs VALUES (1, 0, 0)".encode())  # noqa: S608  # constants
        db.commit()
        insert = f"INSERT INTO {table} VALUES (%s, %s, %s, %s)".encode()  # noqa: S608  # constants
        update = f"UPDATE {table}_runs SET version = %s, at = %s WHERE no = 1 AND version = %s".encode()  # noqa: S608
        both = b"WITH added AS (" + insert + b") " + update
        versions = itertools.count(1)

        def step() -> None:
            version, now = next(versions), time.time()
            row = (version, "a", now, json.dumps({"n": version}))
            moved = (version, now, version - 1)
            if journeys == 1:
                db.execute(both, row + moved)
                return
            db.execute(insert, row)
            db.execute(update, moved)
            db.commit()

        yield step
