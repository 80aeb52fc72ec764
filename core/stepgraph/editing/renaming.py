"""Rename nodes, keys of the state and tools, with everything that names them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..documents.schema import COMMON
from ..nodes.registry import build_node
from . import references
from .edit import Edited, EditError
from .naming import counted, new_name, part_in, said, unique
from .placing import renamed_heads

if TYPE_CHECKING:
    from ..nodes.base import BaseNode
    from .design import Design, NamedKind


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename a node, a tool, or a key of the state, which need not be declared."""

    kind: NamedKind
    old: str
    new: str

    def apply(self, design: Design) -> Edited:
        """Rename it wherever it is named, and say how much followed.

        Raises:
            EditError: There is nothing of that name, a node type uses the key by itself, or the new name
                cannot be used.
        """
        if self.kind != "state":
            part_in(design, self.kind, self.old)
        part = design.named(self.kind).get(self.old)
        node = self.new if self.kind == "nodes" else None
        if self.new == self.old:
            return Edited(design, f"leave {said(self.old)} as it is", node=node)
        new_name(self.new, self.kind, design.named(self.kind))
        if self.kind == "state" and uses_key(design, self.new):
            raise EditError(
                f"{said(self.new)} is already the name of another key",
                hint="choose a name that is not in use",
            )
        renaming = self._renaming(design)
        renamed = renaming.followed(design, part, self.new)
        if renamed is design:
            part_in(design, self.kind, self.old)
        if self.kind == "nodes":
            renamed = renamed_heads(renamed, self.old, self.new)
        text = _said(self.old, self.new, renaming.counts)
        if self.kind == "state":
            text += self._noted_of_key(renamed)
        names = self.old, self.new
        return Edited(
            renamed,
            text,
            node=node,
            renamed=names if self.kind == "nodes" else None,
            renamed_key=names if self.kind == "state" else None,
        )

    def _renaming(self, design: Design) -> references.Renaming:
        if self.kind == "nodes":
            return references.of_nodes({self.old: self.new}, ends=True)
        if self.kind == "tools":
            return references.of_tool(self.old, self.new)
        return references.of_key(self.old, self.new, design.keys)

    def _noted_of_key(self, renamed: Design) -> str:
        type_ = fixed_keys(renamed).get(self.old)
        if type_ is not None:
            message = f"nodes of the type {said(type_)} use the key {said(self.old)} by that name"
            raise EditError(message, hint="this one cannot be renamed")
        return "; Python code is not searched" if code_reads(renamed) else ""


def _said(old: str, new: str, counts: Counter[str]) -> str:
    nouns = ("edge", "condition", "template", "setting")
    parts = [counted(counts[noun], noun) for noun in nouns if counts[noun]]
    text = f"rename {said(old)} to {said(new)}"
    return f"{text}: {', '.join(parts)}" if parts else text


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
    """Find the keys that the first node of each type reads or writes, and the type.

    What its settings name as paths is left out: a node that shows ``order.id`` says that it reads ``order``,
    also where there is a key with a dot in its name.
    """
    found: dict[str, str] = {}
    for type_, node in _samples(design).items():
        facts = node.facts()
        names = facts.all_reads | (facts.writes or frozenset())
        for key in names - references.path_heads(design.nodes[node.name]):
            found.setdefault(key, type_)
    return found


def code_reads(design: Design) -> bool:
    """Whether there is Python code, which may name keys that nobody sees."""
    predicates = (edge.table.get("when") for edge in design.edges)
    return any(node.facts().handlers for node in _samples(design).values()) or any(
        isinstance(when, dict) and "predicate" in when for when in predicates
    )


def _samples(design: Design) -> dict[str, BaseNode]:
    """Build one node of each type: what a type names by itself, all its nodes name."""
    found: dict[str, BaseNode] = {}
    for part in design.nodes.values():
        type_ = part.table.get("type")
        if isinstance(type_, str) and type_ not in found:
            settings = {key: value for key, value in part.table.items() if key not in COMMON}
            node, _ = build_node(part.name, type_, settings)
            if node is not None:
                found[type_] = node
    return found
