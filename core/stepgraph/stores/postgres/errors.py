"""What PostgreSQL's errors mean to a person."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import errors

from ...values.errors import StoreError
from ..encoding import Damaged
from ..outages import unreachable
from ..refusals import UNCHANGED, damaged, too_large
from .address import PostgresAddress

_SAFE = "what was committed is safe"
_NOT_NOW = ("starting up", "shutting down", "recovery mode", "too many clients", "connection slots")


def said_by(error: psycopg.Error) -> str:
    """Give what the server or libpq says, in one line, without what Stepgraph says itself."""
    lines = str(error.diag.message_primary or error).splitlines()
    line = next((line for line in lines if "failed: " in line), lines[0] if lines else type(error).__name__)
    return line.rpartition("failed: ")[2].removeprefix("FATAL:").strip() or type(error).__name__


def is_cut(error: psycopg.Error, connection: psycopg.BaseConnection[Any] | None) -> bool:
    """Tell whether an error means that there is no connection any more, or that none could be made.

    What the server refuses has a state, and says so where it goes away; what fails on the way has none.

    Args:
        error: What was raised.
        connection: The connection; None where none could be made.
    """
    if connection is not None and connection.closed:
        return True
    if error.sqlstate:
        return error.sqlstate.startswith(("08", "57P"))
    return isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError))


def outage(error: psycopg.Error) -> str:
    """Say what is wrong with a server that does not answer, in words that go on after "the store URL"."""
    return f"does not answer: {said_by(error)}"


def refused(error: psycopg.Error, address: PostgresAddress) -> StoreError:
    """Say why a connection could not be made for the first time."""
    text = str(error)
    said = said_by(error)
    turned_away = "FATAL" in text and not any(words in text for words in _NOT_NOW)
    if "no password" in text or "password authentication failed" in text:
        what, hint = (
            f"refuses the password: {said}",
            ("put the right one into ~/.pgpass, PGPASSWORD or the address in STEPGRAPH_STORE"),
        )
    elif turned_away and "database" in text and "does not exist" in text:
        what, hint = f"is not there: {said}", "create it (`createdb NAME`), or correct the address"
    elif turned_away:
        what, hint = (
            f"lets nobody in by that name: {said}",
            ("correct the user in the address, or have the server's administrator let it in"),
        )
    else:
        return unreachable(address.shown, outage(error))
    return StoreError(f"the store {address.shown} {what}", hint=hint)


def translated(error: Exception, address: PostgresAddress) -> StoreError:
    """Turn an error of psycopg, or of decoding what was read, into a StoreError."""
    if isinstance(error, UnicodeError):
        return StoreError(f"a text is not Unicode: {error}", hint="remove its lone surrogates")
    if isinstance(error, OverflowError):
        return too_large(address.shown)
    if isinstance(error, Damaged):
        return damaged(address.shown, error)
    assert isinstance(error, psycopg.Error)  # noqa: S101  # for the type checker
    said = said_by(error)
    if isinstance(
        error,
        (errors.DataCorrupted, errors.IndexCorrupted, errors.UndefinedTable, errors.UndefinedColumn),
    ):
        return damaged(address.shown, said)
    what, hint = _words(error, said, address)
    return StoreError(f"the store {address.shown} {what}", hint=hint)


def _words(error: psycopg.Error, said: str, address: PostgresAddress) -> tuple[str, str]:
    user, schema = address.options.get("user", "the user"), address.schema
    if isinstance(error, errors.InsufficientPrivilege):
        return f"does not allow that: {said}", (
            f"its owner grants it: GRANT USAGE ON SCHEMA {schema} TO {user};"
            f" GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {user};"
            f" GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {user}"
        )
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return f"cannot be written: {said}", "name the primary server in the address, not a standby"
    if isinstance(error, (errors.LockNotAvailable, errors.DeadlockDetected)):
        return f"is locked: {said}", f"{UNCHANGED}; try again when the other process is done"
    if isinstance(error, errors.QueryCanceled):
        longer = (
            "give it longer in the address, ?answers_within=120 (seconds), unless the server's own"
            " statement_timeout is shorter"
        )
        if "user request" in said:  # the server may say it in another language
            return f"was told by an administrator to stop that: {said}", f"{UNCHANGED}; try again"
        if "timeout" in said:
            return f"took too long: {said}", f"{UNCHANGED}; {longer}"
        return f"has stopped that: {said}", f"{UNCHANGED}; try again, or, where it took too long, {longer}"
    if isinstance(error, (errors.DiskFull, errors.OutOfMemory)):
        return f"cannot grow: {said}", f"free some space on the server and try again; {_SAFE}"
    if isinstance(error, (errors.ProgramLimitExceeded, errors.DataError)):
        return f"cannot hold that: {said}", "keep big data in files, and their paths in the state"
    return f"failed: {type(error).__name__}: {said}", f"look at the server's log; {_SAFE}"
