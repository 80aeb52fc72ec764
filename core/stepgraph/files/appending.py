"""Adding a table to a TOML file that people write by hand: whatever stands there stays as it is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..toml.text import newline_of
from ..toml.writing import table_texts
from ..values.errors import StepgraphError
from ..values.json_values import Json
from .reader import read_table
from .writer import write_bytes


def append_table(path: Path, name: tuple[str, ...], table: Mapping[str, Json]) -> str:
    """Write a table at the end of a file, which is made where it is missing.

    Args:
        path: The file.
        name: The table's name, by its parts.
        table: What is in it.

    Returns:
        What was written, as it stands there.

    Raises:
        GraphFileError: The file cannot be read or written.
        StepgraphError: The file says the table already, or says it in a way that no header can add to.
    """
    written = "\n".join(table_texts(name, dict(table)))
    before, text = ({}, "") if not path.exists() else _read(path)
    newline = newline_of(text) if text else "\n"
    joint = "" if not text else newline if text.endswith("\n") else 2 * newline
    whole = text + joint + written.replace("\n", newline)
    shown = ".".join(name)
    if _at(before, name) is not None:
        raise StepgraphError(f"{path} has [{shown}] already", hint="change it there, or choose another name")
    try:
        after = tomllib.loads(whole)
    except tomllib.TOMLDecodeError:
        after = {}
    if after != _with(before, name, table):
        raise StepgraphError(
            f"{path}has a layout that [{shown}] cannot be added to; nothing was changed",
            hint="write each model under a header of its own, such as [models.default]",
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, whole.encode())
    return written


def _read(path: Path) -> tuple[Mapping[str, Any], str]:
    table, source = read_table(path)
    return table, source.text


def _at(table: Any, name: tuple[str, ...]) -> Any:
    for part in name:
        if not isinstance(table, Mapping) or part not in table:
            return None
        table = table[part]
    return table


def _with(table: Any, name: tuple[str, ...], value: Mapping[str, Json]) -> dict[str, Any]:
    first, *rest = name
    own = dict(table) if isinstance(table, Mapping) else {}
    return {**own, first: _with(own.get(first), tuple(rest), value) if rest else dict(value)}
