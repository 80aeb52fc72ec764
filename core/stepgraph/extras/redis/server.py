"""The connection to a Redis server: scripts are run on it, and what the server promises is looked at."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, urlsplit

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from ...stores.encoding import Damaged
from ...stores.opening import UNCHANGED, damaged, without_password
from ...stores.serving import ANSWERS_WITHIN, Unanswered
from ...values.errors import StoreError
from ...values.problems import did_you_mean
from .texts import READABLE

PREFIX = "stepgraph:"
"""What the keys begin with where the address does not say it."""

_OURS = ("prefix", "durability")
_THEIRS = (
    "db",
    "socket_timeout",
    "socket_connect_timeout",
    "ssl_ca_certs",
    "ssl_ca_path",
    "ssl_certfile",
    "ssl_keyfile",
    "ssl_password",
    "ssl_cert_reqs",
    "ssl_check_hostname",
)
_FORM = "write redis://[user:password@]host[:port][/db][?prefix=...], rediss://... or unix:///path/to/socket"


@dataclass(frozen=True, slots=True)
class RedisAddress:
    """What an address says."""

    shown: str
    """The address without a password."""
    server: str
    """The address as redis-py reads it."""
    prefix: str
    promises: bool
    """False where it says that runs may be lost: ``durability=none``."""


def read_address(address: str) -> RedisAddress:
    """Parse an address.

    Raises:
        StoreError: It is none, or has unknown parts.
    """
    shown = without_password(address)
    try:
        parts = urlsplit(address.strip())
        _ = parts.port
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError as error:
        raise StoreError(
            f"the store address {shown!r} cannot be read: {_reason(error)}", hint=_FORM
        ) from None
    for name in options:
        if name not in _OURS + _THEIRS:
            hint = did_you_mean(name, _OURS + _THEIRS, listing="there are")
            raise StoreError(f"the store address {shown!r} has an unknown setting {name!r:.40}", hint=hint)
    if parts.fragment or (parts.scheme == "unix" and not parts.path.strip("/")):
        raise StoreError(f"the store address {shown!r} names no server", hint=_FORM)
    if options.get("durability", "none") != "none":
        hint = "write durability=none, or leave it out"
        raise StoreError(f"the store address {shown!r} has an unknown durability", hint=hint)
    _check_database(shown, parts.scheme, parts.path, options.get("db"))
    rest = "&".join(f"{name}={quote(value)}" for name, value in options.items() if name in _THEIRS)
    server = f"{parts.scheme}://{parts.netloc}{parts.path}{'?' if rest else ''}{rest}"
    return RedisAddress(shown, server, options.get("prefix", PREFIX), "durability" not in options)


def _check_database(shown: str, scheme: str, path: str, named: str | None) -> None:
    """Refuse what redis-py would take for database 0."""
    number = named if named is not None else "" if scheme == "unix" else path.strip("/")
    if number and not (number.isascii() and number.isdigit()):
        hint = "a Redis database has a number, 0 where none is named: redis://host/0"
        raise StoreError(f"the store address {shown!r} names no database", hint=hint)


def _reason(error: ValueError) -> str:
    """Return what is wrong without a part of the address, which may be of the password."""
    return "its port is not a number up to 65535" if "port" in str(error).lower() else "it is not a URL"


OLDEST = (7, 0)
"""The oldest version of Redis that this was tried with."""

_CONNECTS_WITHIN = 5.0
"""How long a connection may take to be made, in seconds, where the address does not say it."""

_Ask: TypeAlias = Callable[..., Any]

_INFO = ("server", "memory", "persistence", "replication")
_LOST = {
    "always": "nothing that was acknowledged",
    "everysec": "up to about the last second",
    "no": "what the system has not written yet, up to about the last 30 seconds",
}
_SEE_PROVIDER = ": look for appendonly and appendfsync among the settings of its provider"
_LOSES_RUNS = "; where runs may be lost, say so: add durability=none to the address"


class RedisServer:
    """One connection, which is made again when it was cut; nothing is repeated without our knowing.

    Each connection has its server looked at before anything else is asked: it may be another server by then,
    or the same one without what made runs safe on it.

    Args:
        address: Where it is.
    """

    def __init__(self, address: RedisAddress) -> None:
        self._address = address
        self.prefix = address.prefix
        try:
            pool = redis.ConnectionPool.from_url(
                address.server,
                decode_responses=True,
                protocol=2,
                retry=Retry(NoBackoff(), 0),
                socket_connect_timeout=_CONNECTS_WITHIN,
                socket_timeout=ANSWERS_WITHIN,
            )
        except ValueError as error:
            raise StoreError(f"the store address {address.shown!r} cannot be read: {error}") from None
        self._make: Callable[..., Any] = pool.connection_class  # redis-py's methods have no types
        self._options = pool.connection_kwargs
        self._connection: Any = None
        self._stale = False  # whether the answer to something else may come on it

    def set_patience(self, seconds: float) -> None:
        """Set the seconds of silence after which a connection is given up, from the next command on."""
        self._options["socket_timeout"] = seconds
        self._stale = True

    def run(self, script: str, *words: Any) -> Any:
        """Run a script with the prefix as its first argument; the server is taught it once."""
        named = ("EVALSHA", _sha(script), 0, self.prefix, *words)
        try:
            return self._ask(*named)
        except redis.exceptions.NoScriptError:
            self._ask("SCRIPT", "LOAD", script)
            return self._ask(*named)

    def command(self, name: str, key: str, *words: Any) -> Any:
        """Run one command on a key."""
        named = self._address.prefix + key
        try:
            return self._ask(name, named, *words)
        except redis.ResponseError as error:
            if str(error).startswith("WRONGTYPE"):
                raise redis.ResponseError(f"WRONGTYPE {named} is a {self._ask('TYPE', named)}") from error
            if name == "INCR" and ("increment" in str(error) or "not an integer" in str(error)):
                raise redis.ResponseError(f"WRONGTYPE {named} is not a counter") from error
            raise

    def now(self) -> float | None:
        """Read the server's clock; None without the right to."""
        try:
            seconds, microseconds = self._ask("TIME")
        except redis.exceptions.NoPermissionError:
            return None
        return float(seconds) + float(microseconds) / 1_000_000

    def connect(self) -> None:
        """Connect, and check that runs are safe on this server.

        Raises:
            StoreError: They are not, or a newer Stepgraph has made the store.
        """
        self.close()
        made = self._make(**self._options)
        try:
            made.connect()
            _check(partial(_answer, made), self._address)
        except BaseException:
            made.disconnect()
            raise
        self._connection, self._stale = made, False

    def close(self) -> None:
        """Close the connection; a forked process leaves its parent's as it is."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.disconnect()

    def _ask(self, *words: Any) -> Any:
        """Send a command and read its answer.

        Whatever comes between the two (a cut, a Ctrl-C) leaves the answer on its way: it would be taken for
        that of the next command, so that one begins with another connection.
        """
        if self._connection is None or self._stale:
            self.connect()
        self._stale = True
        try:
            answer = _answer(self._connection, *words)
        except redis.ResponseError:
            self._stale = False
            raise
        self._stale = False
        return answer

    def about(self) -> dict[str, str]:
        """Describe which server it is, and what a power cut may lose."""
        info = _info(self._ask)
        if info is None:
            return {"server": "Redis; its user may not ask INFO", "durability": "not known" + _SEE_PROVIDER}
        kept = _keeps_file(self._ask, info)
        return {
            "server": f"Redis {info.get('redis_version', 'of an unknown version')}",
            "durability": _durability(kept, _setting(self._ask, "appendfsync") if kept else None),
        }


def _answer(connection: Any, *words: Any) -> Any:
    connection.send_command(*words)
    return connection.read_response()


@cache
def _sha(script: str) -> str:
    return hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()


# What a server says of itself


def _info(ask: _Ask) -> dict[str, str] | None:
    """Ask for the server's facts; None where it does not tell this user."""
    try:
        info: str = ask("INFO", *_INFO)
    except redis.exceptions.NoPermissionError:
        return None
    facts = (line.partition(":") for line in info.splitlines())
    return {name: value for name, _, value in facts}


def _setting(ask: _Ask, name: str) -> str | None:
    """Ask for a setting; None where the server does not tell this user."""
    try:
        found: list[str] = ask("CONFIG", "GET", name)
    except redis.ResponseError:  # forbidden, or unknown under that name, as on managed servers
        return None
    return dict(zip(found[::2], found[1::2], strict=False)).get(name)


def _keeps_file(ask: _Ask, info: dict[str, str]) -> bool | None:
    """Return whether the server keeps an append-only file; None where it does not say so."""
    kept = info.get("aof_enabled") or _setting(ask, "appendonly")
    return None if kept is None else kept in ("1", "yes")


def _check(ask: _Ask, address: RedisAddress) -> None:
    """Check whether runs are safe on the server, before anything is written to it.

    Raises:
        StoreError: They are not, or a newer Stepgraph has made the store.
    """
    _check_safety(ask, address)
    found = ask("GET", address.prefix + "format")
    if found not in (None, *READABLE):
        raise StoreError(
            f"the store {address.shown} was made by a newer Stepgraph (layout {found!r:.20})",
            hint="update Stepgraph, or name another prefix in the address: ?prefix=my-runs:",
        )


def _check_safety(ask: _Ask, address: RedisAddress) -> None:
    info, url = _info(ask), address.shown
    if info is None:
        if address.promises:
            raise StoreError(
                f"the store {url} does not say how safe runs are on it: its user may not ask INFO",
                hint="allow it on the server: ACL SETUSER name +info" + _LOSES_RUNS,
            )
        return
    _check_kind(info, url)
    if not address.promises:
        return
    if info.get("loading") == "1":  # meanwhile it says that it keeps no append-only file
        raise redis.BusyLoadingError(f"{url} reads its data from disk")
    kept = _keeps_file(ask, info)
    if kept is None:
        raise StoreError(
            f"the store {url} does not say whether it keeps an append-only file",
            hint="look for appendonly among the settings of its provider" + _LOSES_RUNS,
        )
    if not kept:
        raise StoreError(
            f"the store {url} would lose runs when its server stops: it keeps no append-only file",
            hint="set it on the server: CONFIG SET appendonly yes, then CONFIG REWRITE" + _LOSES_RUNS,
        )
    policy = info.get("maxmemory_policy", "noeviction")
    if policy.startswith("allkeys"):
        raise StoreError(
            f"the store {url} would evict runs when its memory is full: maxmemory-policy is {policy}",
            hint="set it on the server: CONFIG SET maxmemory-policy noeviction, then CONFIG REWRITE"
            + _LOSES_RUNS,
        )


def _durability(kept: bool | None, appendfsync: str | None) -> str:
    """Describe what a power cut may lose."""
    if kept is None:
        return "not known" + _SEE_PROVIDER
    if not kept:
        return "a power cut, or a crash of the server, loses all since its last snapshot (appendonly no)"
    if appendfsync is None:
        return "it keeps an append-only file; how much a power cut may lose is not known" + _SEE_PROVIDER
    return f"a power cut may lose {_LOST.get(appendfsync, 'what is not known')} (appendfsync {appendfsync})"


def _check_kind(info: dict[str, str], url: str) -> None:
    """Refuse servers on which the scripts do not run."""
    if info.get("redis_mode") == "cluster":
        raise StoreError(
            f"the store {url} is a part of a Redis Cluster, which keeps a run's keys on several servers",
            hint="name a server without cluster mode",
        )
    if info.get("redis_mode") == "sentinel":
        raise StoreError(
            f"the store {url} is a Sentinel, which keeps no data", hint="name the primary that it watches"
        )
    version = info.get("redis_version", "")
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


_REFUSED = re.compile(r"Error (-?\d+) ")
_TLS = re.compile(r"\[SSL: [A-Z_]+\] (.+?)(?: \(_ssl|$)")
_COMMAND = re.compile("run the '([a-z |]+)' command")
_RENAMED = re.compile("unknown( redis)? command|invalid command passed", re.IGNORECASE)
_NO_RIGHT = "ACL failure in script"  # what Redis 8 says instead of NOPERM
_WHERE = re.compile(r" script: [0-9a-f]{40}, on @user_script:\d+\.$")
_BY_WORD = {
    "MISCONF": (
        "cannot write to its own disk, and takes no more writes",
        f"{UNCHANGED}; free some space there, and look at the server's log",
    ),
    "NOREPLICAS": (
        "takes no writes: too few of its replicas are there (min-replicas-to-write)",
        f"{UNCHANGED}; bring them back, or ask for fewer",
    ),
}
_CLUSTER = (redis.exceptions.AskError, redis.exceptions.ClusterDownError)


def translated(error: Exception, url: str) -> StoreError | Unanswered:
    """Turn an error of redis-py, or of decoding what it read, into one of ours.

    Args:
        error: What was raised.
        url: The store's address, without a password.

    Returns:
        Unanswered where the same may succeed once the server is back.
    """
    if isinstance(error, (Damaged, UnicodeDecodeError)):
        what = error if isinstance(error, Damaged) else "it has a text that is not Unicode"
        return damaged(url, what)
    if isinstance(error, UnicodeError):
        return StoreError(f"a text is not Unicode: {error}", hint="remove its lone surrogates")
    if isinstance(error, (redis.AuthenticationError, redis.exceptions.AuthorizationError)):
        return _refused(error, url)
    if isinstance(error, (redis.ConnectionError, redis.TimeoutError, OSError)):
        return Unanswered(_silence(error, url))
    if isinstance(error, redis.exceptions.MasterDownError):
        return Unanswered("has lost its primary")
    word = str(error).partition(" ")[0]
    if word == "BUSY":
        return Unanswered("is busy with a script of somebody else")
    what, hint = _words(error, word)
    return StoreError(f"the store {url} {what}", hint=hint)


def _right(reason: str) -> str:
    """Name the right that a user lacks, out of the server's words."""
    if command := _COMMAND.search(reason):
        return f"run {command[1].upper()}"
    return "use all keys of its prefix" if "to access" in reason else reason


def _words(error: Exception, word: str) -> tuple[str, str]:
    if isinstance(error, redis.exceptions.OutOfMemoryError):
        return (
            "has no memory left: it has reached its maxmemory",
            f"{UNCHANGED}; raise maxmemory on the server, or delete runs that nobody needs",
        )
    if isinstance(error, redis.ReadOnlyError):
        return (
            "has become a replica, which cannot be written",
            f"{UNCHANGED}; name the primary in the address",
        )
    if isinstance(error, _CLUSTER):
        return "is a part of a Redis Cluster", "name a server without cluster mode"
    reason = _WHERE.sub("", str(error))
    if isinstance(error, redis.exceptions.NoPermissionError) or reason.startswith(_NO_RIGHT):
        return (
            f"does not let its user {_right(reason)}",
            f"{UNCHANGED}; docs/stores.md has the rights that Stepgraph needs",
        )
    if word == "WRONGTYPE":
        return (
            f"has a key of another program under its prefix: {reason.removeprefix(word).strip()}",
            f"{UNCHANGED}; take that key away, or name another prefix: ?prefix=my-runs:",
        )
    if "killed by user" in reason:
        return "stopped what it was asked on an administrator's request (SCRIPT KILL)", UNCHANGED
    if _RENAMED.match(reason):
        return f"lacks a command: {reason}", f"{UNCHANGED}; look for rename-command in its settings"
    if word in _BY_WORD:
        return _BY_WORD[word]
    return f"failed: {type(error).__name__}: {reason}", "look at the server's log"


def _refused(error: Exception, url: str) -> StoreError:
    reason = str(error).lower()
    if "required" in reason or "without any password" in reason:
        return StoreError(
            f"the store {url} asks for a password"
            if "required" in reason
            else f"the store {url} has no password, and the address names one",
            hint="write it in the address: redis://:PASSWORD@host, or redis://USER:PASSWORD@host"
            if "required" in reason
            else "leave it out of the address",
        )
    return StoreError(
        f"the store {url} refuses the user or the password",
        hint="check both in the address; write characters such as @ : / as %40 %3A %2F",
    )


def _silence(error: Exception, url: str) -> str:
    """Explain why a server does not answer, as far as that can be known."""
    if isinstance(error, redis.BusyLoadingError):
        return "is still reading its data from disk"
    if isinstance(error, (redis.TimeoutError, TimeoutError)):
        return "does not answer in time"
    reason = str(error)
    if (tls := _TLS.search(reason)) is not None:
        return f"cannot be reached over TLS: {tls[1]}"
    found = _REFUSED.match(reason)
    number = int(found[1]) if found is not None else getattr(error, "errno", None) or 0
    if number == errno.ENOENT:
        socket = url.startswith("unix:")
        return (
            f"cannot be reached: {'there is no such socket' if socket else 'a file that it names is missing'}"
        )
    if number > 1 and number in errno.errorcode:
        return f"cannot be reached: {os.strerror(number).lower()}"
    if number < 0:
        return "cannot be reached: the name of its host is not known"
    if "max number of clients" in reason:
        return "has no connection left: it has reached its maxclients"
    return "has cut the connection"
