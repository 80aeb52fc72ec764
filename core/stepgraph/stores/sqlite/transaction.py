"""One transaction: a block whose writes all happen or none of them, or whose reads see one moment."""

from __future__ import annotations

from types import TracebackType
from typing import Literal

import apsw


class Transaction:
    """A block whose writes all happen or none of them; it may be used again and again.

    It takes the write lock at its beginning (IMMEDIATE): a transaction that reads first and asks
    for the lock later can find the file changed meanwhile, which no waiting cures. One that only
    reads takes no lock (DEFERRED), and all that it reads is of one moment. apsw's own
    ``with connection`` would hide a full disk, for SQLite has rolled back by itself then.
    """

    __slots__ = ("_begin", "_connection", "_execute")

    def __init__(
        self, connection: apsw.Connection, kind: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE"
    ) -> None:
        self._connection = connection
        self._execute = connection.cursor().execute  # a cursor that stays: to make one costs as much as BEGIN
        self._begin = f"BEGIN {kind}"

    def __enter__(self) -> None:
        self._execute(self._begin)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            roll_back(self._connection)
            return
        try:
            self._execute("COMMIT")
        except BaseException:
            roll_back(self._connection)
            raise


def roll_back(connection: apsw.Connection) -> None:
    """End the transaction of a connection, where there is one, and undo what it has written."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")
