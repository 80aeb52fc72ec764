"""Nodes as text: copied with the edges among them, cut, and pasted under free names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..graphs.parts import END
from ..graphs.validation.report import is_sound, quoted
from ..values.errors import GraphFileError
from .design import Edited, EditError
from .naming import count_text, joined_text, name_text, name_texts, part_in
from .nodes import find_nodes, fresh, leaving
from .placing import (
    fallback,
    last_of,
    led_to,
    new_edge,
    with_edge_tried,
    with_edges,
    with_parts,
    with_setting,
)
from .renaming import renamed_parts
from .text import parts_text, read_parts

if TYPE_CHECKING:
    from .design import Design, Part

_SHOWN = 60  # characters of a text that is none of ours


def copied(design: Design, names: Iterable[str]) -> str:
    """Write nodes, the edges among them and those that leave them, as they would be in a file.

    Raises:
        EditError: One of the nodes does not exist, or none is named.
    """
    nodes = find_nodes(design, names)
    return parts_text([*nodes, *leaving(design, {node.name for node in nodes})])


@dataclass(frozen=True, slots=True)
class Paste:
    """Add the tables of a text: nodes under free names, keys and tools that are missing here."""

    text: str
    after: str | None = None
    """The node that is to lead to the first of the new ones."""

    def apply(self, design: Design) -> Edited:
        """Add them and select the first node.

        Raises:
            EditError: The text has no tables of a graph, or nothing in it is new here.
        """
        parts = self._parts()
        nodes = [part for part in parts if part.kind == "nodes"]
        after = None if self.after == END and not design.nodes else self.after
        if after is not None:
            part_in(design, "nodes", after)
        names = fresh([node.name for node in nodes], design.nodes)
        pasted = _Pasted(design)
        pasted.declare(parts)
        pasted.add_nodes(renamed_parts(nodes, names), after)
        left_out = pasted.add_edges(renamed_parts([part for part in parts if part.kind == "edges"], names))
        if nodes:
            pasted.connect(after)
        return pasted.edited(after, left_out)

    def _parts(self) -> tuple[Part, ...]:
        if not is_sound(self.text):
            raise EditError("the copied text contains an unpaired surrogate", hint=_EXPECTED)
        try:
            parts = read_parts(self.text)
        except GraphFileError as error:
            why = _why(error)
            raise EditError(f"{_first_line(self.text)} cannot be pasted: {why}", hint=_EXPECTED) from None
        if not parts:
            raise EditError(f"{_first_line(self.text)} cannot be pasted: it has no tables", hint=_EXPECTED)
        return parts


_EXPECTED = "copy nodes of a graph, or tables such as [nodes.draft] of its file"


class _Pasted:
    """A design while something is pasted into it."""

    def __init__(self, design: Design) -> None:
        self.design = design
        self._new: list[Part] = []
        self._nodes: list[Part] = []
        self._ways: list[Part] = []
        self._edges = 0

    def declare(self, parts: Iterable[Part]) -> None:
        """Add the keys and tools that are not there yet."""
        for part in parts:
            if part.kind == "state" or part.kind == "tools":
                known = self.design.keys if part.kind == "state" else self.design.tools
                if part.name not in known:
                    self.design = with_parts(self.design, (part,), last_of(self.design, part.kind))
                    self._new.append(part)

    def add_nodes(self, nodes: list[Part], after: str | None) -> None:
        """Add nodes after one, else as the last ones."""
        if nodes:
            place = self.design.nodes[after] if after is not None else last_of(self.design, "nodes")
            self.design = with_parts(self.design, nodes, place)
            self._nodes = nodes

    def add_edges(self, edges: Iterable[Part]) -> list[Part]:
        """Add the edges whose ends exist here; the others are given back."""
        pasted = {node.name for node in self._nodes}
        left_out: list[Part] = []
        for edge in edges:
            known = self.design.nodes
            if edge.source not in known or (edge.target not in known and edge.target != END):
                left_out.append(edge)
                continue
            self._edges += 1
            if edge.source in pasted:
                self._ways.append(edge)
            else:
                self.design = with_edge_tried(self.design, edge.source, edge)
        return left_out

    def connect(self, after: str | None) -> None:
        """Lead to the first node, and from those that lead nowhere to where the way led before."""
        first, onward = self._nodes[0].name, END
        leading = {edge.source for edge in self._ways}
        ends = [node.name for node in self._nodes if node.name not in leading]
        if after is not None:
            old = fallback(self.design, after)
            if old is None or ends or old.target in {END, *(edge.target for edge in self._ways)}:
                self.design, onward = led_to(self.design, after, first)
            else:  # nothing would lead to the old place any more
                self.design = with_edge_tried(self.design, after, new_edge(after, first))
        ways = [*self._ways, *(new_edge(name, onward) for name in ends)]
        self.design = with_edges(self.design, after if after is not None else first, ways)
        if not self.design.start:
            self.design = with_setting(self.design, "start", first)

    def edited(self, after: str | None, left_out: list[Part]) -> Edited:
        """Build the resulting design.

        Raises:
            EditError: Nothing was new.
        """
        things = name_texts([node.name for node in self._nodes], "node")
        things += [count_text(self._edges, "edge")] if self._edges else []
        things += name_texts([part.name for part in self._new], "declaration")
        if not things:
            raise EditError("nothing you copied is new here", hint="copy nodes")
        text = f"paste {joined_text(things)}" + (f" after {name_text(after)}" if after is not None else "")
        if left_out:
            text += f"; without {count_text(len(left_out), 'edge')} to places that do not exist here"
        return Edited(self.design, text, node=self._nodes[0].name if self._nodes else None)


def _why(error: GraphFileError) -> str:
    if not error.problems:
        return error.message
    problem = error.problems[0]
    line = problem.place.line
    return f"line {line}: {problem.message}" if line is not None else problem.message


def _first_line(text: str) -> str:
    """Write the first line of a text, shortened and safe to show."""
    line = text.lstrip()[: _SHOWN + 1].split("\n", 1)[0].strip()
    return quoted(line) if line else "an empty text"
