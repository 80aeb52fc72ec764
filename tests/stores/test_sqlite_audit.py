"""The audit in a SQLite file: only added to, by any number of processes, and every other change is found."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from stepgraph import SqliteStore
from stepgraph.stores.audit import audit_damages
from stepgraph.stores.sqlite import file_damages
from stepgraph.stores.sqlite.opening import checking_vfs
from stepgraph.values.errors import StoreDamaged
from tests.stores.asking import decide, waiting

TRIGGERS = ("audit_keeps_entries", "audit_keeps_texts", "audit_goes_on")


def opened(path: Path) -> closing[apsw.Connection]:
    return closing(apsw.Connection(str(path), vfs=checking_vfs()))


def decided(path: Path, count: int = 5) -> Path:
    """Make a store with some decisions of one run each."""
    with SqliteStore(path) as store:
        for number, review in enumerate(waiting(store, count), 1):
            decide(store, review, f"ana {number}", 1_800_000_000.0 + number)
    return path


def tampered(path: Path, *statements: str) -> Path:
    """Change an audit as who knows the file would: its triggers are there again afterwards."""
    with opened(path) as connection:
        made = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
        for name in TRIGGERS:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        for name in TRIGGERS:
            connection.execute(made[name])
    return path


def told(path: Path) -> list[str]:
    return [str(damage) for damage in file_damages(path)]


def test_a_count_of_the_entries_that_is_gone_is_told(path: Path) -> None:
    tampered(decided(path), "DELETE FROM sqlite_sequence")
    assert told(path) == ["the audit goes up to entry 5, and its store counts 0"]
    with SqliteStore(path) as store:
        assert [str(damage) for damage in audit_damages(store)] == told(path)


def test_a_store_without_its_triggers_is_damaged(path: Path) -> None:
    decided(path)
    with opened(path) as connection:
        connection.execute("DROP TRIGGER audit_keeps_entries")
    with pytest.raises(StoreDamaged, match="'audit_keeps_entries' is not what Stepgraph made"):
        SqliteStore(path)
