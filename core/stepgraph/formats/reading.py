"""Graphs that others have written: what kind of text it is, and the graph that is made of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..files.reader import MAX_EDGES, MAX_NODES, decoded, read_bytes, size_limit
from ..values.errors import GraphFileError
from ..values.problems import Place, Problem

if TYPE_CHECKING:
    from ..graphs.builder import StateGraph

MAX_BYTES = 10_000_000
"""How many bytes a file may have that is imported."""
READERS = {
    "flowchart": "Mermaid flowcharts",
    "state_diagram": "Mermaid state diagrams",
    "dot": "DOT",
    "states_language": "Amazon States Language",
    "node_link": "node-link JSON",
}
"""What the modules ``read_<kind>`` read, in the order in which they are asked whether a text is theirs.

Each has ``looks_like(text) -> bool``, which does not raise, and ``read(text, name) -> Imported``.
"""
_KINDS = f"what is read: {', '.join(READERS.values())}"
_FENCE = re.compile(r"^```[ \t]*(mermaid|dot|graphviz|json)[ \t]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_OTHER_MERMAID = re.compile(
    r"\s*(\w+Diagram|gantt|pie|journey|mindmap|gitGraph|timeline|quadrantChart|C4\w+|(?:\w+-beta))\b"
)
_GRAPH_FILE = re.compile(r"^[ \t]*(?:format[ \t]*=[ \t]*\d|\[nodes\.|\[\[edges\]\])", re.MULTILINE)
_XML = re.compile(r"\s*<(?:[?!A-Za-z])")


@dataclass(frozen=True)
class Imported:
    """A graph that was made of what somebody else has written."""

    graph: StateGraph
    kind: str
    """What it was read from, with its article: ``a Mermaid flowchart``."""
    notes: tuple[str, ...] = ()
    """What was mended, made up or left out, a sentence each."""


def refused(code: str, message: str, name: str, line: int | None = None, hint: str = "") -> GraphFileError:
    """Build the error of a text that is not taken.

    Args:
        code: ``F030`` nobody knows what it is, ``F031`` it does not parse, ``F032`` it is beyond a limit,
            ``F033`` it has what no state graph has.
        message: What is wrong.
        name: The file's name.
        line: The line, from 1.
        hint: What to do next.
    """
    problem = Problem(code, "error", message, Place(file=name, line=line), hint)
    return GraphFileError(f"{name} cannot be imported", [problem])


def read_foreign_file(path: Path) -> Imported:
    """Read a graph from a file, whatever kind it is of; see ``read_foreign``.

    Raises:
        GraphFileError: It is missing, unreadable, too large, or none of the kinds that are read.
    """
    file = str(path)
    try:
        data = read_bytes(path, file, MAX_BYTES, "")
    except GraphFileError as error:
        raise GraphFileError(f"{file} cannot be imported", error.problems) from None
    return read_foreign_bytes(data, file)


def read_foreign_bytes(data: bytes, name: str) -> Imported:
    """Read a graph from the bytes of a file; see ``read_foreign``.

    Raises:
        GraphFileError: They are too many, no UTF-8, or none of the kinds that are read.
    """
    problem = size_limit(len(data), name, MAX_BYTES)
    if problem is not None:
        raise GraphFileError(f"{name} cannot be imported", [replace(problem, hint="is this really a graph?")])
    try:
        text = decoded(data, name)
    except GraphFileError as error:
        raise GraphFileError(f"{name} cannot be imported", error.problems) from None
    return read_foreign(text, name)


def read_foreign(text: str, name: str) -> Imported:
    """Read a graph from a text; its kind is recognized by its content. Nothing that it names is imported.

    Args:
        text: The text.
        name: The file's name in problems; a graph that has no name is called after it.

    Raises:
        GraphFileError: It is none of the kinds that are read, or not a right one.
    """
    text = _unfenced(text.replace("\r\n", "\n").replace("\r", "\n"), name)
    for kind in READERS:
        reader: Any = import_module(f"..extras.diagrams.read_{kind}", __package__)
        if reader.looks_like(text):
            imported = cast("Imported", reader.read(text, name))
            _refuse_wrong(imported.graph, name)
            return imported
    raise _unknown(text, name)


def refuse_too_many(nodes: int, edges: int, name: str) -> None:
    """Refuse a graph that is larger than a graph file may be.

    Raises:
        GraphFileError: It is larger.
    """
    for count, noun, most in ((nodes, "nodes", MAX_NODES), (edges, "edges", MAX_EDGES)):
        if count > most:
            message = f"it has {count:,} {noun}; a graph may have at most {most:,}"
            raise refused("F032", message, name, None, "take a part of it")


def graph_name(name: str) -> str:
    """Name a graph after the file that it came from."""
    stem = Path(name).name.partition(".")[0].strip()
    return "".join(char for char in stem if char.isprintable()) or "imported"


def _unfenced(text: str, name: str) -> str:
    """Extract the diagram from a page in Markdown, its lines where they were; JSON where there is no diagram.

    Raises:
        GraphFileError: There are several.
    """
    fences = list(_FENCE.finditer(text)) if "```" in text else []
    fences = [each for each in fences if each[1] != "json"] or fences
    if not fences:
        return text
    if len(fences) > 1:
        line = text.count("\n", 0, fences[1].start()) + 1
        hint = "put the one that you mean into a file of its own"
        raise refused("F030", f"this page has {len(fences):,} diagrams", name, line, hint)
    return "\n" * text.count("\n", 0, fences[0].start(2)) + fences[0][2]


def _refuse_wrong(graph: StateGraph, name: str) -> None:
    """Refuse a graph that could not run."""
    from ..graphs.validation import check

    refuse_too_many(len(graph.nodes), len(graph.edges), name)
    problems = [
        replace(problem, place=replace(problem.place, file=name, line=None))
        for problem in check(graph)
        if problem.is_error
    ]
    if problems:
        raise GraphFileError(f"{name} cannot be imported", problems)


def _unknown(text: str, name: str) -> GraphFileError:
    """Find what a text is that is not read, as far as that can be seen."""
    if not text.strip():
        return refused("F030", "it is empty", name, None, _KINDS)
    line = text[: len(text) - len(text.lstrip())].count("\n") + 1
    if _XML.match(text):
        hint = "XML is never parsed; write the graph as node-link JSON (networkx.node_link_data) or as DOT"
        return refused("F030", "it is XML, which is not read", name, line, hint)
    if _GRAPH_FILE.search(text):
        hint = f"it need not be imported: stepgraph check {name}"
        return refused("F030", "it is a graph file already", name, line, hint)
    other = _OTHER_MERMAID.match(text)
    if other is not None:
        message = f"of Mermaid's diagrams flowcharts and state diagrams are read, and this is {other[1]}"
        return refused("F033", message, name, line, "draw it as a flowchart")
    return refused("F030", "this format is unknown", name, line, _KINDS)
