"""What the nodes need and where it comes from: models, and the keys of the state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from ...conditions import Expression
from ...expressions.spelling import FACTS
from ...values.problems import meant
from .checked_graph import edge_name
from .names import KnownNames, quoted

if TYPE_CHECKING:
    from ...values.problems import KeyPath
    from ..parts import Edge
    from .checked_graph import CheckedGraph
    from .report import Report


def check_data(checked: CheckedGraph, report: Report, models: Collection[str] | None) -> None:
    """Report models that are not configured, keys never written, and keys written as two kinds of values."""
    _models(checked, report, models)
    _reads(checked, report)
    _tables(checked, report)


def _models(checked: CheckedGraph, report: Report, models: Collection[str] | None) -> None:
    if models is None and checked.graph.source is None:
        return  # they come with the executor
    configured = set(models or ())
    for name, facts in checked.facts.items():
        for alias in sorted(facts.models - configured):
            message = f"node {quoted(name)} needs the model {quoted(alias)}, which is not configured here"
            add = f"type `stepgraph models add {alias}`" if checked.graph.source is not None else ""
            hint = f"{add or 'hand the model to the executor'}, or give the node canned replies"
            report.warning("G106", message, ("nodes", name, "model"), hint)


def _tables(checked: CheckedGraph, report: Report) -> None:
    """Report keys to which one node always writes a table, and another one something else."""
    tables = {key: name for name, facts in checked.facts.items() for key in facts.tables}
    if not tables:
        return
    for name, facts in checked.facts.items():
        for key in sorted(tables.keys() & (facts.writes or frozenset()) - facts.tables.keys()):
            message = (
                f"node {quoted(tables[key])} writes a table to {quoted(key)}, and node {quoted(name)} writes "
                "there too: each replaces what the other wrote"
            )
            report.warning("G108", message, ("nodes", tables[key]), "name another key in one of them", key)


def _reads(checked: CheckedGraph, report: Report) -> None:
    known = _written(checked)
    if known is None:
        return
    hints = KnownNames(sorted(known | FACTS))
    for key, reader, path, unquoted in _unknown(checked, known):
        hint = hints.hint(key)
        if meant(hint) is None:
            hint = f"write it in a node, or declare [state.{key}] with input = true or a default"
            if unquoted:
                hint = f'a text goes in quotes: "{key}"; as a key, {hint}'
        message = f"{reader} reads {quoted(key)}, which is never set by any node"
        report.warning("G107", message, path, hint, key)


def _unknown(checked: CheckedGraph, known: set[str]) -> Iterator[tuple[str, str, KeyPath, bool]]:
    """Yield each unknown key that is read, who reads it and where, and whether it may be meant as a text."""
    for name, facts in checked.facts.items():
        if not facts.all_reads <= known:
            for key in sorted(facts.all_reads - known):
                yield key, f"node {quoted(name)}", ("nodes", name), False
    for edge in checked.edges:
        if not edge.condition.reads <= known:
            for key in sorted(edge.condition.reads - known):
                yield key, edge_name(edge), ("edges", edge.index, "when"), _unquoted(key, edge)


def _unquoted(key: str, edge: Edge) -> bool:
    """Tell whether the name stands where texts mostly do, on the right of a comparison."""
    return (
        isinstance(edge.condition, Expression)
        and re.search(rf"[!=]=\s*{re.escape(key)}(?![\w.\[])", edge.condition.text) is not None
    )


def _written(checked: CheckedGraph) -> set[str] | None:
    """Collect the keys that a run may have; None where a node could write any."""
    known = {name for name, key in checked.graph.keys.items() if key.input or key.has_default}
    for facts in checked.facts.values():
        if facts.writes is None:
            return None
        known |= facts.writes
    return known
