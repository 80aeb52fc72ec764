"""The mouse on a picture, and what is selected and found in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stepgraph.graphs import END

from ...drawing.picture.run_marks import Part

if TYPE_CHECKING:
    from textual.events import MouseEvent
    from textual.geometry import Offset
    from textual.widget import Widget

    from .marks import MarkedGraph
    from .viewport import Viewport


class PictureMouse:
    """Finds what the mouse points at, and pulls the picture along with it.

    Args:
        widget: Where the picture is; it captures the mouse.
        marked: The graph.
        viewport: What is seen of the picture.
    """

    def __init__(self, widget: Widget, marked: MarkedGraph, viewport: Viewport) -> None:
        self._widget, self._marked, self._viewport = widget, marked, viewport
        self._grip: Offset | None = None  # where the mouse holds the picture

    def under(self, event: MouseEvent) -> Part | None:
        """Find the node or the edge that the mouse points at."""
        part = self._viewport.part_at(event.get_content_offset(self._widget))
        return part if part is not None and self._marked.has(part) else None

    def press(self, event: MouseEvent) -> None:
        """Grab the picture where nothing lies."""
        if event.button == 1 and self.under(event) is None:
            self._grip = event.screen_offset
            self._widget.capture_mouse()

    def move(self, event: MouseEvent) -> None:
        """Pull the picture along."""
        if self._grip is not None:
            by = event.screen_offset - self._grip
            self._grip = event.screen_offset
            self._viewport.pull(by)

    def release(self) -> None:
        """Release the picture."""
        if self._grip is not None:
            self._grip = None
            self._widget.release_mouse()


Target = Literal["start", "end", "out", "in"]
"""Where a key goes in a graph: to its start, to its END, or to the next edge out of a node or into it."""


@dataclass(slots=True)
class Hits:
    """What was found, in the order of reading; after the last comes the first."""

    parts: Sequence[Part] = ()
    at: int = 0
    """Which of them is looked at."""

    @classmethod
    def of(cls, text: str, texts: Iterable[tuple[Part, str]], near: Part | None) -> Hits:
        """Look for a text, whatever its case, from a node or an edge on; for nothing when it is empty."""
        wanted = text.casefold()
        found: list[Part] = []
        first: int | None = None
        for part, content in texts:
            if part == near:
                first = len(found)
            if wanted and wanted in content.casefold():
                found.append(part)
        return cls(found, (first or 0) % max(1, len(found)))

    @property
    def part(self) -> Part | None:
        """What is looked at; None when nothing was found."""
        return self.parts[self.at] if self.parts else None

    def turn(self, by: int) -> None:
        """Look at the next one, or the one before."""
        self.at = (self.at + by) % max(1, len(self.parts))

    def __str__(self) -> str:
        return f"{self.at + 1} of {len(self.parts)}" if self.parts else "not found"


class GraphSelection:
    """The selected node, or one of its edges, and the hits of a search.

    Args:
        marked: The graph.
        say: Called when the person at the keyboard has selected something.
        findable: The nodes and edges in the order of reading, with their texts.
        put: Called with each selected node before it is shown, for a display that has a cursor of its own.
    """

    def __init__(
        self,
        marked: MarkedGraph,
        *,
        say: Callable[[], object],
        findable: Callable[[], Iterable[tuple[Part, str]]],
        put: Callable[[str | None], None] = lambda node: None,
    ) -> None:
        self._marked, self._say, self._findable, self._put = marked, say, findable, put
        self._hits = Hits()

    @property
    def node(self) -> str | None:
        """The selected node; where an edge is selected, the end of it that one came from."""
        return self._marked.scene.node

    @property
    def edge(self) -> int | None:
        """The selected edge, as the file counts them."""
        edge = self._marked.scene.edge
        return self._marked.wiring.edges[edge].index if edge is not None else None

    def select(self, node: str) -> None:
        """Select a node and bring it into view, without saying so."""
        if self._marked.has(node):
            self._show(node, None)

    def select_edge(self, count: int) -> None:
        """Select an edge, as the file counts them, and bring it into view, without saying so."""
        edge = self._marked.position_of(count)
        if edge is not None:
            self._show(self._end_of(edge), edge)

    def _end_of(self, edge: int) -> str:
        """Choose the end that an edge is selected from: the selected node if it is one of them."""
        ends = self._marked.ends(edge)
        return self.node if self.node is not None and self.node in ends else ends[0]

    def _show(self, node: str | None, edge: int | None) -> None:
        scene, display = self._marked.scene, self._marked.display
        self._put(node)
        before = scene.node, scene.edge
        scene.node, scene.edge = node, edge
        display.touch({part for part in (*before, node, edge) if part is not None})
        if scene.selected is not None:
            display.reveal(scene.selected)

    def choose(self, node: str | None, edge: int | None = None) -> None:
        """Select for the person at the keyboard, and say so."""
        if node is not None and (node, edge) != (self._marked.scene.node, self._marked.scene.edge):
            self._show(node, edge)
            self._say()

    def choose_part(self, part: Part) -> None:
        """Choose a node, or an edge from the selected end."""
        if isinstance(part, int):
            self.choose(self._end_of(part), part)
        else:
            self.choose(part)

    def go(self, to: Target) -> None:
        """Choose the node where a run begins, the END, or the next edge of the selected node."""
        if to == "start" and self._marked.graph is not None:
            self.choose(next(iter(self._marked.drawing.names), None))
        elif to == "end" and self._marked.has(END):
            self.choose(END)
        elif to in ("out", "in") and self.node is not None:
            edge = self._marked.wiring.next_edge(self.node, to, self._marked.scene.edge)
            if edge is not None:
                self.choose(self.node, edge)

    # Searching

    def find(self, text: str) -> str:
        """Choose the first match at or after what is selected, and mark all of them."""
        texts = [(part, content) for part, content in self._findable() if self._marked.has(part)]
        self._mark(Hits.of(text, texts, self._marked.scene.selected))
        return self._go_to_hit()

    def next(self, by: int) -> str:
        """Choose the next match or the one before."""
        self._hits.turn(by)
        return self._go_to_hit()

    def forget_hits(self) -> None:
        """Forget a search: the graph is another one, and nothing is marked in it."""
        self._hits = Hits()

    def end(self) -> bool:
        """Mark nothing any more; False where nothing was found."""
        searched = bool(self._hits.parts)
        self._mark(Hits())
        return searched

    def _mark(self, hits: Hits) -> None:
        scene = self._marked.scene
        marked = scene.hits
        self._hits, scene.hits = hits, frozenset(hits.parts)
        self._marked.display.touch({*marked, *scene.hits})

    def _go_to_hit(self) -> str:
        part = self._hits.part
        if isinstance(part, int):
            self.choose(self._marked.ends(part)[0], part)
        elif part is not None:
            self.choose(part)
        return str(self._hits)

    def back(self) -> bool:
        """End the search, else go from the edge back to its node; False where there is neither."""
        if self.end():
            return True
        on_edge = self._marked.scene.edge is not None
        if on_edge:
            self.choose(self.node)
        return on_edge

    # Copying

    def copied(self) -> str | None:
        """Copy the name of the node, or the text of the edge; its ends when it has none."""
        edge = self._marked.scene.edge
        if edge is None:
            return self.node
        return self._marked.drawing.texts[edge] or " -> ".join(self._marked.ends(edge))

    def copied_path(self) -> str | None:
        """Copy where the node or the edge is in the graph file."""
        if self.edge is not None:
            return f"edges[{self.edge}]"
        return f"nodes.{self.node}" if self.node not in (None, END) else None
