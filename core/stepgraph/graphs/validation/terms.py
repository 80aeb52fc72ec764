"""The terms of reviews: the graph's, each node's, and what the two come to where a person is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...nodes.base import BaseNode
from ...reviews.terms import NO_TERMS, ReviewTerms, TermsFault
from ...values.json_values import preview
from .names import quoted

if TYPE_CHECKING:
    from ...values.problems import KeyPath
    from ..parts import NodeEntry
    from .checked_graph import CheckedGraph
    from .report import Report

_SILENT = ("llm", "router", "tool", "transform", "guardrail", "subgraph", "wait", "http")
"""The types of nodes that never ask by themselves."""


def check_terms(checked: CheckedGraph, report: Report) -> None:
    """Report terms that cannot work, alone or together, and terms where nobody is ever asked."""
    graphs = checked.settings.terms
    if not _are_terms(graphs, "the graph", ("reviews",), report):
        return
    faults = list(graphs.faults())
    entries = [
        (name, entry)
        for name, entry in checked.nodes.items()
        if _are_terms(entry.terms, f"node {quoted(name)}", ("nodes", name), report)
    ]
    waits = any(entry.terms.deadline for _, entry in entries)
    if graphs.on_timeout and graphs.deadline is None and not waits:
        faults.append(_nothing_to_wait_for())
    for fault in faults:
        _report(fault, "reviews", ("reviews", fault.key), report)
    asking = [(name, entry) for name, entry in entries if _may_ask(entry, checked)]
    if graphs != NO_TERMS and not asking:
        message = "reviews has terms, but no node of the graph asks a person"
        report.warning("G109", message, ("reviews",), "add a gate or an approval node, or leave them out")
    for name, entry in entries:
        if (name, entry) in asking:
            _check_node(name, entry, graphs, faults, report)
        elif entry.terms != NO_TERMS:
            key = next(iter(entry.terms.to_json()))
            message = f"node {quoted(name)} has {key!r}, but it never asks a person"
            hint = 'write review = "before" or "after", or leave it out'
            report.warning("G109", message, ("nodes", name, key), hint)


def _are_terms(terms: object, whose: str, path: KeyPath, report: Report) -> bool:
    if isinstance(terms, ReviewTerms):
        return True
    report.error("G006", f"{whose} has the terms {preview(terms)}", path, "give ReviewTerms(...)")
    return False


def _check_node(
    name: str, entry: NodeEntry, graphs: ReviewTerms, known: list[TermsFault], report: Report
) -> None:
    """Report what is wrong with the terms of a node that asks, but for what is wrong with the graph's."""
    own, path = entry.terms, ("nodes", name)
    merged = own.over(graphs)
    if merged == NO_TERMS:
        return
    faults = [fault for fault in merged.faults() if fault not in known]
    if own.on_timeout and merged.deadline is None:
        faults.append(_nothing_to_wait_for())
    if not faults and (clash := merged.clashes_with(_offered(entry))) is not None:
        faults.append(clash)
    for fault in faults:
        said = getattr(own, fault.key) is not None
        _report(fault, f"node {quoted(name)}", (*path, fault.key) if said else path, report)


def _nothing_to_wait_for() -> TermsFault:
    message = "on_timeout says what happens at a deadline, and there is none"
    return TermsFault("G040", "on_timeout", message, 'such as deadline = "4h"')


def _report(fault: TermsFault, whose: str, path: KeyPath, report: Report) -> None:
    report.error(fault.code, f"{whose}: {fault.message}", path, fault.hint)


def _may_ask(entry: NodeEntry, checked: CheckedGraph) -> bool:
    """Tell whether a person may be asked at a node; of Python code nobody knows whether it asks by itself."""
    declared = checked.graph.tools
    kind = getattr(entry.node, "type", entry.type)
    if kind not in _SILENT or entry.asks(checked.settings.review, declared):
        return True
    if kind != "tool":
        return False
    # A tool may come with the executor, or be named by the state: then any of them may be called.
    is_fixed = bool(entry.tools(declared))
    return not is_fixed and (not declared or any(tool.requires_approval for tool in declared.values()))


def _offered(entry: NodeEntry) -> tuple[str, ...]:
    """List what an approval node offers; of other questions, approve and reject at least."""
    settings: Any = getattr(entry.node, "settings", None)
    if not isinstance(entry.node, BaseNode) or entry.node.type != "approval":
        return ("approve", "reject")
    from ...reviews.model import ReviewRequest

    return ReviewRequest("", editable=settings.editable, allow=settings.allow).verbs
