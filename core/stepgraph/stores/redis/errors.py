"""What the errors of a Redis server mean to a person."""

from __future__ import annotations

import errno
import os
import re

import redis

from ...values.errors import StoreError
from ..encoding import Damaged
from ..outages import Unanswered
from ..refusals import UNCHANGED, damaged

_REFUSED = re.compile(r"Error (-?\d+) ")
_TLS = re.compile(r"\[SSL: [A-Z_]+\] (.+?)(?: \(_ssl|$)")
_COMMAND = re.compile("run the '([a-z |]+)' command")
_RENAMED = re.compile("unknown( redis)? command|invalid command passed", re.IGNORECASE)
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
    said = _WHERE.sub("", str(error))
    if isinstance(error, redis.exceptions.NoPermissionError):
        command = _COMMAND.search(said)
        return (
            f"does not let its user {said if command is None else f'run {command[1].upper()}'}",
            f"{UNCHANGED}; docs/stores.md has the rights that Stepgraph needs",
        )
    if word == "WRONGTYPE":
        return (
            f"has a key of another program under its prefix: {said.removeprefix(word).strip()}",
            f"{UNCHANGED}; take that key away, or name another prefix: ?prefix=my-runs:",
        )
    if "killed by user" in said:
        return "was told by an administrator to stop what it was asked (SCRIPT KILL)", UNCHANGED
    if _RENAMED.match(said):
        return f"lacks a command: {said}", f"{UNCHANGED}; look for rename-command in its settings"
    if word in _BY_WORD:
        return _BY_WORD[word]
    return f"failed: {type(error).__name__}: {said}", "look at the server's log"


def _refused(error: Exception, url: str) -> StoreError:
    said = str(error).lower()
    if "required" in said or "without any password" in said:
        return StoreError(
            f"the store {url} asks for a password"
            if "required" in said
            else f"the store {url} has no password, and the address names one",
            hint="write it in the address: redis://:PASSWORD@host, or redis://USER:PASSWORD@host"
            if "required" in said
            else "leave it out of the address",
        )
    return StoreError(
        f"the store {url} refuses the user or the password",
        hint="check both in the address; write characters such as @ : / as %40 %3A %2F",
    )


def _silence(error: Exception, url: str) -> str:
    """Say why a server does not answer, as far as that can be known."""
    if isinstance(error, redis.BusyLoadingError):
        return "is still reading its data from disk"
    if isinstance(error, (redis.TimeoutError, TimeoutError)):
        return "does not answer in time"
    said = str(error)
    if (tls := _TLS.search(said)) is not None:
        return f"cannot be reached over TLS: {tls[1]}"
    found = _REFUSED.match(said)
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
    if "max number of clients" in said:
        return "has no connection left: it has reached its maxclients"
    return "has cut the connection"
