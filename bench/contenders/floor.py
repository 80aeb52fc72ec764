"""What the work costs without any engine: a dict of functions, and bare SQL on the same SQLite."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from . import ITEM, NUMBER_STATE, database_size

Values = dict[str, Any]
Test = Callable[[Values], bool]

COLD = "pass"


def _count(values: Values) -> Values:
    return {"n": values["n"] + 1}


def _below_zero(values: Values) -> bool:
    return bool(values["n"] < 0)


NODES: dict[str, Callable[[Values], Values]] = {"a": _count, "b": _count}
EDGES: dict[str, list[tuple[Test | None, str]]] = {
    "a": [(_below_zero, "END"), (None, "b")],
    "b": [(_below_zero, "END"), (None, "a")],
}


def memory_step(steps: int) -> float:
    """Call the node, merge its dict, take the first edge that matches."""
    values: Values = {"n": 0}
    node = "a"
    began = time.perf_counter()
    for _ in range(steps):
        values.update(NODES[node](values))
        for test, target in EDGES[node]:
            if test is None or test(values):
                node = target
                break
    return (time.perf_counter() - began) / steps


def open_database(path: Path, *, full: bool = True) -> apsw.Connection:
    """A database with the settings that a run's store has."""
    database = apsw.Connection(str(path))
    database.transaction_mode = "IMMEDIATE"
    database.pragma("journal_mode", "WAL")
    database.execute(f"PRAGMA synchronous = {'FULL' if full else 'NORMAL'}")
    database.execute("PRAGMA fullfsync = ON")
    database.execute("CREATE TABLE ledger(seq INTEGER PRIMARY KEY, node TEXT, at REAL, updates TEXT)")
    database.execute("CREATE TABLE runs(no INTEGER PRIMARY KEY, version INTEGER, current TEXT, at REAL)")
    database.execute("INSERT INTO runs VALUES(1, 0, 'a', 0)")
    return database


def commit(database: apsw.Connection, version: int, updates: str) -> None:
    """One insert, one update, one commit."""
    now = time.time()
    with database:
        database.execute("INSERT INTO ledger VALUES(?, ?, ?, ?)", (version, "a", now, updates))
        moved = (version, "b", now, version - 1)
        database.execute(
            "UPDATE runs SET version = ?, current = ?, at = ? WHERE no = 1 AND version = ?", moved
        )


def durable_step(folder: Path, steps: int) -> float:
    """A bare insert, update and commit."""
    database = open_database(folder / "floor.db")
    began = time.perf_counter()
    for version in range(1, steps + 1):
        commit(database, version, json.dumps({"n": version}))
    took = (time.perf_counter() - began) / steps
    database.close()
    return took


@contextmanager
def durable_stepper(folder: Path) -> Iterator[Callable[[], object]]:
    """A function that does one bare commit each time it is called."""
    database = open_database(folder / "floor.db")
    versions = itertools.count(1)

    def step() -> None:
        version = next(versions)
        commit(database, version, json.dumps({"n": version}))

    yield step
    database.close()


def number_size(folder: Path, steps: int) -> int:
    """The state once, then the number."""
    return _size(folder, {"n": 0, "text": "x" * NUMBER_STATE}, [{"n": step} for step in range(steps)])


def growing_size(folder: Path, steps: int) -> int:
    """The items, once each."""
    return _size(folder, {}, [{"items": [ITEM]}] * steps)


def _size(folder: Path, start: Values, changes: list[Values]) -> int:
    database = open_database(folder / "floor.db", full=False)
    for version, values in enumerate([start, *changes], 1):
        commit(database, version, json.dumps(values))
    database.close()
    return database_size(folder)
