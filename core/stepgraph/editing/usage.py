"""Which keys of the state a design uses, beside those that it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..documents.schema import COMMON
from ..nodes.registry import build_node
from . import references
from .edit import EditError
from .naming import unique

if TYPE_CHECKING:
    from ..nodes.base import BaseNode
    from .design import Design


def uses_key(design: Design, key: str) -> bool:
    """Whether a setting, a template, a condition or a node type names a key."""
    renaming = references.of_key(key, unique("unused", {key}), design.keys)
    try:
        if renaming.followed(design) is not design:
            return True
    except EditError:  # it is there, in a place that takes no other name
        return True
    return key in fixed_keys(design)


def fixed_keys(design: Design) -> dict[str, str]:
    """The keys that the first node of each type reads or writes, and the type.

    What its settings name as paths is left out: a node that shows ``order.id`` says that it reads ``order``,
    also where there is a key with a dot in its name.
    """
    found: dict[str, str] = {}
    for type_, node in _samples(design).items():
        names = node.reads() | (node.writes() or frozenset())
        for key in names - references.path_heads(design.nodes[node.name]):
            found.setdefault(key, type_)
    return found


def code_reads(design: Design) -> bool:
    """Whether there is Python code, which may name keys that nobody sees."""
    predicates = (edge.table.get("when") for edge in design.edges)
    return any(node.handlers() for node in _samples(design).values()) or any(
        isinstance(when, dict) and "predicate" in when for when in predicates
    )


def _samples(design: Design) -> dict[str, BaseNode]:
    """One node of each type; what a type names by itself, all its nodes name."""
    found: dict[str, BaseNode] = {}
    for part in design.nodes.values():
        type_ = part.table.get("type")
        if isinstance(type_, str) and type_ not in found:
            settings = {key: value for key, value in part.table.items() if key not in COMMON}
            node, _ = build_node(part.name, type_, settings)
            if node is not None:
                found[type_] = node
    return found
