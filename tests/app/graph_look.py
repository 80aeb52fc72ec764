"""What a graph looks like, as a picture and as a list: on the screen, and without one."""

from __future__ import annotations

from collections.abc import Iterable

from rich.style import Style
from textual.widgets import Static

from stepgraph.graphs.builder import StateGraph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.values.problems import Problem
from stepgraph_tui.drawing import Direction
from stepgraph_tui.drawing.model import Zoom
from stepgraph_tui.drawing.outline import OutlineLines
from stepgraph_tui.drawing.picture.glyphs import UNICODE, Glyphs
from stepgraph_tui.drawing.picture.run_marks import Part
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.graph_view.laid_out_graph import lay_out_graph
from stepgraph_tui.widgets.graph_view.marks import MarkedGraph
from stepgraph_tui.widgets.graph_view.outline import OutlinePainter
from stepgraph_tui.widgets.graph_view.painter import GraphStyles, Painter


class Nowhere:
    """Shows nothing of a graph; it remembers what was to be brought into view."""

    def __init__(self) -> None:
        self.revealed: list[Part] = []

    def touch(self, parts: Iterable[Part]) -> None:
        """Nothing is painted."""

    def reveal(self, part: Part) -> None:
        self.revealed.append(part)


class NoColors(GraphStyles):
    """What parts look like where that does not matter."""

    def __init__(self) -> None:
        super().__init__(Static())

    def __getitem__(self, part: str) -> Style:
        return Style.null()


def model_of(
    graph: StateGraph | CompiledGraph,
    problems: Iterable[Problem] = (),
    *,
    moment: RunSnapshot | None = None,
    glyphs: Glyphs = UNICODE,
) -> MarkedGraph:
    """A graph and what is said of it, without a screen."""
    model = MarkedGraph(glyphs)
    model.display = Nowhere()
    model.take(graph, problems, {}, moment)
    return model


def painter_of(model: MarkedGraph, zoom: Zoom = "compact", direction: Direction = "TB") -> Painter:
    return Painter(lay_out_graph(model.drawing.at(zoom), direction), model.scene, NoColors())


def pictured(model: MarkedGraph, zoom: Zoom = "compact", direction: Direction = "TB") -> list[str]:
    """The whole picture, row by row."""
    return painted(painter_of(model, zoom, direction))


def listed(model: MarkedGraph) -> list[str]:
    """The whole list, line by line."""
    painter = OutlinePainter(model, NoColors())
    lines = OutlineLines(model.drawing.names, model.wiring, model.drawing.start)
    return ["".join(text for text, _ in painter.texts(line, selected=False)).rstrip() for line in lines]


def painted(painter: Painter) -> list[str]:
    picture = painter.laid_out.picture
    return [painter.strip(y, 0, picture.width).text.rstrip() for y in range(picture.height)]


def whole(view: GraphView) -> list[str]:
    """The whole picture as the view paints it, the part that is not seen included."""
    assert view.viewport.painter is not None
    return painted(view.viewport.painter)
