"""What the nodes need and where it comes from: models, and the keys of the state."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from ...conditions import Expression
from ...values.problems import meant
from .names import Names, quoted
from .outline import edge_name

if TYPE_CHECKING:
    from ...values.problems import KeyPath
    from ..parts import Edge
    from .outline import Outline
    from .report import Report


def check_data(outline: Outline, report: Report, models: Collection[str] | None) -> None:
    """Report models that are not configured, and keys that are read and never written."""
    _models(outline, report, models)
    _reads(outline, report)


def _models(outline: Outline, report: Report, models: Collection[str] | None) -> None:
    if models is None and outline.graph.source is None:
        return  # they come with the executor
    configured = set(models or ())
    for name, facts in outline.facts.items():
        for alias in sorted(facts.models - configured):
            message = f"node {quoted(name)} needs the model {quoted(alias)}, which is not configured here"
            hint = "give the node canned replies, or hand the model to the executor"
            report.warning("G106", message, ("nodes", name, "model"), hint)


def _reads(outline: Outline, report: Report) -> None:
    known = _written(outline)
    if known is None:
        return
    hints = Names(sorted(known))
    for key, reader, path, unquoted in _unknown(outline, known):
        hint = hints.hint(key)
        if meant(hint) is None:
            hint = "write it in a node, or declare it with input or a default"
            if unquoted:
                hint = f'a text goes in quotes: "{key}"; as a key, {hint}'
        message = f"{reader} reads {quoted(key)}, which nothing writes"
        report.warning("G107", message, path, hint, key)


def _unknown(outline: Outline, known: set[str]) -> Iterator[tuple[str, str, KeyPath, bool]]:
    """Each key that is read and not known, who reads it and where, and whether it may be meant as a text."""
    for name, facts in outline.facts.items():
        if not facts.reads <= known:
            for key in sorted(facts.reads - known):
                yield key, f"node {quoted(name)}", ("nodes", name), False
    for edge in outline.edges:
        if not edge.condition.reads <= known:
            for key in sorted(edge.condition.reads - known):
                yield key, edge_name(edge), ("edges", edge.index, "when"), _unquoted(key, edge)


def _unquoted(key: str, edge: Edge) -> bool:
    """Whether the name stands where texts mostly do, on the right of a comparison."""
    return (
        isinstance(edge.condition, Expression)
        and re.search(rf"[!=]=\s*{re.escape(key)}(?![\w.\[])", edge.condition.text) is not None
    )


def _written(outline: Outline) -> set[str] | None:
    """The keys that a run may have; None where a node could write any."""
    known = {name for name, key in outline.graph.keys.items() if key.input or key.has_default}
    for name in outline.nodes:
        facts = outline.facts.get(name)
        if facts is None or facts.writes is None:
            return None
        known |= facts.writes
    return known
