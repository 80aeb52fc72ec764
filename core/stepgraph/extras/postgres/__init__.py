"""Runs in a PostgreSQL database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...values.errors import StoreError

if TYPE_CHECKING:
    from .store import PostgresStore


def open_postgres(address: str) -> PostgresStore:
    """Open the store at ``postgresql://user@host/database``, ``?schema=NAME`` being the schema of its tables.

    Raises:
        StoreError: psycopg is not installed, the address cannot be read, or the database cannot be used.
    """
    try:
        import psycopg  # noqa: F401  # asked for here, to say what is missing
    except ImportError as error:
        raise StoreError(
            f"stores in PostgreSQL need psycopg, which cannot be imported: {error}",
            hint='pip install "stepgraph[postgres]"',
        ) from error
    from .store import PostgresStore

    return PostgresStore(address)
