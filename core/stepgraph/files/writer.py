"""Writing graph files: whole or not at all, and never over somebody else's changes.

The line that names a file's schema, ``#:schema PATH`` as editors that use Taplo read it, is one of the
comments before the first key or table. A path in it is seen from the file's folder, and is part of an
address: what means something there is written as ``%20``.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..conditions import HandlerPredicate
from ..graphs.builder import StateGraph
from ..graphs.parts import OPAQUE, to_document
from ..graphs.plan import CompiledGraph
from ..toml.syntax import SourceText
from ..toml.text import newline_of
from ..toml.values import graph_text, table_texts
from ..values.errors import GraphError, GraphFileError, StateError, StepgraphError
from ..values.json_values import Json, plain
from ..values.problems import Place, Problem
from .atomic import write_atomically
from .reader import parsed, read_table, size_limit


def write_graph(graph: StateGraph, path: Path) -> None:
    """Write the graph as a file, atomically.

    Raises:
        GraphError: It has parts that a file cannot hold, such as Python callables, or parts that could
            not be read and would be lost.
        GraphFileError: The file cannot be written, or changed on disk since the graph was read from it;
            what was there before is unchanged.
    """
    file = str(path)
    source = file_text(graph, file)
    own = graph.source is not None and graph.source.resolve() == path.resolve()
    if own and isinstance(graph.locate, SourceText):
        _check_unchanged(graph.locate, path, file)
    write_bytes(path, source.text.encode())
    if own:
        graph.locate = source


def file_text(graph: StateGraph, file: str) -> SourceText:
    """Write the text of a graph's file, which can be read again.

    Args:
        graph: The graph.
        file: The file's name in problems.

    Raises:
        GraphError: It has parts that a file cannot hold, or parts that could not be read.
        GraphFileError: It is beyond a limit of graph files.
    """
    document = _document(graph)
    _refuse(graph.name, [*_losses(graph, file), *_unfit(document, (), file)])
    text = graph_text(document)
    data = text.encode()
    source = SourceText(text, data)
    problem = size_limit(len(data), file)
    if problem is not None:
        raise GraphFileError(f"{file} was not written", [problem])
    parsed(text, source, file)  # what is beyond a limit could never be read again
    return source


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the content of a graph file, atomically.

    Raises:
        GraphFileError: It cannot be written; what was there before is unchanged.
    """
    try:
        write_atomically(path, data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        place = Place(file=str(path))
        problem = Problem("F010", "error", f"it cannot be written: {reason}", place, "write elsewhere")
        raise GraphFileError(f"{path} was not written", [problem]) from error


def _document(graph: StateGraph | CompiledGraph) -> dict[str, Json]:
    try:
        document = to_document(graph)
        plain(document, "graph")
    except StateError as error:
        raise GraphError(f"graph {graph.name!r} cannot be written as a file: {error}") from None
    return document


def _refuse(name: str, problems: list[Problem]) -> None:
    if problems:
        raise GraphError(f"graph {name!r} cannot be written as a file", problems)


def _losses(graph: StateGraph, file: str) -> Iterator[Problem]:
    """Find Python objects, and what was wrong in the file that the graph came from."""
    for entry in graph.nodes.values():
        if entry.settings is None:
            message = f"node {entry.name!r} is a Python object"
            hint = "declare it by type, such as handler with module:function"
            yield Problem("F012", "error", message, Place(file, node=entry.name), hint)
    for tool in graph.tools.values():
        if tool.tool is not None or tool.handler == OPAQUE:
            hint = "name its handler as module:function"
            place = Place(file, key=f"tools.{tool.name}")
            yield Problem("F012", "error", f"tool {tool.name!r} is a Python object", place, hint)
    for edge in graph.edges:
        if edge.condition.kind == "predicate" and not isinstance(edge.condition, HandlerPredicate):
            message = f"the condition of edge {edge.source!r} -> {edge.target!r} is a Python function"
            hint = "write it as an expression, or name it as module:function"
            yield Problem("F012", "error", message, Place(file, edge=edge.index), hint)
    yield from graph.noted


def _unfit(value: Json, path: tuple[str, ...], file: str) -> Iterator[Problem]:
    """Find nulls: TOML has none."""
    if value is None:
        where = ".".join(path)
        yield Problem(
            "F012", "error", f"{where} is null, and TOML has no null", Place(file, key=where), "leave it out"
        )
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _unfit(item, (*path, key), file)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unfit(item, (*path, str(index)), file)


def _check_unchanged(read: SourceText, path: Path, file: str) -> None:
    try:
        now = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return  # it is gone, so nothing can be lost; or it cannot be read, and writing says why
    if now != read.digest:
        message = "it changed on disk since it was read"
        hint = "read it again, or write to another path"
        raise GraphFileError(
            f"{file} was not written", [Problem("F011", "error", message, Place(file=file), hint)]
        )


def append_table(path: Path, name: tuple[str, ...], table: Mapping[str, Json]) -> str:
    """Write a table at the end of a file, which is made where it is missing.

    Args:
        path: The file.
        name: The table's name, by its parts.
        table: What is in it.

    Returns:
        What was written, as it is there.

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


_WORD, _BLANKS = "#:schema", " \t"


def schema_line(text: str) -> str | None:
    """Find the schema that a file names; None where it names none.

    Args:
        text: The file's text.
    """
    for line in text.splitlines():
        comment = line.strip(_BLANKS)
        if comment and not comment.startswith("#"):
            return None
        named = comment.removeprefix(_WORD)
        if named != comment and named.startswith(tuple(_BLANKS)):
            return named.strip(_BLANKS)
    return None


def with_schema_line(text: str, name: str) -> str:
    """Put the line above everything else.

    Args:
        text: The text of a file that has no such line.
        name: The schema's name beside the file.
    """
    ends = "\r\n" if text.partition("\n")[0].endswith("\r") else "\n"
    return f"#:schema ./{quote(name)}{ends}{text}"
