"""Values as they stand in graph files: from a text that a person wrote, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomli_w

from stepgraph.files.reader import parsed
from stepgraph.toml.positions import SourceText
from stepgraph.toml.writing import graph_text
from stepgraph.values.errors import GraphFileError


class NotToml(ValueError):
    """A text that is no TOML; the message says what is wrong with it."""


def toml_value(text: str, name: str = "value") -> Any:
    """Read the value that a text is, as it would be behind ``name =`` in a graph file.

    Raises:
        NotToml: It is none, or more than one.
    """
    key = name if toml_key(name) == name else "value"  # messages quote it
    table = _table(f"{key} = {text.strip()}\n")
    if set(table) != {key}:
        raise NotToml("this is more than one value")
    return table[key]


def toml_table(text: str) -> dict[str, Any]:
    """Read the table that lines of ``key = value`` are.

    Raises:
        NotToml: They are none.
    """
    return dict(_table(text))


def toml_text(value: Any) -> str:
    """Write a value as a graph file has it behind ``key =``; only line breaks in it move the cursor."""
    return _safe(graph_text({"x": value}).removeprefix("x = ").removesuffix("\n"))


def toml_lines(table: Mapping[str, Any]) -> str:
    """Write a table as lines of ``key = value``."""
    return "\n".join(f"{toml_key(key)} = {toml_text(value)}" for key, value in table.items())


def toml_key(name: str) -> str:
    """Write a key as a graph file has it: in quotes where it must be."""
    return _safe(tomli_w.dumps({name: 0}).removesuffix(" = 0\n"))


def _safe(text: str) -> str:
    """Write the same TOML with escapes for what could fool a terminal. Only quoted texts have such."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else _escape(ord(char)) for char in text)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _table(text: str) -> Mapping[str, Any]:
    try:
        return parsed(text, SourceText(text, text.encode(errors="replace")), "")
    except GraphFileError as error:
        problem = error.problems[0]
    where = f"line {problem.place.line}: " if problem.place.line and "\n" in text.rstrip("\n") else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    raise NotToml(f"{where}{problem.message}{hint}")
