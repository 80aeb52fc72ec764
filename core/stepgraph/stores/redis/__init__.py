"""Runs on a Redis server."""

from .store import RedisStore, open_redis

__all__ = ["RedisStore", "open_redis"]
