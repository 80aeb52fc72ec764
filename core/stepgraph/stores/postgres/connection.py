"""One connection to the server: made when it is needed, and anew when it was cut; no fork shares it."""

from __future__ import annotations

import logging
import re
from typing import Any

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper
from psycopg.types.string import StrDumperUnknown

from .address import PostgresAddress
from .answering import AnsweringConnection, limit_statements, patience_for
from .errors import is_cut
from .schema import check_server, make_current

CHANNEL = "stepgraph"
"""Where commits are told of; what is told is the schema."""

_SESSION = """\
SET search_path = {schema};
SET default_transaction_isolation = 'read committed';
SET extra_float_digits = 1;
SET jit = off;
SET lock_timeout = '10s';
SET idle_in_transaction_session_timeout = '60s'"""

_ESCAPE = "\x10"
_ESCAPED = re.compile("\x10(.)")
_PLAIN = {"0": "\x00", "1": _ESCAPE}

# A pipeline that was cut is told as an outage; psycopg's own warning would be written on the app's screen.
logging.getLogger("psycopg").addHandler(logging.NullHandler())

_inherited: list[psycopg.Connection[Any]] = []
"""Connections of the process that this one is a fork of: to close one would end that process's session."""


class _TextDumper(StrDumperUnknown):
    """Writes NUL, which PostgreSQL refuses in texts, as two other characters; ``plain`` reads them back."""

    def dump(self, obj: str) -> bytes:
        """Encode a text; JSON has no control characters, and stays as it is."""
        if "\x00" in obj or _ESCAPE in obj:
            obj = obj.replace(_ESCAPE, _ESCAPE + "1").replace("\x00", _ESCAPE + "0")
        return obj.encode()


def plain(columns: tuple[Any, ...]) -> tuple[Any, ...]:
    """Give the texts that were read as they were written (see ``_TextDumper``)."""
    if any(type(value) is str and _ESCAPE in value for value in columns):
        return tuple(map(_unescaped, columns))
    return columns


def _unescaped(value: Any) -> Any:
    return _ESCAPED.sub(lambda found: _PLAIN.get(found[1], found[0]), value) if type(value) is str else value


class Link:
    """The connection of a store.

    Args:
        address: Where to.
    """

    def __init__(self, address: PostgresAddress) -> None:
        self.news = True
        """Whether somebody else may have committed something since this was last set to False."""
        self._address = address
        self._patience = patience_for(address.answers_within)
        self._connection: AnsweringConnection[Any] | None = None
        self._listens = False
        self.made = 0
        """How many connections there were: a server that may have lost something has cut the one before."""

    def set_patience(self, seconds: float) -> None:
        """Give up the connection after so many seconds without a word."""
        self._patience = seconds
        if self._connection is not None:
            self._connection.patience = seconds

    def is_cut_by(self, error: psycopg.Error) -> bool:
        """Tell whether an error means that there is no connection any more, or that none could be made."""
        return is_cut(error, self._connection)

    def connection(self) -> AnsweringConnection[Any]:
        """Give the connection, and make one where there is none.

        Raises:
            psycopg.Error: The server does not answer.
            StoreError: It is too old, or its tables are of a newer version.
        """
        connection = self._connection
        if connection is None:
            connection = self._connection = self._connect()
        elif connection.info.transaction_status is not TransactionStatus.IDLE:
            connection.rollback()  # a Ctrl-C between BEGIN and the block leaves one open
        return connection

    def drop(self) -> None:
        """Close the connection; the next one who needs it makes another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def leave_to_parent(self) -> None:
        """Forget the connection in a forked process, without a word to the server."""
        if self._connection is not None:
            _inherited.append(self._connection)
            self._connection = None

    def listen(self) -> None:
        """Take what the server has told meanwhile, from the first call on; it is not asked."""
        connection = self.connection()
        if not self._listens:
            connection.execute(f'LISTEN "{CHANNEL}"'.encode())
            self._listens = self.news = True
        connection.pgconn.consume_input()
        while (told := connection.pgconn.notifies()) is not None:
            self._hear(told.be_pid, told.extra)

    def _connect(self) -> AnsweringConnection[Any]:
        address = self._address
        connection: AnsweringConnection[Any] = AnsweringConnection.connect(
            **{**address.options, "client_encoding": "utf8"},
            autocommit=True,
            prepare_threshold=2,
            cursor_factory=psycopg.RawCursor,
        )
        connection.patience = self._patience
        try:
            connection.adapters.register_dumper(str, _TextDumper)
            connection.adapters.register_dumper(int, Int8BinaryDumper)
            check_server(connection, address)
            connection.execute(sql.SQL(_SESSION).format(schema=sql.Identifier(address.schema)))
            connection.execute(limit_statements(address.answers_within).encode())
            make_current(connection, address)
        except BaseException:
            connection.close()
            raise
        connection.add_notify_handler(
            lambda told: self._hear(told.pid, told.payload.encode())
        )  # what comes along with an answer
        self.news, self._listens = True, False
        self.made += 1
        return connection

    def _hear(self, pid: int, told: bytes) -> None:
        connection = self._connection
        if told.decode() == self._address.schema and (
            connection is None or pid != connection.pgconn.backend_pid
        ):
            self.news = True
