"""Checking a graph: every error and every warning at once, each with a place and a hint."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..parts import MAX_NODES
from .edges import check_edges, check_reachability, check_routing, shadowed
from .nodes import check_nodes, check_terms, check_tools
from .report import CheckedGraph, Report
from .settings import check_arguments, check_data, check_keys, check_settings

if TYPE_CHECKING:
    from ...tools.known import KnownTools
    from ...values.problems import Problem
    from ..builder import StateGraph

__all__ = ["CheckedGraph", "check", "problems", "shadowed"]


def check(
    graph: StateGraph, *, models: Collection[str] | None = None, tools: KnownTools | None = None
) -> list[Problem]:
    """Find everything that is wrong with a graph. Nothing that it names is imported or executed.

    Args:
        graph: The graph, as far as it has been built.
        models: The model aliases that are configured here. When None, none are, and only a graph from
            a file is warned of that: one that is built in Python gets its models with its executor.
        tools: What is known here of tools, beside what the graph says of its commands.

    Returns:
        Errors and warnings in the order of the file, or of declaration where there is no file.
    """
    return problems(CheckedGraph(graph), models, tools)


def problems(
    checked: CheckedGraph, models: Collection[str] | None = None, tools: KnownTools | None = None
) -> list[Problem]:
    """Find everything that is wrong with a graph that is looked at for more than that; else as ``check``."""
    report = Report(checked.graph)
    for problem in checked.graph.noted:
        report.adopt(problem)
    check_settings(checked, report)
    check_keys(checked, report)
    check_tools(checked, report)
    check_nodes(checked, report)
    if len(checked.nodes) > MAX_NODES or any(entry.is_subgraph for entry in checked.nodes.values()):
        from .subgraphs import check_subgraphs  # with all that lays graphs out

        check_subgraphs(checked, report)
    check_terms(checked, report)
    check_edges(checked, report)
    check_routing(checked, report)
    check_reachability(checked, report)
    check_data(checked, report, models)
    check_arguments(checked, report, tools)
    return report.in_order()
