"""A graph with the marks of a run, ready to be drawn in one way or another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from textual.reactive import var
from textual.scroll_view import ScrollView

from stepgraph_tui.drawing.from_graph import GraphDrawing
from stepgraph_tui.drawing.glyphs import UNICODE, Glyphs
from stepgraph_tui.drawing.trail import Part, Trail
from stepgraph_tui.widgets.chrome.pane import Pane

from .badges import Badge, badges_of
from .marks import Marks
from .moved import Kind, Moved
from .movement import Wiring
from .scene import Scene
from .styles import COMPONENTS, CSS, Palette

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph.problems import Problem
    from stepgraph_tui.viewing import Moment, RunView

    from .moved import Names

Said = TypeVar("Said")


class MarkedGraph(Pane, ScrollView, inherit_bindings=False):
    """A graph with the marks of a run; how it is drawn is for others to say.

    Its parts are nodes by their names and edges by their positions in the graph. Others count edges as the
    graph file does, which may have some that could not be built.

    Args:
        glyphs: The characters to draw with.
        beside: A pane that is always told to draw the same graph, and before this one; what it has found out
            of the graph is used here, too.
        id: The widget's id.
    """

    DEFAULT_CSS = CSS
    COMPONENT_CLASSES = COMPONENTS
    ALLOW_MAXIMIZE = False

    follow: var[bool] = var(True, init=False)
    """Whether the node that comes next is kept in view."""
    running: var[str | None] = var(None)
    """The node that runs now."""
    dimmed: var[Mapping[int, str]] = var[Mapping[int, str]](dict, init=False, always_update=True)
    """The edges that are never taken, by their count in the file, each with the reason in words."""

    def __init__(
        self, *, glyphs: Glyphs = UNICODE, beside: MarkedGraph | None = None, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self.glyphs = glyphs
        self._beside = beside
        self.graph: StateGraph | CompiledGraph | None = None
        self.drawing: GraphDrawing
        self.scene = Scene(Marks(Trail(())))
        self.palette = Palette(self)
        self._wiring = Wiring(())
        self._moved = Moved((), (), {})  # since the graph before
        self._problems: Iterable[Problem] = ()
        self._run: RunView | None = None

    # For those who draw

    def drawn(self, names: Names) -> None:
        """Another graph is to be drawn: ``drawing`` is new; some nodes of the one before were renamed."""

    def touch(self, parts: Iterable[Part]) -> None:
        """Something else is to be said of these nodes and edges."""

    def reveal(self, part: Part) -> None:
        """Bring a node or an edge into view."""

    def scroll_at_once(self, x: float | None = None, y: float | None = None) -> None:
        """Scroll to a place, as far as there is one."""
        if self.is_attached:
            self.scroll_to(x, y, animate=False, force=True)

    # The graph

    def draw(
        self,
        graph: StateGraph | CompiledGraph,
        problems: Sequence[Problem] | None = (),
        renamed: Names | None = None,
    ) -> None:
        """Draw a graph. What is selected or said of its parts stays so as far as the graph still has them.

        Args:
            graph: The graph; broken ones are drawn as far as they are told.
            problems: What is wrong with it; None when that is not known yet.
            renamed: The nodes of the graph before that have another name now: the old with the new names.
        """
        names = renamed or {}
        self.graph = graph
        known = self._beside if self._beside is not None and self._beside.graph is graph else None
        self._take_over(known or GraphDrawing(graph, glyphs=self.glyphs), names)
        self._carry(self._moved)
        if problems is not None:
            self.scene.badges = self._badges(problems)
        elif known is not None:
            self.scene.badges = known.scene.badges
        else:
            self.scene.badges = self._carried(self.scene.badges, self._moved)
        self._run = None
        self.scene.marks = self._marks(self.moment)
        self.drawn(names)

    def _take_over(self, known: MarkedGraph | GraphDrawing, names: Names) -> None:
        """Know the graph, from a pane that knows it already or from itself."""
        before = self._wiring.edges
        if isinstance(known, GraphDrawing):
            self.drawing, self._wiring = known, Wiring(known.edges)
        else:
            self.drawing, self._wiring, self._moved = known.drawing, known._wiring, known._moved
        if self._moved.before is not before or isinstance(known, GraphDrawing):
            self._moved = Moved(before, self._wiring.edges, names)

    def _carry(self, moved: Moved) -> None:
        """Say of each part what was said of it before the edit."""
        scene = self.scene
        scene.hits = ()
        if scene.node is not None:
            node = moved.now(scene.node)
            scene.node = node if node is not None and self.has(node) else None
        if scene.edge is not None:
            edge = moved.now(scene.edge)
            scene.edge = edge if edge is not None and scene.node in self._ends(edge) else None
        scene.faint = self._carried(scene.faint, moved)

    def _carried(self, said: Mapping[Kind, Said], moved: Moved) -> dict[Kind, Said]:
        """What was said of the parts of the graph before, by what they are now."""
        pairs = ((moved.now(part), word) for part, word in said.items())
        return {part: word for part, word in pairs if part is not None and self.has(part)}

    def has(self, part: Part) -> bool:
        """Whether the graph has a node or an edge; a picture may still be that of another graph."""
        if isinstance(part, str):
            return self.graph is not None and part in self.drawing.names
        return 0 <= part < len(self._wiring.edges)

    def position_of(self, count: int) -> int | None:
        """The position of the edge that a file counts so."""
        edges = self._wiring.edges
        if 0 <= count < len(edges) and edges[count].index == count:
            return count
        position = bisect_left(edges, count, key=attrgetter("index"))
        return position if position < len(edges) and edges[position].index == count else None

    def _ends(self, edge: int) -> tuple[str, str]:
        return self._wiring.edges[edge].source, self._wiring.edges[edge].target

    # What is wrong with it

    def show_problems(self, problems: Iterable[Problem]) -> None:
        """Mark the nodes and edges that have problems, and no others; the picture stays where it is."""
        before, now = self.scene.badges, self._badges(problems)
        self.scene.badges = now
        if before != now:
            self.touch({part for part, _ in before.items() ^ now.items()})

    def _badges(self, problems: Iterable[Problem]) -> Mapping[Part, Badge]:
        self._problems = problems
        other = self._beside
        if other is not None and other._problems is problems and other.drawing is self.drawing:
            return other.scene.badges
        return badges_of(problems, self._wiring.edges, self.position_of)

    def watch_dimmed(self, dimmed: Mapping[int, str]) -> None:
        """Draw edges that are never taken fainter than others."""
        before, self.scene.faint = (
            self.scene.faint,
            {edge: why for count, why in dimmed.items() if (edge := self.position_of(count)) is not None},
        )
        self.touch(before.keys() ^ self.scene.faint.keys())

    def reason_of(self, edge: int) -> str | None:
        """Why an edge, by its count in the file, is never taken; None when it may be."""
        position = self.position_of(edge)
        return self.scene.faint.get(position) if position is not None else None

    # The run

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
