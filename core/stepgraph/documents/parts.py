"""One table of a graph file: what the graph keeps of it, while what is wrong with it is noted."""

from __future__ import annotations

from collections.abc import Mapping

from ..conditions import Condition, HandlerPredicate, KeyEquals, Opaque
from ..graphs.parts import OPAQUE, Edge, NodeEntry
from ..graphs.validation.report import quoted
from ..reviews.terms import ReviewTerms
from ..tools.protocols import ToolEntry
from ..values.json_values import Json, with_kind
from ..values.problems import KeyPath
from ..values.state import StateKey
from .notes import Notes
from .schema import COMMON, EdgePart, EqualsPart, KeyPart, NodePart, PredicatePart, ReviewsPart, ToolPart


def key_of(name: str, found: Json, notes: Notes) -> StateKey:
    """Read the key of a table ``[state.NAME]``."""
    key = notes.checked(KeyPart, found, ("state", name), f"state key {quoted(name)}")
    return StateKey(name, key.reducer, key.default, key.type, key.input, key.secret, key.note)


def tool_of(name: str, found: Json, notes: Notes) -> ToolEntry:
    """Read the tool of a table ``[tools.NAME]``."""
    tool = notes.checked(ToolPart, found, ("tools", name), f"tool {quoted(name)}")
    about = tool.side_effects, tool.requires_approval, tool.note
    return ToolEntry(name, None, tool.handler, tool.returns, *about, tool.as_command())


def node_of(name: str, found: Json, notes: Notes, opaque: bool) -> NodeEntry:
    """Read the node of a table ``[nodes.NAME]``; one whose type is missing stays known to the edges."""
    path, what = ("nodes", name), f"node {quoted(name)}"
    table = found if isinstance(found, dict) else {}
    common: Json = {key: table[key] for key in COMMON if key in table} if found is table else found
    node = notes.checked(NodePart, common, path, what)
    settings = {key: value for key, value in table.items() if key not in COMMON}
    if node.type and not (opaque and node.type == OPAQUE):
        common_parts = node.review, node.side_effects, node.note, terms_of(node)
        return NodeEntry.declared(name, node.type, settings, *common_parts, node.timeout)
    if found is table and table.get("type", "") == "":
        notes.add("F021", f"{what} has no type", path, 'such as type = "llm"')
    kept = None if node.type else settings
    about, terms = (node.review, node.side_effects, node.note), terms_of(node)
    return NodeEntry(name, None, node.type, kept, *about, terms=terms, timeout=node.timeout)


def terms_of(part: NodePart | ReviewsPart) -> ReviewTerms:
    """Read the terms of reviews that are in a node's table, or in the graph's table of them."""
    return ReviewTerms.from_table(vars(part))


def edge_of(index: int, found: Json, notes: Notes, opaque: bool) -> Edge | None:
    """Read the edge of a table ``[[edges]]``; None when it does not say where it leads from or to."""
    path, table = ("edges", index), found if isinstance(found, dict) else {}
    what = _edge_name(index, table)
    edge = notes.checked(EdgePart, found, path, what)
    for key in ("from", "to"):
        if found is table and key not in table:
            notes.add("F021", f"{what} has no {key!r}", path, f'such as {key} = "name-of-a-node"')
    if not isinstance(table.get("from"), str) or not isinstance(table.get("to"), str):
        return None
    when = _condition(edge.when, (*path, "when"), what, notes, opaque)
    return Edge.asking(edge.source, edge.target, when, edge.label, edge.note)


def _edge_name(index: int, table: Mapping[str, object]) -> str:
    ends = [table.get(key) for key in ("from", "to")]
    if all(isinstance(end, str) for end in ends):
        source, target = (quoted(end)[1:-1] for end in ends)
        return f"edge {index + 1} ({source} -> {target})"
    return f"edge {index + 1}"


def _condition(when: Json, path: KeyPath, what: str, notes: Notes, opaque: bool) -> Condition | str | None:
    """Read what an edge asks; what is wrong is noted, and Opaque stands in for it."""
    if when is None or isinstance(when, str):
        return when
    before = notes.count
    condition: Condition = Opaque()
    if not isinstance(when, dict):
        hint = "a condition is text, or a table with key and equals, or with predicate"
        notes.add("F022", f"{what}: 'when' takes text or a table, not {with_kind(when)}", path, hint)
    elif "predicate" in when:
        ref = notes.checked(PredicatePart, when, path, f"{what}: when").predicate
        if not opaque or ref != OPAQUE:
            condition = HandlerPredicate(ref)
    else:
        equals = notes.checked(EqualsPart, when, path, f"{what}: when")
        condition = KeyEquals(equals.key, equals.equals)
        for key in sorted({"key", "equals"} - when.keys()):
            hint = 'such as { key = "category", equals = "billing" }'
            notes.add("F021", f"{what}: 'when' has no {key!r}", path, hint)
    return condition if notes.count == before else Opaque()
