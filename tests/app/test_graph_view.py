"""The picture of a graph on the screen."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from stepgraph import StateGraph
from stepgraph_tui.drawing import Diagram, DiagramEdge, DiagramNode, Direction, lay_out, paint
from stepgraph_tui.drawing.model import Zoom
from stepgraph_tui.drawing.picture.glyphs import UNICODE, Glyphs
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from tests.app.graph_host import graph_from
from tests.app.graph_look import model_of, pictured
from tests.drawing.diagrams import diagrams

ZOOMS: tuple[Zoom, ...] = ("card", "compact", "chip")


def shown(graph: StateGraph, zoom: Zoom, direction: Direction, glyphs: Glyphs) -> list[str]:
    return pictured(model_of(graph, glyphs=glyphs), zoom, direction)


def printed(graph: StateGraph, zoom: Zoom, direction: Direction, glyphs: Glyphs) -> list[str]:
    drawing = GraphDrawing(graph, zoom=zoom, glyphs=glyphs, shares=True)
    picture = lay_out(drawing.diagram(direction))
    contents = drawing.contents(picture, {graph.settings.start: "start"})
    return paint(picture, contents, glyphs=glyphs)


WIDENED = Diagram(
    [
        DiagramNode("a1", 12, 1, framed=False),
        DiagramNode("c1", 12, 1, framed=False),
        DiagramNode("b1", 12, 3),
    ],
    [DiagramEdge("a1", "b1"), DiagramEdge("b1", "c1"), DiagramEdge("a1", "c1"), DiagramEdge("b1", "a1")],
)
"""Its edges make a chip wider than its text."""


@settings(deadline=None, max_examples=60)
@given(diagrams(), st.sampled_from(ZOOMS))
@example(WIDENED, "chip")
def test_any_graph_is_shown_as_it_is_printed(diagram: Diagram, zoom: Zoom) -> None:
    graph = graph_from(diagram)
    assert shown(graph, zoom, diagram.direction, UNICODE) == printed(graph, zoom, diagram.direction, UNICODE)
