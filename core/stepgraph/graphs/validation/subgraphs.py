"""The nodes that are graphs: whether those can be read, are right, and go into the graph around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...values.errors import GraphError, StateError
from ...values.state import Scope
from ..subgraphs import laid_out, subgraphs_of
from . import check
from .report import comma_list, quoted

if TYPE_CHECKING:
    from ...nodes.subgraph import SubgraphNode
    from ...tools.protocols import ToolEntry
    from ...values.problems import KeyPath, Problem
    from ..builder import StateGraph
    from ..parts import NodeEntry
    from .report import CheckedGraph, Report


def check_subgraphs(checked: CheckedGraph, report: Report) -> None:
    """Report nodes whose graphs cannot be used."""
    graph = checked.graph
    known: dict[int, list[Problem]] = {}
    sound = True
    for entry, node in subgraphs_of(graph):
        path: KeyPath = ("nodes", entry.name, "graph")
        what = f"node {quoted(entry.name)}"
        if node.settings.graph:
            what += f": the graph {quoted(node.settings.graph)}"
        try:
            child = graph.child(node)
        except GraphError as error:
            report.error("G044", f"{what} cannot be used: {error.message}", path, error.hint)
            sound = False
            continue
        if id(child) not in known:
            known[id(child)] = [problem for problem in check(child) if problem.is_error]
        errors = known[id(child)]
        if errors:
            count = "an error" if len(errors) == 1 else f"{len(errors)} errors"
            hint = f"stepgraph check {node.settings.graph}" if node.settings.graph else errors[0].hint
            report.error("G044", f"{what} has {count}: {errors[0].message}", path, hint)
            sound = False
            continue
        for message, setting, hint in _unfit(graph, entry, node, child):
            report.error(
                "G045", f"node {quoted(entry.name)}: {message}", ("nodes", entry.name, setting), hint
            )
    if sound and not graph.inside:
        _check_whole(graph, report)


def _check_whole(graph: StateGraph, report: Report) -> None:
    """Report what is wrong with a graph and all that is inside of it as the one that runs."""
    try:
        laid_out(graph)
    except GraphError as error:
        report.error("G044", f"the graph cannot be used: {error.message}", ("nodes",), error.hint)
    except StateError:  # a part is not JSON, which is reported where it is declared
        pass
    else:
        _tools(graph, report)


def _tools(graph: StateGraph, report: Report) -> None:
    """Report tools that several of the graphs declare, each in its own way: a run has one tool of a name.

    It is looked at from the outermost graph, which alone has all of them.
    """
    known = {tool.name: (tool, "") for tool in graph.tools.values()}
    for entry, node in subgraphs_of(graph):
        for tool in _tools_of(graph.child(node)):
            own, other = known.setdefault(tool.name, (tool, entry.name))
            if own != tool:
                others = f"that of node {quoted(other)}" if other else "this graph"
                others = "another one inside of it" if other == entry.name else others
                report.error(
                    "G045",
                    f"node {quoted(entry.name)}: its graph and {others} declare the tool "
                    f"{quoted(tool.name)}, each in its own way",
                    ("nodes", entry.name, "graph"),
                    "rename one of them, or declare both alike",
                )


def _tools_of(graph: StateGraph) -> Iterator[ToolEntry]:
    """Find the tools that a graph declares, and those inside of it."""
    yield from graph.tools.values()
    for _, node in subgraphs_of(graph):
        yield from _tools_of(graph.child(node))


def _unfit(
    graph: StateGraph, entry: NodeEntry, node: SubgraphNode, child: StateGraph
) -> Iterator[tuple[str, str, str]]:
    """Find what of a graph does not go into the one around it: what, the setting, and what to do."""
    name, settings, scope = entry.name, node.settings, Scope(entry.name)
    if "." in name or "/" in name:
        hint = "rename it: its name stands before the names inside"
        yield "a subgraph's name has no dot and no slash", "graph", hint
    taken = [each for each in (*graph.nodes, *graph.keys) if scope.has(each)]
    if taken:
        yield f"{comma_list(taken)} would be a name inside of it", "graph", "rename that one, or the node"
    missing = [
        key.name
        for key in child.keys.values()
        if key.input and not key.has_default and key.name not in settings.inputs
    ]
    if missing:
        hint = f'such as inputs = {{ {missing[0]} = "{{{{ {missing[0]} }}}}" }}'
        yield f"the graph inside needs {comma_list(missing)}", "inputs", hint
    if entry.timeout is not None:
        hint = "give the nodes inside timeouts, in their own file"
        yield "a timeout bounds one visit of a node, not what is inside", "timeout", hint
    if graph.settings.on_no_match == "end" and child.settings.on_no_match == "fail":
        hint = 'write on_no_match = "end" in it too, or give its nodes an edge without a condition'
        yield "where no edge matches, this graph ends, and the one inside fails", "graph", hint
    if child.settings.max_seconds is not None:
        hint = "write max_seconds in this graph, for the whole of a run"
        yield "the graph inside has max_seconds, which bounds whole runs alone", "graph", hint
