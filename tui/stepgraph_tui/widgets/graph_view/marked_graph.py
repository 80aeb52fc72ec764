"""A graph with the marks of a run, ready to be drawn in one way or another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual.reactive import var
from textual.scroll_view import ScrollView

from stepgraph_tui.drawing.from_graph import GraphDrawing
from stepgraph_tui.drawing.glyphs import UNICODE, Glyphs
from stepgraph_tui.drawing.trail import Part, Trail
from stepgraph_tui.widgets.pane import Pane

from .marks import Marks
from .movement import Wiring
from .scene import Scene
from .styles import COMPONENTS, CSS, Palette

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph.problems import Problem
    from stepgraph_tui.viewing import Moment, RunView


class MarkedGraph(Pane, ScrollView, inherit_bindings=False):
    """A graph with the marks of a run; how it is drawn is for others to say.

    Args:
        glyphs: The characters to draw with.
        id: The widget's id.
    """

    DEFAULT_CSS = CSS
    COMPONENT_CLASSES = COMPONENTS
    ALLOW_MAXIMIZE = False

    follow: var[bool] = var(True, init=False)
    """Whether the node that comes next is kept in view."""
    running: var[str | None] = var(None)
    """The node that runs now."""

    def __init__(self, *, glyphs: Glyphs = UNICODE, id: str | None = None) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self.graph: StateGraph | CompiledGraph | None = None
        self.scene = Scene(Marks(Trail(())))
        self.palette = Palette(self)
        self._wiring = Wiring(())
        self._run: RunView | None = None

    # For those who draw

    def drawn(self) -> None:
        """Another graph is to be drawn: ``drawing`` is new."""

    def touch(self, parts: Iterable[Part]) -> None:
        """Something else is to be said of these nodes and edges."""

    def reveal(self, part: Part) -> None:
        """Bring a node or an edge into view."""

    def scroll_at_once(self, x: float | None = None, y: float | None = None) -> None:
        """Scroll to a place, as far as there is one."""
        if self.is_attached:
            self.scroll_to(x, y, animate=False, force=True)

    # The graph

    def draw(self, graph: StateGraph | CompiledGraph, problems: Sequence[Problem] = ()) -> None:
        """Draw a graph. What is selected stays so as far as the graph still has it.

        Args:
            graph: The graph; broken ones are drawn as far as they are told.
            problems: What is wrong with it; nodes with errors are marked.
        """
        self.graph = graph
        self.drawing = GraphDrawing(graph, glyphs=self.glyphs)
        edges = self.drawing.edges
        self._wiring = Wiring(edges)
        scene = self.scene
        scene.broken = {problem.place.node or "" for problem in problems if problem.is_error}
        scene.hits = ()
        if scene.node is not None and not self.has(scene.node):
            scene.node = None
        if scene.edge is not None and not (self.has(scene.edge) and scene.node in self._ends(scene.edge)):
            scene.edge = None
        self._run = None
        scene.marks = self._marks(self.moment)
        self.drawn()

    def has(self, part: Part) -> bool:
        """Whether the graph has a node or an edge; a picture may still be that of another graph."""
        if isinstance(part, str):
            return self.graph is not None and part in self.drawing.looks
        return 0 <= part < len(self._wiring.edges)

    def _ends(self, edge: int) -> tuple[str, str]:
        return self._wiring.edges[edge].source, self._wiring.edges[edge].target

    def _marks(self, moment: Moment | None) -> Marks:
        trail = self.scene.marks.trail
        if self._run is not (moment.view if moment is not None else None) or self._run is None:
            trail = Trail(self._wiring.edges)
        self._run = moment.view if moment is not None else None
        if moment is not None:
            return Marks.of(trail, moment)
        return Marks.without_a_run(trail, self.graph.settings.start if self.graph is not None else "")

    def show(self, moment: Moment | None) -> None:
        """Say what there is to say at a moment; the picture stays where it is."""
        before, self.scene.marks = self.scene.marks, self._marks(moment)
        self.touch(self.scene.marks.changed(before))
        if self.follow:
            self.reveal_next()

    def reveal_next(self) -> None:
        """Bring the node that runs or comes next into view."""
        node = self.running or self.scene.marks.place
        if node is not None and self.moment is not None:
            self.reveal(node)

    def watch_running(self, before: str | None, running: str | None) -> None:
        """Mark the node that runs."""
        self.scene.running = running
        self.touch(node for node in (before, running) if node is not None)
        if self.follow and running is not None:
            self.reveal(running)

    def watch_follow(self, follow: bool) -> None:
        """Go to the next node when following begins."""
        if follow:
            self.reveal_next()

    def notify_style_update(self) -> None:
        """Take the colours of a new theme."""
        super().notify_style_update()
        self.palette = Palette(self)
