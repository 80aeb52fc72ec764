"""Undo and redo without limit: what each edit replaced, and what it put there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import is_
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..toml.text import TomlText
    from .design import Design, Part
    from .edit import Edit, Edited


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
        """Take the edit back: make the design from before it of the one after it."""
        design, turned = self._turned(design, self.after, self.before, self.renamed and self.renamed[::-1])
        return design, replace(turned, renamed_key=self.renamed_key and self.renamed_key[::-1])

    def redone(self, design: Design) -> tuple[Design, Turned]:
        """Make the edit again: make the design after it of the one from before it."""
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
        """Make an edit; one that changes nothing leaves no entry.

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
        """Take the last edit back; None when there is none."""
        if not self._done:
            return None
        change = self._done.pop()
        self._undone.append(change)
        self.design, turned = change.undone(self.design)
        return turned

    def redo(self) -> Turned | None:
        """Make the edit again that was taken back last; None when there is none."""
        if not self._undone:
            return None
        change = self._undone.pop()
        self._done.append(change)
        self.design, turned = change.redone(self.design)
        return turned

    def take_back(self) -> Turned | None:
        """Take back the edit that was made just now, as if it had never been; None when there is none."""
        turned = self.undo()
        if turned is not None:
            self._undone, self._saved = self._lost
        return turned
