"""The servers of tools in a user's settings: the tables ``[mcp.NAME]``, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from ...values.declared import Converted, Declared, field, keys_of
from ...values.messages import expectation
from ...values.problems import KeyPath, did_you_mean
from ...values.user_settings import (
    ReportWrong,
    Tables,
    address,
    positive,
    read_table,
    read_tables,
    variable,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_TABLES = Tables(
    "mcp",
    "a server of tools",
    'servers of tools are tables: [mcp.files], with command = ["program", "argument"]',
)


def _words(words: list[str]) -> list[str]:
    if not words or not words[0] or any("\0" in word for word in words):
        raise ValueError('a command is a list of words that begins with a program: ["npx", "server"]')
    return words


def _variables(names: list[str]) -> list[str]:
    return [variable(name) for name in names]


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
    url: Annotated[str, Converted(address)] | None = field(
        None, description="Or the address of a server that runs already (streamable HTTP)."
    )
    env: Annotated[list[str], Converted(_variables)] = field(
        default_factory=list, description="The environment variables that are passed on to the program."
    )
    folder: str | None = field(None, description="The folder that the program starts in.")
    key_env: Annotated[str, Converted(variable)] | None = field(
        None, description="The environment variable that holds the key of the address."
    )
    timeout: Annotated[float, Converted(positive)] = field(
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


def read_servers(tables: object, report: ReportWrong) -> dict[str, McpSettings]:
    """Read the tables of servers; what is wrong is reported by its place, and its server left out."""
    return read_tables(_TABLES, tables, _server, report)


def _server(table: Mapping[str, Any], where: KeyPath, report: ReportWrong) -> McpSettings | None:
    return read_table(McpSettings, table, where, report, _wrong)


def _wrong(name: str, detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        return f"there is no setting {name!r} ({did_you_mean(name, keys_of(McpSettings), listing='it has')})"
    if detail["type"] == "value_error":  # what stands there may be a key: it is not shown
        said = detail["msg"].removeprefix("Value error, ")
        return f"{name} is not right: {said}" if name else said
    return f"{name} {expectation(detail)}"
