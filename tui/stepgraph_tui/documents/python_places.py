"""Where a Python module says what of a graph, as far as that can be read without importing it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from stepgraph.files.graph_refs import names_of_graphs
from stepgraph.files.sources import MAX_SOURCE
from stepgraph.files.written_predicates import calls_of, edge_calls, parsed, words_of
from stepgraph.values.errors import GraphFileError

from .content import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from stepgraph.editing import Design
    from stepgraph.nodes.source_lines import SourceLines
    from stepgraph.values.problems import KeyPath

_NODES = frozenset({"add_node", "declare_node"})


def graph_names(text: str) -> list[str]:
    """List the names at the top of a module that may be graphs: what is assigned, and functions, in order.

    Those that surely are come first, the last of them before the others: it is what became of them.
    Names that begin with an underscore, imports and classes are left out. A text that is not Python has none.
    """
    module = parsed(text)
    made = reversed(names_of_graphs(module))
    found = (name for statement in module.body for name in _named_by(statement))
    return [name for name in dict.fromkeys((*made, *found)) if not name.startswith("_")]


def place_in_code(
    path: KeyPath,
    design: Design,
    sources: Mapping[str | int, SourceLines],
    file: Path | None,
    name: str | None,
) -> tuple[Path | None, int | None]:
    """Find where a part of a graph is written: a node's function, or the call that adds it.

    Args:
        path: Where the part stands in the document of the graph.
        design: The graph.
        sources: The lines of the functions: of nodes by their names, of predicates by the edges' positions.
        file: The module; the file of the first function when None.
        name: What the graph is called in it.

    Returns:
        The file and the line; None for what cannot be told.
    """
    lines = sources.get(path[1]) if len(path) > 1 else None
    if lines is not None and path[0] == "nodes":
        return lines.file, lines.first
    own = file if file is not None else next((each.file for each in sources.values()), None)
    text = _text(own)
    said = None
    match path:
        case ("nodes", str(node)):
            said = line_of_node(text, node)
        case ("edges", int(position)) if position < len(design.edges):
            ends = design.edges[position].source, design.edges[position].target
            alike = sum((each.source, each.target) == ends for each in design.edges[:position])
            said = line_of_edge(text, *ends, alike)
    if said is None and lines is not None:
        return lines.file, lines.first
    return own, said or (line_of_name(text, name) if name is not None else None)


def _text(file: Path | None) -> str:
    """Read the text of a module as it is now; empty where it cannot be read."""
    try:
        return text_of(file, MAX_SOURCE) if file is not None else ""
    except GraphFileError:
        return ""


def line_of_name(text: str, name: str) -> int | None:
    """Find the line in which a module gives something a name for the first time."""
    return next((each.lineno for each in parsed(text).body if name in _named_by(each)), None)


def _named_by(statement: ast.stmt) -> list[str]:
    """List the names that an assignment or a function gives; none of anything else."""
    match statement:
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.FunctionDef(name=name):
            return [name]
    return []


def line_of_node(text: str, node: str) -> int | None:
    """Find the line of the call that adds a node, where it writes the name out."""
    return next(
        (call.lineno for call in calls_of(parsed(text), _NODES) if words_of(call)[:1] == [node]), None
    )


def line_of_edge(text: str, source: str, target: str, at: int) -> int | None:
    """Find the line of the call that adds an edge, where it names both ends.

    Args:
        text: The module.
        source: The node that the edge leaves.
        target: Where it leads.
        at: Which of the edges between these two it is, from 0.
    """
    lines = [call.lineno for call in edge_calls(parsed(text), source, target)]
    return lines[at] if at < len(lines) else None
