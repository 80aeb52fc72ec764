"""A diagram as it was read, whatever it was written in: texts at ids, and arrows between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..files.limits import MAX_EDGES, MAX_NODES
from .reading import refused

_STARTS = ("start", "__start__", "begin")
_ENDS = ("end", "__end__", "stop")
_ROOM = 4
"""How many times the nodes and edges that a graph may have are read, to say how many there are."""
MOST_NODES = _ROOM * MAX_NODES
MOST_EDGES = _ROOM * MAX_EDGES
"""So many are read."""


class ForeignEdge(NamedTuple):
    """An arrow."""

    source: str
    target: str
    text: str = ""
    line: int | None = None


@dataclass
class ForeignDiagram:
    """What a reader has found; ``drafting`` makes a graph of it."""

    kind: str
    """What it was written as, with its article."""
    file: str
    title: str = ""
    nodes: dict[str, str] = field(default_factory=dict)
    """The text at each id, empty where it has none, in the order in which the ids first came."""
    edges: list[ForeignEdge] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)
    """Ids that say: here it begins. They are not nodes."""
    ends: set[str] = field(default_factory=set)
    """Ids that say: here it ends. They are not nodes."""
    exact: bool = False
    """Whether it is ours: texts of nodes are their names, those of edges labels and conditions."""
    notes: list[str] = field(default_factory=list)

    def add_node(self, id: str, text: str | None = None) -> None:
        """Add a node, or give one its text."""
        if text is not None or id not in self.nodes:
            self.nodes[id] = text or ""
            if len(self.nodes) > MOST_NODES:
                raise self.too_many("nodes", MAX_NODES)

    def add_edge(self, source: str, target: str, text: str = "", line: int | None = None) -> None:
        """Add an edge, and its ends where they are new."""
        self.add_node(source)
        self.add_node(target)
        self.edges.append(ForeignEdge(source, target, text, line))
        if len(self.edges) > MOST_EDGES:
            raise self.too_many("edges", MAX_EDGES)

    def too_many(self, noun: str, most: int) -> Exception:
        """Make the error of a diagram that is so large that nobody counts it."""
        message = f"it has more than {_ROOM * most:,} {noun}; a graph may have at most {most:,}"
        return refused("F032", message, self.file, None, "take a part of it")

    def find_marks(self) -> None:
        """Find the nodes that only say where it begins and where it ends.

        Of ours they are known by their ids; of others by what they are called, and by how they are connected.
        """
        sources = Counter(edge.source for edge in self.edges)
        targets = {edge.target for edge in self.edges}
        if self.exact:
            self.starts += ["START"] * ("START" in self.nodes)
            self.ends |= {"END"} & self.nodes.keys()
            return
        for id, text in self.nodes.items():
            if id not in sources and id in targets and _called(id, text, _ENDS):
                self.ends.add(id)
            elif id not in targets and sources[id] == 1 and _called(id, text, _STARTS):
                self.starts.append(id)

    @property
    def proper(self) -> Iterator[str]:
        """The ids of what is a node, and no mark."""
        marks = self.ends.union(self.starts)
        return (id for id in self.nodes if id not in marks)


def _called(id: str, text: str, words: tuple[str, ...]) -> bool:
    return (text.strip() or id).casefold() in words
