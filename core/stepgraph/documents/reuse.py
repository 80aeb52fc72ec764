"""What was made of the tables of a document, to be used again where the same table comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from ..graphs.parts import Edge, NodeEntry
    from ..nodes.tools import ToolEntry
    from ..values.state import StateKey
    from .notes import Notes

T = TypeVar("T")


@dataclass(slots=True)
class Made(Generic[T]):
    """What came of one table."""

    table: object
    """The table itself: as long as it is held here, nothing else has its identity."""
    thing: T
    """What the graph keeps of it, at the position where it stood last."""
    notes: Notes | None = None
    """What is wrong with it, if anything is."""


class Shelf(Generic[T]):
    """What was made of the tables of one kind, found by their identity: they are never changed in place.

    Args:
        before: What was made for an earlier document; of it only what is asked for again is kept on.
    """

    def __init__(self, before: Shelf[T] | None) -> None:
        self._before = before._made if before is not None else {}
        self._made: dict[tuple[object, int], Made[T]] = {}

    def get(self, name: object, table: object) -> Made[T] | None:
        """What was made of a table under that name, in which its problems name it."""
        key = name, id(table)
        made = self._before.get(key)
        if made is not None:
            self._made[key] = made
        return made

    def put(self, name: object, made: Made[T]) -> Made[T]:
        """Keep what was made, and give it back."""
        self._made[name, id(made.table)] = made
        return made

    def close(self) -> None:
        """Let go of what was made before and not asked for again."""
        self._before = {}


class Kept:
    """What was made of all tables of a document.

    Args:
        before: What was made for an earlier version of the document.
    """

    def __init__(self, before: Kept | None = None) -> None:
        self.keys: Shelf[StateKey] = Shelf(before.keys if before is not None else None)
        self.tools: Shelf[ToolEntry] = Shelf(before.tools if before is not None else None)
        self.nodes: Shelf[NodeEntry] = Shelf(before.nodes if before is not None else None)
        self.edges: Shelf[Edge] = Shelf(before.edges if before is not None else None)

    def close(self) -> None:
        """Let go of what only the earlier version had."""
        for shelf in (self.keys, self.tools, self.nodes, self.edges):
            shelf.close()
