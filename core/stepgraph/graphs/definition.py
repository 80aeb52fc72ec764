"""The definition of a graph: the tables of its file, and the hash that names them in a store.

A Python callable, predicate or node object is opaque in it: it counts as the word ``python``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..conditions import Chosen, Condition, Expression, HandlerPredicate, KeyEquals
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..values.durations import duration_text
from ..values.errors import StateError
from ..values.json_values import Json, canonical, plain
from ..values.state import StateKey
from .parts import Edge, GraphParts, GraphSettings, NodeEntry

if TYPE_CHECKING:
    from ..tools.base import ToolEntry

OPAQUE = "python"
"""What stands in a document for a Python object."""

_DEFAULTS = GraphSettings("", "")


_PLAIN = (
    "max_steps", "on_max_steps", "on_no_match", "max_seconds", "max_cost", "max_tokens", "feedback", "review",
)  # fmt: skip


def to_document(graph: GraphParts) -> dict[str, Json]:
    """Write the tables of the graph's file, without what has its default.

    Raises:
        StateError: A default, a setting or a canned result is not JSON.
    """
    settings = graph.settings
    document: dict[str, Json] = {"format": 1, "name": settings.name}
    if settings.note:
        document["note"] = settings.note
    document["start"] = settings.start
    for name in _PLAIN:
        value = getattr(settings, name)
        if value != getattr(_DEFAULTS, name):
            document[name] = value
    if settings.no_feedback:
        document["no_feedback"] = list(settings.no_feedback)
    if settings.terms != NO_TERMS:
        document["reviews"] = _terms(settings.terms, "the reviews")
    tables: dict[str, Json] = {
        "state": {name: _key(key) for name, key in graph.keys.items()},
        "tools": {name: _tool(tool) for name, tool in graph.tools.items()},
        "nodes": {name: _node(entry) for name, entry in graph.nodes.items()},
        "edges": [_edge(edge) for edge in graph.edges],
    }
    return document | {name: table for name, table in tables.items() if table}


def definition_hash(document: Mapping[str, Json]) -> str:
    """Compute the hash that names a definition, the same for the same structure."""
    return hashlib.sha256(canonical(document).encode()).hexdigest()[:32]


def _without(table: dict[str, Json], **defaults: Json) -> dict[str, Json]:
    """Leave out the keys that have their default."""
    return {key: value for key, value in table.items() if key not in defaults or value != defaults[key]}


def _key(key: StateKey) -> dict[str, Json]:
    table: dict[str, Json] = {"type": key.type} if key.type is not None else {}
    if key.has_default:
        table["default"] = plain(key.default, f'the default of state["{key.name}"]')
    rest: dict[str, Json] = {
        "input": key.input,
        "reducer": key.reducer,
        "secret": key.secret,
        "note": key.note,
    }
    return table | _without(rest, input=False, reducer="replace", secret=False, note="")


def _tool(tool: ToolEntry) -> dict[str, Json]:
    table: dict[str, Json] = {
        "handler": OPAQUE if tool.tool is not None else tool.handler,
        **(tool.command.given() if tool.command is not None else {}),
        "returns": plain(tool.returns, f"what tool {tool.name!r} returns"),
        "side_effects": tool.side_effects,
        "requires_approval": tool.requires_approval,
        "note": tool.note,
    }
    return _without(table, handler=None, returns=None, side_effects=False, requires_approval=False, note="")


def _node(entry: NodeEntry) -> dict[str, Json]:
    head: dict[str, Json] = {"type": OPAQUE if entry.settings is None else entry.type, "note": entry.note}
    settings = {
        name: plain(value, f"setting {name!r} of node {entry.name!r}")
        for name, value in (entry.settings or {}).items()
    }
    timeout = _timeout(entry)
    rest: dict[str, Json] = {"review": entry.review, "timeout": timeout, "side_effects": entry.side_effects}
    common = _without(rest, review=None, timeout=None, side_effects=False)
    common |= _terms(entry.terms, f"node {entry.name!r}")
    return _without(head, type="", note="") | settings | common


def _timeout(entry: NodeEntry) -> str | None:
    if isinstance(entry.timeout, str | None):
        return entry.timeout
    try:
        return duration_text(entry.seconds or 0)
    except ValueError as error:
        raise StateError(f"node {entry.name!r}: its timeout cannot be kept: {error}") from None


def _terms(terms: ReviewTerms, whose: str) -> dict[str, Json]:
    given: object = terms
    wrong = next(terms.wrong_values(), None) if isinstance(given, ReviewTerms) else None
    if wrong is not None or not isinstance(given, ReviewTerms):
        raise StateError(f"{whose}: " + (wrong.message if wrong is not None else "these are no ReviewTerms"))
    return terms.to_table()


def _edge(edge: Edge) -> dict[str, Json]:
    table: dict[str, Json] = {"from": edge.source, "to": edge.target}
    when = edge.broken.text if edge.broken is not None else _when(edge.condition)
    if when is not None:
        table["when"] = when
    if edge.label:
        table["label"] = edge.label
    if edge.note:
        table["note"] = edge.note
    return table


def _when(condition: Condition) -> Json:
    if isinstance(condition, Chosen):
        return None
    if isinstance(condition, Expression):
        return condition.text
    if isinstance(condition, KeyEquals):
        return {"key": condition.key, "equals": condition.value}
    if isinstance(condition, HandlerPredicate):
        return {"predicate": condition.ref}
    return None if condition.kind == "always" else {"predicate": OPAQUE}
