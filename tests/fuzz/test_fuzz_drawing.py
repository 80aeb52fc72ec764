"""Any graph is drawn in full, whatever it has: each edge is on one line that can be followed."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from stepgraph import StateGraph
from stepgraph_tui.drawing import Direction, lay_out, paint
from stepgraph_tui.drawing.model import Zoom
from stepgraph_tui.drawing.outline import OutlineLines, Wiring, outline_text
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE, Glyphs
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from tests.drawing.reading import assert_readable

from .multigraphs import multigraphs

_DIRECTIONS: st.SearchStrategy[Direction] = st.sampled_from(["TB", "LR"])
_ZOOMS: st.SearchStrategy[Zoom] = st.sampled_from(["card", "compact", "chip"])
_GLYPHS: st.SearchStrategy[Glyphs] = st.sampled_from([UNICODE, ASCII])


@given(multigraphs(), _DIRECTIONS, _ZOOMS, _GLYPHS)
def test_every_edge_is_on_one_line_and_every_line_can_be_followed(
    graph: StateGraph, direction: Direction, zoom: Zoom, glyphs: Glyphs
) -> None:
    drawing = GraphDrawing(graph, zoom=zoom, glyphs=glyphs)
    drawn = drawing.drawn
    stood_for = [edge for line in drawn.lines for edge in drawn.at(line)]
    assert sorted(stood_for) == list(range(len(graph.edges)))
    for line in drawn.lines:
        ends = {(graph.edges[edge].source, graph.edges[edge].target) for edge in drawn.at(line)}
        assert len(ends) == 1
    assert (
        max(Counter((edge.source, edge.target) for edge in drawing.diagram().edges).values(), default=0) < 5
    )
    diagram = drawing.diagram(direction)
    assert_readable(diagram)
    picture = drawing.numbered(lay_out(diagram))
    assert [route.edge for route in picture.routes] == list(drawn.lines)
    lines = paint(picture, drawing.contents(picture, {}), glyphs=glyphs)
    assert len(lines) == picture.height
    if glyphs is ASCII:
        assert "".join(lines).isascii()


@given(multigraphs(), _GLYPHS)
def test_the_outline_has_every_node_and_every_edge_once(graph: StateGraph, glyphs: Glyphs) -> None:
    drawing = GraphDrawing(graph, glyphs=glyphs)
    lines = OutlineLines(drawing.names, Wiring(drawing.edges), drawing.start)
    edges = [line.edge for line in lines if line.edge is not None]
    assert sorted(edges) == list(range(len(graph.edges)))
    own = Counter(line.node for line in lines if line.node in graph.nodes and not line.elsewhere)
    assert own == Counter(list(graph.nodes))
    text = list(outline_text(drawing, {}))
    assert len(text) == len(lines)
    assert all("\n" not in line for line in text)
