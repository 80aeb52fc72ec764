"""The address of a store in PostgreSQL, taken apart."""

from __future__ import annotations

import re
from math import nan
from typing import Any, NamedTuple
from urllib.parse import unquote

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from ...stores.opening import without_password
from ...stores.serving import ANSWERS_WITHIN
from ...values.errors import StoreError

SCHEMA = "stepgraph"
"""The schema of the tables, where the address names none."""

_FORM = re.compile(r"postgres(?:ql)?://(?:[^@/?]*@)?[^@/?#]*(?:/[^@/?#]*)?(?:\?[^#]*)?", re.IGNORECASE)
_OURS = re.compile(r"(?<=[?&])(schema|answers_within)=([^&]*)&?")
_PORTS = re.compile(r"[0-9,]*")
_NAME = re.compile(r"[a-z_][a-z0-9_$]{0,62}")

_SHORTEST, _LONGEST = 0.01, 86_400.0  # seconds in which a server may have to answer

_DEFAULTS = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "15000",  # milliseconds: a server that is gone without a word is an outage, too
    "application_name": "stepgraph",
}
"""Options of libpq that the address does not set."""


class PostgresAddress(NamedTuple):
    """Where a store is."""

    shown: str
    """The address without its password."""
    schema: str
    """The schema of its tables."""
    options: dict[str, Any]
    """The options for libpq, including the password."""
    answers_within: float = ANSWERS_WITHIN
    """How long the server may take to answer, in seconds."""

    @property
    def database(self) -> str:
        """The database in words."""
        return str(self.options.get("dbname", "of the user's name"))


def read_address(address: str) -> PostgresAddress:
    """Parse an address; nothing of a password is ever said.

    Raises:
        StoreError: It cannot be read.
    """
    shown = without_password(address) if "://" in address else f"{address.partition(':')[0]}:..."
    if not _FORM.fullmatch(address):
        raise StoreError(
            f"the store address {shown!r} cannot be read",
            hint="write postgresql://user@host:5432/database; in a name or password write"
            " %40 for @, %2F for /, %3A for :, %3F for ? and %23 for #",
        )
    given = {found[1]: unquote(found[2]) for found in _OURS.finditer(address)}
    schema = given.get("schema", SCHEMA)
    if not _NAME.fullmatch(schema) or schema.startswith("pg_"):
        raise StoreError(
            f"the store address {shown!r} names no schema that Stepgraph can use: {schema!r}",
            hint="write small letters, digits and underscores, as in ?schema=stepgraph",
        )
    answers_within = _seconds_to_answer(given.get("answers_within"), shown)
    scheme, _, rest = _OURS.sub("", address).rstrip("?&").partition(":")
    try:
        options = conninfo_to_dict(f"{scheme.lower()}:{rest}")
        if not _PORTS.fullmatch(str(options.get("port", ""))):
            raise ProgrammingError
    except ProgrammingError:  # its message may hold a part of a password
        raise StoreError(
            f"the store address {shown!r} cannot be read",
            hint="check the port, what follows the question mark, and the percent signs (% itself is written"
            " %25)",
        ) from None
    return PostgresAddress(shown, schema, {**_DEFAULTS, **options}, answers_within)


def _seconds_to_answer(given: str | None, shown: str) -> float:
    """Read how long a server may take to answer.

    Args:
        given: What the address says; None where it says nothing of it.
        shown: The address without its password.

    Raises:
        StoreError: That is not a duration.
    """
    if given is None:
        return ANSWERS_WITHIN
    try:
        seconds = float(given)
    except ValueError:
        seconds = nan
    if not _SHORTEST <= seconds <= _LONGEST:
        message = f"the store address {shown!r} has an answers_within of {given!r:.40}, which is no time"
        raise StoreError(message, hint="write seconds, as in ?answers_within=30")
    return seconds
