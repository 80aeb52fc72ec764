"""The servers of tools in a user's settings: the tables ``[mcp.NAME]``, read and checked."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from ...values.declared import Converted, Declared, checked_table, field, keys_of, plain_table
from ...values.messages import expectation, path_of
from ...values.problems import KeyPath, did_you_mean

ReportWrong = Callable[[KeyPath, str], None]
"""Takes where something is wrong in the file, and what."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _words(words: list[str]) -> list[str]:
    if not words or not words[0] or any("\0" in word for word in words):
        raise ValueError('a command is a list of words that begins with a program: ["npx", "server"]')
    return words


def _url(text: str) -> str:
    refusal = "an address begins with http:// or https:// and names a host"
    try:
        parts = urlsplit(text)
    except ValueError:
        raise ValueError(refusal) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not text.isprintable() or " " in text:
        raise ValueError(refusal)
    if parts.username or parts.password:
        raise ValueError("a key does not belong into an address: name its variable by key_env")
    return text


def _variable(text: str) -> str:
    if not _VARIABLE.fullmatch(text):
        raise ValueError("a variable's name has letters, digits and underscores (the name, not its value)")
    return text


def _variables(names: list[str]) -> list[str]:
    return [_variable(name) for name in names]


def _positive(value: float) -> float:
    if not (math.isfinite(value) and value > 0):
        raise ValueError("it must be more than 0")
    return value


def _approval(value: Any) -> bool | list[str]:
    if isinstance(value, bool):
        return value
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return value
    raise ValueError('it takes true, false, or the names of tools: ["write"]')


class McpSettings(Declared):
    """What a user says of one server of tools."""

    command: Annotated[list[str], Converted(_words)] | None = field(
        None, description="The program to start, and its arguments: it speaks over its input and output."
    )
    url: Annotated[str, Converted(_url)] | None = field(
        None, description="Or the address of a server that runs already (streamable HTTP)."
    )
    env: Annotated[list[str], Converted(_variables)] = field(
        default_factory=list, description="The environment variables that are passed on to the program."
    )
    folder: str | None = field(None, description="The folder that the program starts in.")
    key_env: Annotated[str, Converted(_variable)] | None = field(
        None, description="The environment variable that holds the key of the address."
    )
    timeout: Annotated[float, Converted(_positive)] = field(
        60.0, description="How many seconds the server may take to start, and for each answer."
    )
    requires_approval: Annotated[Any, Converted(_approval)] = field(
        False, description="Whether a person must agree to each call: to all, or to those of certain tools."
    )

    def _check(self) -> None:
        if (self.command is None) == (self.url is None):
            raise ValueError('a server has either command = ["program", "argument"] or url = "http://..."')
        if self.url is not None and (self.env or self.folder):
            raise ValueError("env and folder are for a program that is started by command")
        if self.command is not None and self.key_env:
            raise ValueError("key_env is for an address; what a program needs is passed on by env")


def read_servers(table: object, report: ReportWrong) -> dict[str, McpSettings]:
    """Read the tables of servers; what is wrong is reported by its place, and its server left out."""
    if not isinstance(table, Mapping):
        report(("mcp",), 'servers of tools are tables: [mcp.files], with command = ["program", "argument"]')
        return {}
    found = {}
    for name, settings in table.items():
        where: KeyPath = ("mcp", name)
        if not _NAME.fullmatch(name):
            said = "letters, digits, dots, dashes and underscores can"
            report(where, f"{name!r} cannot name a server of tools: {said}")
        elif not isinstance(settings, Mapping):
            report(where, f"a server of tools is a table: [mcp.{name}]")
        elif (server := _server(settings, where, report)) is not None:
            found[name] = server
    return found


def _server(table: Mapping[str, Any], where: KeyPath, report: ReportWrong) -> McpSettings | None:
    server = plain_table(McpSettings, table)
    if server is not None:
        return server
    from pydantic import ValidationError

    try:
        return checked_table(McpSettings, table)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            loc = [part for part in detail["loc"] if "function-" not in str(part)]
            report((*where, *loc), f"{path_of(where)}: {_wrong(path_of(loc), detail)}")
        return None


def _wrong(name: str, detail: Any) -> str:
    if detail["type"] == "extra_forbidden":
        return f"there is no setting {name!r} ({did_you_mean(name, keys_of(McpSettings), listing='it has')})"
    if detail["type"] == "value_error":  # what stands there may be a key: it is not shown
        said = detail["msg"].removeprefix("Value error, ")
        return f"{name} is not right: {said}" if name else said
    return f"{name} {expectation(detail)}"
