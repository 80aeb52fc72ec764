"""Every error of SQLite becomes words for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import pytest

from stepgraph.stores.sqlite import SqliteStore
from stepgraph.stores.sqlite.opening import translated
from stepgraph.values.errors import StoreError


@pytest.mark.parametrize(
    ("error", "message", "hint"),
    [
        (apsw.BusyError(), "is locked: another process has held it for 2.5 seconds", "try again"),
        (apsw.LockedError(), "is locked", "busy_timeout"),
        (apsw.FullError(), "the disk is full", "free some space"),
        (apsw.ReadOnlyError(), "is read-only", "allow writing"),
        (apsw.PermissionsError(), "is read-only", "--store"),
        (apsw.CantOpenError(), "cannot be opened", "permissions"),
        (apsw.NotADBError(), "is not an SQLite database", "check the path"),
        (apsw.CorruptError("malformed"), "is damaged: malformed", "backup"),
        (apsw.IOError("disk I/O error"), "cannot be read or written (disk I/O error)", "quotas"),
        (apsw.TooBigError(), "more than 1 GB", "in files"),
        (apsw.MisuseError("odd"), "failed: MisuseError: odd", "doctor"),
    ],
)
def test_an_error_names_the_file_what_happened_and_what_to_do(
    path: Path, error: apsw.Error, message: str, hint: str
) -> None:
    told = translated(error, path, f"sqlite:///{path}", 2.5)
    assert str(path) in told.message
    assert message in told.message
    assert hint in told.hint


class Stubborn(apsw.Connection):
    """A connection whose file system, or neighbor, does not let it switch to write-ahead logging."""

    busy = 0

    def pragma(self, name: str, *args: Any, **named: Any) -> Any:
        if name != "journal_mode" or not args:
            return super().pragma(name, *args, **named)
        if Stubborn.busy > 0:
            Stubborn.busy -= 1
            raise apsw.BusyError("database is locked")
        return "delete"


def test_a_file_system_without_write_ahead_logging_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "Connection", Stubborn)
    monkeypatch.setattr(Stubborn, "busy", 2)
    with pytest.raises(StoreError, match="does not support write-ahead logging") as caught:
        SqliteStore(path)
    assert Stubborn.busy == 0, "it has tried again while it was locked"
    assert str(path) in caught.value.message
    assert "local disk" in caught.value.hint


def test_a_file_that_stays_locked_while_it_is_opened_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apsw, "Connection", Stubborn)
    monkeypatch.setattr(Stubborn, "busy", 10**9)
    with pytest.raises(StoreError, match=r"held it for 0.02 seconds"):
        SqliteStore(path, busy_timeout=0.02)
