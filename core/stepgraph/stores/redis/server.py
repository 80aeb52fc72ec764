"""The connection to a Redis server: scripts are run on it, and what the server promises is looked at."""

from __future__ import annotations

from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.commands.core import Script
from redis.retry import Retry

from ...values.errors import StoreError
from ..outages import ANSWERS_WITHIN
from .address import RedisAddress
from .scripted_commit import READABLE, ScriptedCommit
from .scripts import COMMIT

OLDEST = (7, 0)
"""The oldest version of Redis that this was tried with."""

_CONNECTS_WITHIN = 5.0
"""How long a connection may take to be made, in seconds, where the address does not say it."""

_INFO = ("server", "memory", "persistence", "replication")
_LOST = {
    "always": "nothing that was acknowledged",
    "everysec": "up to about the last second",
    "no": "what the system has not written yet, up to about the last 30 seconds",
}
_SEE_PROVIDER = ": look for appendonly and appendfsync among the settings of its provider"
_LOSES_RUNS = "; where runs may be lost, say so: add durability=none to the address"


class RedisServer:
    """One connection, which redis-py makes anew when it was cut; nothing is repeated without our knowing.

    Args:
        address: Where it is.
    """

    def __init__(self, address: RedisAddress) -> None:
        self._address = address
        self.prefix = address.prefix
        try:
            self._redis = redis.Redis.from_url(
                address.server,
                decode_responses=True,
                protocol=2,
                retry=Retry(NoBackoff(), 0),
                socket_connect_timeout=_CONNECTS_WITHIN,
                socket_timeout=ANSWERS_WITHIN,
            )
        except ValueError as error:
            raise StoreError(f"the store address {address.shown!r} cannot be read: {error}") from None
        self._scripts: dict[str, Script] = {}

    def set_patience(self, seconds: float) -> None:
        """Give up a connection after so many seconds without a word, from the next one on."""
        self._redis.connection_pool.connection_kwargs["socket_timeout"] = seconds
        self._redis.connection_pool.disconnect()

    def run(self, script: str, *words: Any) -> Any:
        """Run a script with the prefix as its first argument; the server is taught it once."""
        return self._call(script, [self._address.prefix, *words])

    def commit(self, commit: ScriptedCommit) -> tuple[int, str] | None:
        """Write all of a commit, or nothing.

        Returns:
            None when it is done; else 1 and the run's version, or 2 and the number of the last audit entry.
        """
        failed = self._call(COMMIT, commit.words())
        return None if failed == 0 else (int(failed[0]), str(failed[1]))

    def _call(self, script: str, words: list[Any]) -> Any:
        known = self._scripts.get(script)
        if known is None:
            known = self._scripts[script] = self._redis.register_script(script)
        return known(args=words)

    def command(self, name: str, key: str, *words: Any) -> Any:
        """Do one command on a key."""
        return self._redis.execute_command(name, self._address.prefix + key, *words)  # type: ignore[no-untyped-call]  # redis-py's

    def close(self) -> None:
        """Let go of the connection."""
        self._redis.close()

    def info(self) -> dict[str, Any] | None:
        """Ask for the server's facts; None where it does not tell this user."""
        try:
            found = self._redis.info(*_INFO)
        except redis.exceptions.NoPermissionError:
            return None
        return {**found}

    def now(self) -> float | None:
        """Ask for the server's time; None where it does not tell this user."""
        try:
            seconds, microseconds = self._redis.time()
        except redis.exceptions.NoPermissionError:
            return None
        return float(seconds) + float(microseconds) / 1_000_000

    def setting(self, name: str) -> str | None:
        """Ask for a setting; None where the server does not tell this user."""
        try:
            found = self._redis.config_get(name)
        except redis.ResponseError:  # forbidden, or unknown under that name, as on managed servers
            return None
        value = found.get(name)
        return None if value is None else str(value)

    def check(self) -> None:
        """Look whether runs are safe on the server, before anything is written to it.

        Raises:
            StoreError: They are not, or a newer Stepgraph has made the store.
        """
        self._check_safety()
        found = self.command("GET", "format")
        if found not in (None, *READABLE):
            raise StoreError(
                f"the store {self._address.shown} was made by a newer Stepgraph (layout {found!r:.20})",
                hint="update Stepgraph, or name another prefix in the address: ?prefix=my-runs:",
            )

    def _check_safety(self) -> None:
        info, url = self.info(), self._address.shown
        if info is None:
            if self._address.promises:
                raise StoreError(
                    f"the store {url} does not tell how safe runs are on it: its user may not ask INFO",
                    hint="allow it on the server: ACL SETUSER name +info" + _LOSES_RUNS,
                )
            return
        _check_kind(info, url)
        if not self._address.promises:
            return
        if "aof_enabled" not in info and self.setting("appendonly") is None:
            raise StoreError(
                f"the store {url} does not tell whether it keeps an append-only file",
                hint="look for appendonly among the settings of its provider" + _LOSES_RUNS,
            )
        if not info.get("aof_enabled", self.setting("appendonly") == "yes"):
            raise StoreError(
                f"the store {url} would lose runs when its server stops: it keeps no append-only file",
                hint="set it on the server: CONFIG SET appendonly yes, then CONFIG REWRITE" + _LOSES_RUNS,
            )
        policy = str(info.get("maxmemory_policy", "noeviction"))
        if policy.startswith("allkeys"):
            raise StoreError(
                f"the store {url} would throw runs away for want of memory: maxmemory-policy is {policy}",
                hint="set it on the server: CONFIG SET maxmemory-policy noeviction, then CONFIG REWRITE"
                + _LOSES_RUNS,
            )

    def about(self) -> dict[str, str]:
        """Tell which server it is, and what a power cut may lose."""
        info = self.info()
        if info is None:
            return {"server": "Redis; its user may not ask INFO", "durability": "not known" + _SEE_PROVIDER}
        if "aof_enabled" not in info:
            kept: str | None = self.setting("appendonly")
        else:
            kept = "yes" if info["aof_enabled"] else "no"
        return {
            "server": f"Redis {info.get('redis_version', 'of an unknown version')}",
            "durability": _durability(kept, self.setting("appendfsync") if kept == "yes" else None),
        }


def _durability(kept: str | None, appendfsync: str | None) -> str:
    """Say what a power cut may lose."""
    if kept is None:
        return "not known" + _SEE_PROVIDER
    if kept == "no":
        return "a power cut, or a crash of the server, loses all since its last snapshot (appendonly no)"
    if appendfsync is None:
        return "it keeps an append-only file; how much a power cut may lose is not known" + _SEE_PROVIDER
    return f"a power cut may lose {_LOST.get(appendfsync, 'what is not known')} (appendfsync {appendfsync})"


def _check_kind(info: dict[str, Any], url: str) -> None:
    """Refuse servers on which the scripts do not run."""
    if info.get("redis_mode") == "cluster":
        raise StoreError(
            f"the store {url} is a part of a Redis Cluster, which keeps a run's keys on several servers",
            hint="name a server without cluster mode; replicas and Sentinel are fine",
        )
    if info.get("redis_mode") == "sentinel":
        raise StoreError(
            f"the store {url} is a Sentinel, which keeps no data", hint="name the primary that it watches"
        )
    version = str(info.get("redis_version", ""))
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers and numbers < OLDEST:
        raise StoreError(
            f"the store {url} is kept by Redis {version}, which is too old",
            hint=f"it needs Redis {OLDEST[0]}.{OLDEST[1]} or newer, or Valkey",
        )
    if info.get("role") == "slave":
        primary = f"{info.get('master_host')}:{info.get('master_port')}"
        raise StoreError(
            f"the store {url} is a replica, which cannot be written", hint=f"name its primary: {primary}"
        )
