"""Runs on a Redis server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...stores.opening import without_password
from ...values.errors import StoreError

if TYPE_CHECKING:
    from .store import RedisStore


def open_redis(address: str) -> RedisStore:
    """Open the store at ``redis://host``, ``rediss://host`` or ``unix:///path``; ``?prefix=`` begins keys.

    Raises:
        StoreError: redis-py is not installed, the address cannot be read, or the server cannot be used.
    """
    try:
        import redis  # noqa: F401  # asked for here, to say what is missing
    except ImportError as error:
        raise StoreError(
            f"the store {without_password(address)} needs redis-py, which cannot be imported: {error}",
            hint='pip install "stepgraph[redis]"',
        ) from error
    from .store import RedisStore

    return RedisStore(address)
