"""A graph as it is designed: the tables of its file, one after the other, never changed in place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import is_
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from ..graphs.parts import END, RESERVED
from ..values.errors import StepgraphError

if TYPE_CHECKING:
    from ..toml.text import PartText, TomlText


Kind = Literal["state", "tools", "nodes", "edges"]
"""What a table of a graph file describes: a key of the state, a tool, a node or an edge."""
NamedKind = Literal["state", "tools", "nodes"]
"""The kinds whose parts have names."""


@dataclass(frozen=True, eq=False)
class Part:
    """One table of a graph file, such as ``[nodes.draft]`` or one of ``[[edges]]``.

    Parts are distinguished by identity: one that was not edited is the same object in every later design.
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
        """Return the same part with another content, and perhaps another name; its comments stay with it."""
        return replace(self, table=table, name=self.name if name is None else name)


@dataclass(frozen=True, eq=False)
class Design:
    """A graph as its file has it, whether it is right or not. Every edit makes a new one."""

    head: Mapping[str, Any]
    """The settings of the graph, and whatever else is at the top level and is not a table of parts."""
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

    def by_name(self, kind: NamedKind) -> dict[str, Part]:
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
        """Return the design of the same parts with other settings."""
        return replace(self, head=head)

    def replacing(self, changed: Mapping[Part, Iterable[Part]]) -> Design:
        """Replace some parts with others; no replacement removes them.

        Args:
            changed: For each part of this design that changes, what is there then.
        """
        parts = [new for part in self.parts for new in changed.get(part, (part,))]
        return replace(self, parts=tuple(parts))

    def inserting(self, parts: Iterable[Part], after: Part | None) -> Design:
        """Put new parts after one of this design, or before all others when it is None."""
        at = self.parts.index(after) + 1 if after is not None else 0
        return replace(self, parts=(*self.parts[:at], *parts, *self.parts[at:]))


def _place(name: object) -> str:
    if not isinstance(name, str):
        return ""
    return END if name in RESERVED else name


class EditError(StepgraphError):
    """An edit that cannot be made; the message says why, and the hint what could be done instead."""


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of an edit."""

    design: Design
    said: str
    """What was done, as a command in a few words: ``delete review and 3 edges``."""
    node: str | None = None
    """The node that is to be selected now; END too."""
    edge: int | None = None
    """The position of the edge that is to be selected now."""
    renamed: tuple[str, str] | None = None
    """The old and the new name of a node, for marks that go by names."""
    renamed_key: tuple[str, str] | None = None
    """The old and the new name of a key of the state, for breakpoints that name it."""
    gone: Sequence[Part] = ()
    """The edges that went with deleted nodes."""
    bridges: Sequence[Part] = ()
    """The edges that bridge the gap that these have left."""


class Edit(Protocol):
    """An edit that somebody asked for. Designs are never changed in place, so its inverse is the old one."""

    def apply(self, design: Design) -> Edited:
        """Apply the edit to a design.

        Raises:
            EditError: It cannot be made; nothing has happened.
        """
        ...


@dataclass(frozen=True, slots=True)
class CompoundEdit:
    """Edits that are made one after the other, and undone at once."""

    edits: Sequence[Edit]
    said: str

    def apply(self, design: Design) -> Edited:
        """Apply all edits, or none; what the last one selects is selected.

        Raises:
            EditError: One of them cannot be made.
        """
        done = Edited(design, self.said)
        for edit in self.edits:
            edited = edit.apply(done.design)
            done = replace(
                edited,
                said=self.said,
                renamed=edited.renamed or done.renamed,
                renamed_key=edited.renamed_key or done.renamed_key,
            )
        return done


@dataclass(frozen=True, slots=True)
class ReplaceDesign:
    """Take another design in place of the whole: the one on disk, or a draft."""

    design: Design
    said: str

    def apply(self, design: Design) -> Edited:
        """Put it there."""
        return Edited(self.design, self.said)


class _Side(NamedTuple):
    """What only one of two designs has: few parts, however large the graph."""

    parts: tuple[Part, ...]
    head: Mapping[str, Any]
    origin: TomlText | None


def _alike(old: Sequence[Part], new: Sequence[Part]) -> int:
    """Count the parts at the beginning that are the same."""
    return next((at for at, same in enumerate(map(is_, old, new)) if not same), min(len(old), len(new)))


@dataclass(frozen=True, slots=True)
class _Change:
    """What an edit changed, and where."""

    said: str
    at: int
    """The position of the first part that differs."""
    before: _Side
    after: _Side
    renamed: tuple[str, str] | None
    renamed_key: tuple[str, str] | None
    edge: Part | None
    """The edge that the edit was about, as it was left."""

    @classmethod
    def between(cls, before: Design, edited: Edited) -> _Change:
        after = edited.design
        old, new = before.parts, after.parts
        start = _alike(old, new)
        end = _alike(old[start:][::-1], new[start:][::-1])
        return cls(
            edited.said,
            start,
            _Side(old[start : len(old) - end], before.head, before.origin),
            _Side(new[start : len(new) - end], after.head, after.origin),
            edited.renamed,
            edited.renamed_key,
            after.edges[edited.edge] if edited.edge is not None else None,
        )

    def undone(self, design: Design) -> tuple[Design, Turned]:
        """Undo the edit: the design before it follows from the one after it."""
        design, turned = self._turned(design, self.after, self.before, self.renamed and self.renamed[::-1])
        return design, replace(turned, renamed_key=self.renamed_key and self.renamed_key[::-1])

    def redone(self, design: Design) -> tuple[Design, Turned]:
        """Redo the edit: the design after it follows from the one before it."""
        design, turned = self._turned(design, self.before, self.after, self.renamed)
        return design, replace(turned, renamed_key=self.renamed_key)

    def _turned(
        self, design: Design, gone: _Side, come: _Side, renamed: tuple[str, str] | None
    ) -> tuple[Design, Turned]:
        parts = design.parts[: self.at] + come.parts + design.parts[self.at + len(gone.parts) :]
        turned = replace(design, head=come.head, origin=come.origin, parts=parts)
        node, edge = self._came(design, turned, gone, come)
        if renamed is not None:
            node, edge = renamed[1], None
        return turned, Turned(self.said, renamed, node, edge)

    def _came(self, old: Design, new: Design, gone: _Side, come: _Side) -> tuple[str | None, int | None]:
        """Find the node, else the edge, that came or changed; neither where nodes went and none came."""
        lost = set(gone.parts)
        nodes = [part.name for part in come.parts if part.kind == "nodes" and part not in lost]
        came = next((name for name in nodes if name not in old.nodes), None)
        if came is not None:
            return came, None
        if any(part.kind == "nodes" and part.name not in new.nodes for part in gone.parts):
            return None, None
        if nodes:
            return nodes[0], None
        edges = [part for part in come.parts if part.kind == "edges"]
        about = [part for part in edges if part is self.edge] or [part for part in edges if part not in lost]
        return None, new.edges.index(about[0]) if about else None


@dataclass(frozen=True, slots=True)
class Turned:
    """What an undo or a redo did."""

    said: str
    """The edit that was taken back or made again."""
    renamed: tuple[str, str] | None = None
    """The name that a node had before the turn, and the one that it has now."""
    node: str | None = None
    """The node that came, or that is as it was once more, to be selected; None where there is none."""
    edge: int | None = None
    """The position of such an edge, where it is not a node."""
    renamed_key: tuple[str, str] | None = None
    """The same of a key of the state."""


class EditHistory:
    """The design that is edited, and the way back.

    Args:
        design: As it was opened. It counts as saved.
    """

    def __init__(self, design: Design) -> None:
        self.design = design
        self._done: list[_Change] = []
        self._undone: list[_Change] = []
        self._saved: int | None = 0  # how many edits the saved design had; None when it cannot be reached
        self._lost: tuple[list[_Change], int | None] = ([], None)  # what the last edit has made unreachable

    @property
    def is_dirty(self) -> bool:
        """Whether the design differs from the saved one, as far as edits go."""
        return self._saved != len(self._done)

    @property
    def depth(self) -> int:
        """How many edits undo can take back."""
        return len(self._done)

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to make again."""
        return bool(self._undone)

    def saved(self) -> None:
        """Note that the design as it is now was saved."""
        self._saved = len(self._done)

    def unsaved(self) -> None:
        """Note that no design that undo or redo can reach is the one on disk."""
        self._saved = None

    def do(self, edit: Edit) -> Edited:
        """Apply an edit; one that changes nothing leaves no entry.

        Raises:
            EditError: It cannot be made; nothing has happened.
        """
        edited = edit.apply(self.design)
        if edited.design is self.design:
            return edited
        self._lost = self._undone, self._saved
        if self._saved is not None and self._saved > len(self._done):
            self._saved = None
        self._done.append(_Change.between(self.design, edited))
        self._undone = []
        self.design = edited.design
        return edited

    def undo(self) -> Turned | None:
        """Undo the last edit; None when there is none."""
        if not self._done:
            return None
        change = self._done.pop()
        self._undone.append(change)
        self.design, turned = change.undone(self.design)
        return turned

    def redo(self) -> Turned | None:
        """Redo the edit that was undone last; None when there is none."""
        if not self._undone:
            return None
        change = self._undone.pop()
        self._done.append(change)
        self.design, turned = change.redone(self.design)
        return turned

    def take_back(self) -> Turned | None:
        """Undo the edit that was made just now, as if it had never been; None when there is none."""
        turned = self.undo()
        if turned is not None:
            self._undone, self._saved = self._lost
        return turned
