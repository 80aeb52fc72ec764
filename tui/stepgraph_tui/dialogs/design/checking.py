"""Finding what is wrong with one part of a graph by itself, whatever the rest is like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from stepgraph.documents.loader import from_document
from stepgraph.documents.notes import Notes
from stepgraph.documents.parts import terms_of
from stepgraph.documents.schema import COMMON, NodePart
from stepgraph.editing import Design
from stepgraph.graphs.parts import NodeEntry
from stepgraph.graphs.validation import check
from stepgraph.graphs.validation.checked_graph import CheckedGraph
from stepgraph.graphs.validation.nodes import check_tools
from stepgraph.graphs.validation.report import Report
from stepgraph.graphs.validation.settings import check_keys, check_settings
from stepgraph.graphs.validation.terms import check_terms
from stepgraph.values.problems import did_you_mean
from stepgraph_tui.text.plain import with_arrows

if TYPE_CHECKING:
    from stepgraph.graphs.builder import StateGraph
    from stepgraph.tools.known import KnownTools
    from stepgraph.values.problems import Problem

_NO_EDGE, _NO_NODES, _NO_SUCH_NODE = "G014", "G002", "G020"
_OF_ARGUMENTS = ("G110", "G111", "G112")
_FRAME: dict[str, Any] = {"format": 1, "name": "form"}


def node_problems(
    design: Design, name: str, table: Mapping[str, Any], tools: KnownTools | None = None
) -> list[Problem]:
    """Find the errors of a node, with the keys and tools of its graph but without its edges.

    Of warnings there are those about the arguments of tools: the rest needs the whole graph.
    """
    document = _FRAME | {
        "start": name,
        **{key: design.head[key] for key in ("review", "reviews") if key in design.head},
        "state": {key: part.table for key, part in design.keys.items()},
        "tools": {tool: part.table for tool, part in design.tools.items()},
        "nodes": {name: table},
    }
    found = []
    for problem in check(from_document(document, opaque=False), tools=tools):
        told = problem.is_error or problem.code in _OF_ARGUMENTS
        if not told or problem.place.node != name or problem.code == _NO_EDGE:
            continue
        if problem.code == _NO_SUCH_NODE:
            if problem.about in design.nodes:
                continue
            problem = replace(problem, hint=did_you_mean(problem.about, design.nodes))
        found.append(problem)
    return found


def head_problems(design: Design, head: Mapping[str, Any]) -> list[Problem]:
    """Find what is wrong with the settings of a graph."""
    tables = ("state", "tools", "nodes", "edges")
    graph = from_document({key: value for key, value in head.items() if key not in tables}, opaque=False)
    for name, part in design.nodes.items():
        common = {key: value for key, value in part.table.items() if key in COMMON}
        own = terms_of(Notes(None, None).checked(NodePart, common, (), ""))
        graph.add_entry(NodeEntry(name, None, terms=own))

    def look(checked: CheckedGraph, report: Report) -> None:
        check_settings(checked, report)
        check_terms(checked, report)

    found = _found(graph, look)
    return [each for each in found if each.code != _NO_NODES and each.place.node is None]


def key_problems(name: str, table: Mapping[str, Any]) -> list[Problem]:
    """Find what is wrong with a key of the state."""
    return _found(from_document(_FRAME | {"state": {name: table}}, opaque=False), check_keys)


def tool_problems(name: str, table: Mapping[str, Any]) -> list[Problem]:
    """Find what is wrong with a tool."""
    return _found(from_document(_FRAME | {"tools": {name: table}}, opaque=False), check_tools)


def _found(graph: StateGraph, look: Callable[[CheckedGraph, Report], None]) -> list[Problem]:
    """Collect what the file and one of the checks say of a graph."""
    report = Report(graph)
    for problem in graph.noted:
        report.adopt(problem)
    look(CheckedGraph(graph), report)
    return report.in_order()


def setting_of(problem: Problem, start: str = "") -> str:
    """Give the first key of the table that a problem is about; empty when it is about the whole.

    Args:
        problem: The problem.
        start: What stands before the key: ``state.ticket.``.
    """
    key = problem.place.key or ""
    return key.removeprefix(start).split(".")[0] if key.startswith(start) else ""


def said(problem: Problem, *starts: str) -> str:
    """Put a problem into words, without what the form's heading says already."""
    message = problem.message
    start = next((start for start in starts if message.startswith(start)), "")
    message = with_arrows(message.removeprefix(start).lstrip(": "))
    return f"{message} ({problem.hint})" if problem.hint else message
