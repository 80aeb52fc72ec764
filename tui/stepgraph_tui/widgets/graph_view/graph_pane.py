"""What the picture of a graph and its outline have in common: selecting, finding, copying."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual.message import Message
from textual.reactive import var

from stepgraph.graph_parts import END
from stepgraph_tui.commands import GRAPH, bindings
from stepgraph_tui.drawing.picture.glyphs import UNICODE, Glyphs
from stepgraph_tui.drawing.picture.run_marks import Part

from .hits import Hits
from .marked_graph import MarkedGraph
from .movement import Side

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph.problems import Problem

    from .moved import Names


class GraphPane(MarkedGraph):
    """A graph of which one node is selected, and perhaps one of that node's edges.

    Args:
        glyphs: The characters to draw with.
        beside: A pane that is always told to draw the same graph, and before this one.
        id: The widget's id.
    """

    BINDINGS = bindings(GRAPH)

    class Selected(Message):
        """Somebody has selected a node, or one of its edges, in the pane."""

        def __init__(self, pane: GraphPane) -> None:
            super().__init__()
            self.pane = pane
            self.node = pane.selected
            """The selected node; where an edge is selected, the end of it that one came from."""
            self.edge = pane.selected_edge
            """The selected edge, as the file counts them; None when it is the node that is selected."""

    class Connected(Message):
        """Somebody has drawn a line from one node to another with the mouse."""

        def __init__(self, source: str, target: str) -> None:
            super().__init__()
            self.source = source
            self.target = target
            """A node, the same one too; ``END`` as graphs have it."""

    class Inspected(Message):
        """Somebody wants to see all of what is selected."""

    class OutlineToggled(Message):
        """Somebody wants to see the outline, or not to see it any more."""

    marked: var[frozenset[str]] = var(frozenset[str](), init=False)
    """The nodes that somebody has marked, to do something with all of them."""
    empty_hint: var[str] = var("", init=False)
    """What to do where the graph has no nodes."""

    def __init__(
        self, *, glyphs: Glyphs = UNICODE, beside: GraphPane | None = None, id: str | None = None
    ) -> None:
        super().__init__(glyphs=glyphs, beside=beside, id=id)
        self._hits = Hits()

    def findable(self) -> Iterable[tuple[Part, str]]:
        """The nodes and edges in the order of reading, with their texts."""
        return ()

    def draw(
        self,
        graph: StateGraph | CompiledGraph,
        problems: Sequence[Problem] | None = (),
        renamed: Names | None = None,
    ) -> None:
        """Draw a graph; a search is over then, and marks of nodes that are gone vanish."""
        self._hits = Hits()
        names = renamed or {}
        super().draw(graph, problems, names)
        self.marked = frozenset(filter(self.has, (names.get(node, node) for node in self.marked)))

    def watch_marked(self, before: frozenset[str], marked: frozenset[str]) -> None:
        """Show the marks."""
        self.scene.picked = marked
        self.touch(before ^ marked)

    def watch_empty_hint(self) -> None:
        """Say it."""
        self.refresh()

    # What is selected

    @property
    def selected(self) -> str | None:
        """The selected node; where an edge is selected, the end of it that one came from."""
        return self.scene.node

    @property
    def selected_edge(self) -> int | None:
        """The selected edge, as the file counts them."""
        edge = self.scene.edge
        return self._wiring.edges[edge].index if edge is not None else None

    def select(self, node: str) -> None:
        """Select a node and bring it into view. Nothing is posted: this is for others to say."""
        if self.has(node):
            self._select(node, None)

    def select_edge(self, index: int) -> None:
        """Select an edge, as the file counts them, and bring it into view. Nothing is posted, either."""
        edge = self.position_of(index)
        if edge is not None:
            ends = self._ends(edge)
            self._select(self.selected if self.selected in ends else ends[0], edge)

    def _select(self, node: str | None, edge: int | None) -> None:
        scene = self.scene
        before = scene.node, scene.edge
        scene.node, scene.edge = node, edge
        self.touch({part for part in (*before, node, edge) if part is not None})
        if scene.selected is not None:
            self.reveal(scene.selected)

    def choose(self, node: str | None, edge: int | None = None) -> None:
        """Select for the person at the keyboard, and say so."""
        if node is not None and (node, edge) != (self.scene.node, self.scene.edge):
            self._select(node, edge)
            self.post_message(self.Selected(self))

    # What the keys do

    def action_next_edge(self, side: Side) -> None:
        """Select the next edge of the selected node."""
        if self.selected is not None:
            edge = self._wiring.next_edge(self.selected, side, self.scene.edge)
            if edge is not None:
                self.choose(self.selected, edge)

    def action_inspect(self) -> None:
        """Show all of what is selected."""
        if self.selected is not None:
            self.post_message(self.Inspected())

    def action_select_start(self) -> None:
        """Select the node where a run begins."""
        if self.graph is not None:
            self.choose(next(iter(self.drawing.names), None))

    def action_select_end(self) -> None:
        """Select the END."""
        if self.has(END):
            self.choose(END)

    def action_toggle_follow(self) -> None:
        """Keep the next node in view, or stop that."""
        self.follow = not self.follow

    def action_toggle_outline(self) -> None:
        """Show the outline, or not."""
        self.post_message(self.OutlineToggled())

    # What every pane can do

    def find(self, text: str) -> str:
        """Select the first match at or after what is selected, and mark all of them."""
        texts = [(part, said) for part, said in self.findable() if self.has(part)]
        self._mark(Hits.of(text, texts, self.scene.selected))
        return self._go_to_hit()

    def find_next(self, by: int) -> str:
        """Go to the next match or the one before."""
        self._hits.turn(by)
        return self._go_to_hit()

    def end_find(self) -> None:
        """Mark nothing any more."""
        self._mark(Hits())

    def _mark(self, hits: Hits) -> None:
        marked = self.scene.hits
        self._hits, self.scene.hits = hits, frozenset(hits.parts)
        self.touch({*marked, *self.scene.hits})

    def _go_to_hit(self) -> str:
        part = self._hits.part
        if isinstance(part, int):
            self.choose(self._ends(part)[0], part)
        elif part is not None:
            self.choose(part)
        return str(self._hits)

    def back(self) -> bool:
        """End the search; go from the edge back to its node."""
        if self._hits.parts:
            self.end_find()
        elif self.scene.edge is not None:
            self.choose(self.selected)
        else:
            return False
        return True

    def copied(self) -> str | None:
        """The name of the node; the text of the edge, or its ends when it has none."""
        edge = self.scene.edge
        if edge is None:
            return "END" if self.selected == END else self.selected
        source, target = ("END" if end == END else end for end in self._ends(edge))
        return self.drawing.texts[edge] or f"{source} -> {target}"

    def copied_path(self) -> str | None:
        """Where the node or the edge is in the graph file."""
        if self.selected_edge is not None:
            return f"edges[{self.selected_edge}]"
        return f"nodes.{self.selected}" if self.selected not in (None, END) else None
