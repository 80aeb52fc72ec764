"""A worker's connection to its database: it waits out a server that is down, as procrastinate's does not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from math import inf
from typing import Any

import psycopg
from procrastinate.connector import BaseAsyncConnector, Notify
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from ..stores.postgres.address import PostgresAddress
from ..stores.postgres.answering import AnsweringAsyncConnection, patience_for
from ..stores.postgres.errors import outage

_FIRST_WAIT = 0.1
_LONGEST_WAIT = 2.0

_Connection = AnsweringAsyncConnection[DictRow]


class PatientConnector(BaseAsyncConnector):
    """What procrastinate's job manager asks the database through: one connection, made anew when it is cut.

    What was asked when it was cut is asked again, so it must bear to be done twice.

    Args:
        address: Where to.
        tell: Hears that the server does not answer, and that it does again.
        patience: After how many seconds without a word another connection is tried at the latest.
    """

    def __init__(self, address: PostgresAddress, tell: Callable[[str], None], patience: float = inf) -> None:
        self._address, self._tell = address, tell
        self._patience = min(patience_for(address.answers_within), patience)
        self._connection: _Connection | None = None
        self._turn = asyncio.Lock()
        self._is_down = False

    async def execute_query_async(self, query: Any, **arguments: Any) -> None:
        """Ask for nothing but that it is done."""
        await self.ask(query, arguments)

    async def execute_query_one_async(self, query: Any, **arguments: Any) -> dict[str, Any]:
        """Ask for one row."""
        return (await self.ask(query, arguments))[0]

    async def execute_query_all_async(self, query: Any, **arguments: Any) -> list[dict[str, Any]]:
        """Ask for all rows."""
        return await self.ask(query, arguments)

    async def ask(self, query: Any, arguments: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """Ask the server, however long it takes to answer again.

        Raises:
            psycopg.Error: It refuses what it was asked.
        """
        wait = _FIRST_WAIT
        while True:
            async with self._turn:
                connection = self._connection
                try:
                    if connection is None:
                        connection = self._connection = await self._connect()
                    cursor = await connection.execute(query, arguments)
                    rows = await cursor.fetchall() if cursor.description else []
                except psycopg.Error as error:
                    if connection is not None and not connection.closed:
                        raise
                    self._connection = None
                    self._tell_down(error)
                else:
                    self._tell_up()
                    return rows
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    async def listen_notify(self, on_notification: Notify, channels: Iterable[str]) -> None:
        """Hear what the server tells, until the connection is cut and it answers again."""
        try:
            async with await self._connect() as connection:
                for channel in channels:
                    await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                while True:
                    async for told in connection.notifies(timeout=self._patience / 2):
                        await on_notification(channel=told.channel, payload=told.payload)
                    await connection.execute("SELECT 1")  # nothing was told for long: does it still answer?
        except psycopg.Error:
            await asyncio.sleep(_FIRST_WAIT)
            await self.ask("SELECT 1")

    async def close_async(self) -> None:
        """Let go of the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def _connect(self) -> _Connection:
        options = {**self._address.options, "client_encoding": "utf8"}
        connection = await _Connection.connect(**options, autocommit=True, row_factory=dict_row)
        connection.patience = self._patience
        await connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(self._address.schema)))
        return connection

    def _tell_down(self, error: psycopg.Error) -> None:
        if not self._is_down:
            self._is_down = True
            self._tell(f"waiting for the store {self._address.shown}: it {outage(error)}")

    def _tell_up(self) -> None:
        if self._is_down:
            self._is_down = False
            self._tell(f"the store {self._address.shown} answers again")
