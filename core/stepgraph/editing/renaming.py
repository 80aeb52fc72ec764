"""Renaming nodes, keys of the state and tools, with everything that names them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import references
from .copies import renamed_ends
from .edit import Edited, EditError
from .graph_settings import renamed_heads
from .naming import counted, key_in, new_name, node_in, said, tool_in
from .usage import code_reads, fixed_keys, uses_key

if TYPE_CHECKING:
    from .design import Design, Part


@dataclass(frozen=True, slots=True)
class RenameNode:
    """Rename a node: in edges, settings of the graph, conditions that count its visits."""

    old: str
    new: str

    def apply(self, design: Design) -> Edited:
        """Rename it and say how much followed.

        Raises:
            EditError: There is no such node, or the new name cannot be used.
        """
        node = node_in(design, self.old)
        if self.new == self.old:
            return Edited(design, f"leave {said(self.old)} as it is", node=self.old)
        new_name(self.new, "nodes", design.nodes)
        names = {self.old: self.new}
        changed: dict[Part, tuple[Part, ...]] = {node: (node.having(node.table, self.new),)}
        for edge in design.edges:
            moved = renamed_ends(edge, names)
            if moved is not edge:
                changed[edge] = (moved,)
        renaming = references.of_nodes(names)
        renamed = renaming.followed(renamed_heads(design.replacing(changed), self.old, self.new))
        counts = Counter({"edge": len(changed) - 1}) + renaming.counts
        text = _said(self.old, self.new, counts)
        return Edited(renamed, text, node=self.new, renamed=(self.old, self.new))


@dataclass(frozen=True, slots=True)
class RenameKey:
    """Rename a key of the state, declared or not: in settings, paths, templates and conditions."""

    old: str
    new: str

    def apply(self, design: Design) -> Edited:
        """Rename it and say how much followed.

        Raises:
            EditError: Nothing names it, a node type does so by itself, or the new name cannot be used.
        """
        declared = design.keys.get(self.old)
        if self.new == self.old:
            return Edited(design, f"leave {said(self.old)} as it is")
        new_name(self.new, "state", design.keys)
        if uses_key(design, self.new):
            raise EditError(
                f"{said(self.new)} is the name of another key already", hint="choose a name that nothing uses"
            )
        renaming = references.of_key(self.old, self.new, design.keys)
        renamed = renaming.followed(design)
        if declared is not None:
            renamed = renamed.replacing({declared: (declared.having(declared.table, self.new),)})
        elif renamed is design:
            key_in(design, self.old)
        types = fixed_keys(renamed).get(self.old)
        if types is not None:
            message = f"nodes of the type {said(types)} use the key {said(self.old)} by that name"
            raise EditError(message, hint="this one cannot be renamed")
        text = _said(self.old, self.new, renaming.counts)
        if code_reads(design):
            text += "; Python code is not searched"
        return Edited(renamed, text)


@dataclass(frozen=True, slots=True)
class RenameTool:
    """Rename a tool: in the settings of nodes, and in tool calls of prompts and canned replies."""

    old: str
    new: str

    def apply(self, design: Design) -> Edited:
        """Rename it and say how much followed.

        Raises:
            EditError: There is no such tool, or the new name cannot be used.
        """
        tool = tool_in(design, self.old)
        if self.new == self.old:
            return Edited(design, f"leave {said(self.old)} as it is")
        new_name(self.new, "tools", design.tools)
        renaming = references.of_tool(self.old, self.new)
        renamed = renaming.followed(design.replacing({tool: (tool.having(tool.table, self.new),)}))
        return Edited(renamed, _said(self.old, self.new, renaming.counts))


def _said(old: str, new: str, counts: Counter[str]) -> str:
    text = f"rename {said(old)} to {said(new)}"
    parts = [
        counted(counts[noun], noun) for noun in ("edge", "condition", "template", "setting") if counts[noun]
    ]
    return f"{text}: {', '.join(parts)}" if parts else text
