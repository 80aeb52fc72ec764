"""A graph as it is designed: the tables of its file, one after the other, never changed in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ..graphs.parts import END, RESERVED

if TYPE_CHECKING:
    from ..toml.text import PartText, TomlText

Kind = Literal["state", "tools", "nodes", "edges"]
"""What a table of a graph file describes: a key of the state, a tool, a node or an edge."""
NamedKind = Literal["state", "tools", "nodes"]
"""The kinds whose parts have names."""


@dataclass(frozen=True, eq=False)
class Part:
    """One table of a graph file, such as ``[nodes.draft]`` or one of ``[[edges]]``.

    Parts are told apart by identity: one that was not edited is the same object in every later design.
    """

    kind: Kind
    name: str
    """The name in its header; empty for an edge."""
    table: Mapping[str, Any]
    """What it says, as a TOML parser returns it. Never changed in place."""
    origin: PartText | None = None
    """The text that it was read from, with its comments; None for one that was made here."""

    @cached_property
    def source(self) -> str:
        """The place that an edge leaves, as files write it; empty when it does not say."""
        return _place(self.table.get("from"))

    @cached_property
    def target(self) -> str:
        """The place that an edge leads to, as files write it; empty when it does not say."""
        return _place(self.table.get("to"))

    @property
    def unconditional(self) -> bool:
        """Whether an edge always matches."""
        return self.table.get("when") is None

    def having(self, table: Mapping[str, Any], name: str | None = None) -> Part:
        """Make the same part with another content, and perhaps another name; its comments stay with it."""
        return replace(self, table=table, name=self.name if name is None else name)


@dataclass(frozen=True, eq=False)
class Design:
    """A graph as its file has it, whether it is right or not. Every edit makes a new one."""

    head: Mapping[str, Any]
    """The settings of the graph, and whatever else stands at the top level and is not a table of parts."""
    parts: tuple[Part, ...] = ()
    """All tables, in the order of the file. The order of the edges is meaning."""
    origin: TomlText | None = None
    """The text that it was read from; None for one that was made here."""

    @cached_property
    def by_kind(self) -> dict[str, list[Part]]:
        """The parts of each kind, in the order of the file."""
        found: dict[str, list[Part]] = {"state": [], "tools": [], "nodes": [], "edges": []}
        for part in self.parts:
            found[part.kind].append(part)
        return found

    @cached_property
    def keys(self) -> dict[str, Part]:
        """The declared keys of the state."""
        return self._of_kind("state")

    @cached_property
    def tools(self) -> dict[str, Part]:
        """The tools."""
        return self._of_kind("tools")

    @cached_property
    def nodes(self) -> dict[str, Part]:
        """The nodes."""
        return self._of_kind("nodes")

    @cached_property
    def edges(self) -> tuple[Part, ...]:
        """The edges; their positions here are the ones that graphs and problems count by."""
        return tuple(self.by_kind["edges"])

    @cached_property
    def outgoing(self) -> dict[str, list[int]]:
        """The positions of the edges that leave each place, in the order in which they are tried."""
        found: dict[str, list[int]] = {}
        for position, edge in enumerate(self.edges):
            found.setdefault(edge.source, []).append(position)
        return found

    @property
    def start(self) -> str:
        """The node that runs first; empty when there is none."""
        start = self.head.get("start", "")
        return start if isinstance(start, str) else ""

    def named(self, kind: NamedKind) -> dict[str, Part]:
        """Return the parts of a kind by their names."""
        return self.keys if kind == "state" else self.tools if kind == "tools" else self.nodes

    def _of_kind(self, kind: NamedKind) -> dict[str, Part]:
        return {part.name: part for part in self.by_kind[kind]}

    def document(self) -> dict[str, Any]:
        """Return the tables as a TOML parser would."""
        tables: dict[str, Any] = dict(self.head)
        for kind, parts in (("state", self.keys), ("tools", self.tools), ("nodes", self.nodes)):
            if parts:
                others = self.head.get(kind)  # values that are not tables; a name is a part's first of all
                named = {name: part.table for name, part in parts.items()}
                tables[kind] = {**others, **named} if isinstance(others, Mapping) else named
        if self.edges:
            tables["edges"] = [edge.table for edge in self.edges]
        return tables

    # New designs

    def having(self, head: Mapping[str, Any]) -> Design:
        """Make the design of the same parts with other settings."""
        return replace(self, head=head)

    def replacing(self, changed: Mapping[Part, Iterable[Part]]) -> Design:
        """Put other parts in the place of some; none at all takes a part away.

        Args:
            changed: For each part of this design that changes, what stands there then.
        """
        parts = [new for part in self.parts for new in changed.get(part, (part,))]
        return replace(self, parts=tuple(parts))

    def inserting(self, parts: Iterable[Part], after: Part | None) -> Design:
        """Put new parts behind one of this design, or before all others when it is None."""
        at = self.parts.index(after) + 1 if after is not None else 0
        return replace(self, parts=(*self.parts[:at], *parts, *self.parts[at:]))


def _place(name: object) -> str:
    if not isinstance(name, str):
        return ""
    return END if name in RESERVED else name
