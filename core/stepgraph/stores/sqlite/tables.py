"""The tables of a SQLite file, on whatever connection."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import apsw

from ..encoding import Columns
from ..sql import SqlBackend
from . import auditing
from .recovery import MADE
from .schema import Transaction


@cache
def _adapted(statement: str) -> str:
    """Write a statement of ``stores.sql`` as SQLite reads it."""
    return statement.replace("$", "?").replace("json_array_elements_text", "json_each").replace("::json", "")


class Tables(SqlBackend):
    """The tables that one connection sees.

    Args:
        db: The connection.
    """

    tries = 0

    def __init__(self, db: apsw.Connection) -> None:
        self.use(db)

    def use(self, db: apsw.Connection) -> None:
        """Go on with another connection."""
        self.db = db
        self.transaction = Transaction(db)
        self._cursor = db.cursor()

    def _all(self, statement: str, *values: Any) -> list[Columns]:
        return self._cursor.execute(_adapted(statement), values).fetchall()

    def _many(self, statement: str, rows: Iterable[Columns]) -> None:
        self._cursor.executemany(_adapted(statement), rows)

    def _transaction(self) -> AbstractContextManager[object]:
        return self.transaction

    def new_number(self) -> int:
        """Choose the number of a new run; another process may be quicker to use it."""
        return int(self.db.execute(f"SELECT {MADE} + 1").get)

    def _written(self, *, hold: bool = False) -> int:
        return auditing.written(self.db)

    def _note_deleted(self, numbers: list[int]) -> None:
        if numbers:
            made = max(self.new_number() - 1, *numbers)
            self.db.execute("DELETE FROM sqlite_sequence WHERE name = 'runs'")
            self.db.execute("INSERT INTO sqlite_sequence(name, seq) VALUES('runs', ?)", (made,))
