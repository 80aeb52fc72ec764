"""What the tables of a user's settings have in common: names, texts, and how mistakes are reported."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

from .declared import Declared, checked_table, plain_table
from .messages import path_of
from .problems import KeyPath

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

ReportWrong = Callable[[KeyPath, str], None]
"""Takes where something is wrong in the file, and what."""

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
"""What a user may call a table."""
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

D = TypeVar("D", bound=Declared)


class Tables(NamedTuple):
    """Tables of one kind, such as ``[models.ALIAS]``."""

    key: str
    """The key of the table that holds them."""
    one: str
    """What each of them is, in words."""
    such_as: str
    """A sentence with an example of one."""


def read_tables(
    tables: Tables,
    found: object,
    read: Callable[[Mapping[str, Any], KeyPath, ReportWrong], D | None],
    report: ReportWrong,
) -> dict[str, D]:
    """Read all tables of a kind; what is wrong is reported by its place, and its table left out.

    Args:
        tables: Their kind.
        found: What is there.
        read: Reads one; it reports what is wrong, and gives None.
        report: Is told what is wrong.
    """
    if not isinstance(found, Mapping):
        report((tables.key,), tables.such_as)
        return {}
    right = {}
    for name, table in found.items():
        where: KeyPath = (tables.key, name)
        if not NAME.fullmatch(name):
            allowed = "letters, digits, dots, dashes and underscores can"
            report(where, f"{name!r} cannot name {tables.one}: {allowed}")
        elif not isinstance(table, Mapping):
            report(where, f"{tables.one} is a table: [{tables.key}.{name}]")
        elif (settings := read(table, where, report)) is not None:
            right[name] = settings
    return right


def read_table(
    declared: type[D],
    table: Mapping[str, Any],
    where: KeyPath,
    report: ReportWrong,
    wrong: Callable[[str, ErrorDetails], str],
) -> D | None:
    """Read one table; None where something is wrong, which is reported.

    Args:
        declared: Its keys.
        table: The table.
        where: Where it is in the file.
        report: Is told what is wrong.
        wrong: Says what is wrong with a key, by its name; of the table itself where that is empty.
    """
    settings = plain_table(declared, table)
    if settings is not None:
        return settings
    from pydantic import ValidationError

    try:
        return checked_table(declared, table)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            inner = [part for part in detail["loc"] if not str(part).startswith("function-")]
            report((*where, *inner), f"{path_of(where)}: {wrong(path_of(inner), detail)}")
        return None


def address(text: str) -> str:
    """Accept the address of a server.

    Raises:
        ValueError: It is none, or has a key in it.
    """
    refusal = "an address begins with http:// or https:// and names a host"
    try:
        parts = urlsplit(text)
    except ValueError:
        raise ValueError(refusal) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not text.isprintable() or " " in text:
        raise ValueError(refusal)
    if parts.username or parts.password:
        raise ValueError("a key does not belong in an address: name its variable by key_env")
    return text


def variable(text: str) -> str:
    """Accept the name of an environment variable.

    Raises:
        ValueError: It is none; it may be what the variable holds.
    """
    if not _VARIABLE.fullmatch(text):
        raise ValueError("a variable's name has letters, digits and underscores (the name, not its value)")
    return text


def positive(value: float) -> float:
    """Accept a number above 0.

    Raises:
        ValueError: It is not.
    """
    if not (math.isfinite(value) and value > 0):
        raise ValueError("it must be more than 0")
    return value
