"""The address of a Redis server, and what Stepgraph wants to know beside it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, urlsplit

from ...values.errors import StoreError
from ...values.problems import did_you_mean
from ..addresses import without_password

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
    """Take an address apart.

    Raises:
        StoreError: It is none, or says what nobody understands.
    """
    shown = without_password(address)
    try:
        parts = urlsplit(address.strip())
        _ = parts.port
        said = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
    except ValueError as error:
        raise StoreError(
            f"the store address {shown!r} cannot be read: {_reason(error)}", hint=_FORM
        ) from None
    for name in said:
        if name not in _OURS + _THEIRS:
            hint = did_you_mean(name, _OURS + _THEIRS, listing="there are")
            raise StoreError(f"the store address {shown!r} has an unknown setting {name!r:.40}", hint=hint)
    if parts.fragment or (parts.scheme == "unix" and not parts.path.strip("/")):
        raise StoreError(f"the store address {shown!r} names no server", hint=_FORM)
    if said.get("durability", "none") != "none":
        hint = "write durability=none, or leave it out"
        raise StoreError(f"the store address {shown!r} has an unknown durability", hint=hint)
    _check_database(shown, parts.scheme, parts.path, said.get("db"))
    rest = "&".join(f"{name}={quote(value)}" for name, value in said.items() if name in _THEIRS)
    server = f"{parts.scheme}://{parts.netloc}{parts.path}{'?' if rest else ''}{rest}"
    return RedisAddress(shown, server, said.get("prefix", PREFIX), "durability" not in said)


def _check_database(shown: str, scheme: str, path: str, named: str | None) -> None:
    """Refuse what redis-py would take for database 0."""
    number = named if named is not None else "" if scheme == "unix" else path.strip("/")
    if number and not (number.isascii() and number.isdigit()):
        hint = "a Redis database has a number, 0 where none is named: redis://host/0"
        raise StoreError(f"the store address {shown!r} names no database", hint=hint)


def _reason(error: ValueError) -> str:
    """Give what is wrong without a part of the address, which may be of the password."""
    return "its port is not a number up to 65535" if "port" in str(error).lower() else "it is not a URL"
