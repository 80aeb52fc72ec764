"""Many edges between two nodes are one line, and what is too large for a picture says so."""

from __future__ import annotations

from itertools import pairwise

import pytest

from stepgraph import StateGraph
from stepgraph_tui.drawing import (
    Diagram,
    DiagramEdge,
    DiagramNode,
    Direction,
    TooLargeToDrawError,
    lay_out,
    least_width,
    paint,
)
from stepgraph_tui.drawing.layout import layering as size_limit
from stepgraph_tui.drawing.layout import ports as port_sliding
from stepgraph_tui.drawing.layout.layering import LayeredGraph
from stepgraph_tui.drawing.outline import outline_text
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.drawing.picture.paint import bundle_text

from .reading import assert_readable


def parallel(count: int, target: str = "b") -> StateGraph:
    graph = StateGraph("parallel", start="a")
    for name in "ab":
        graph.add_node(name, dict)
    for number in range(count):
        graph.add_edge("a", target, label=f"way {number}")
    return graph


def star(count: int, *, into: bool = False) -> Diagram:
    leaves = [f"leaf_{number}" for number in range(count)]
    ends = [(leaf, "hub") if into else ("hub", leaf) for leaf in leaves]
    nodes = [DiagramNode(name, 12, 3) for name in ("hub", *leaves)]
    return Diagram(nodes, [DiagramEdge(*pair) for pair in ends])


def complete(count: int, direction: Direction = "TB") -> Diagram:
    names = [f"n{number}" for number in range(count)]
    edges = [DiagramEdge(one, other) for one in names for other in names if one != other]
    return Diagram([DiagramNode(name, 12, 3) for name in names], edges, direction)


def test_a_few_parallel_edges_are_drawn_one_by_one() -> None:
    drawing = GraphDrawing(parallel(4))
    assert [edge.label for edge in drawing.diagram().edges] == [f"{n + 1} way {n}" for n in range(4)]


@pytest.mark.parametrize("target", ["a", "b", "END"])
def test_many_are_one_line_that_says_how_many_they_are(target: str) -> None:
    diagram = GraphDrawing(parallel(1500, target)).diagram()
    (edge,) = diagram.edges
    assert (edge.source, edge.target, edge.label) == ("a", target, "x1500: 1 way 0, …")
    assert_readable(diagram)


@pytest.mark.parametrize(
    ("texts", "width", "said"),
    [
        (["1 a", "2 b"], 24, "x2: 1 a, 2 b"),
        (["1 a", "2 b", "3 c", "4 d", "5 e"], 16, "x5: 1 a, 2 b, …"),
        (["1 a", "2 b", "3 c", "4 d", "5 e"], 12, "x5: 1 a, …"),
        (["1 " + "x" * 1000, "2 b"], 24, "x2"),
        (["1 比較する", "2 比較する"], 24, "x2: 1 比較する, …"),
    ],
)
def test_the_label_of_a_bundle_has_as_many_texts_as_fit(texts: list[str], width: int, said: str) -> None:
    assert bundle_text(texts, width, "…") == said


def test_a_picture_of_too_many_lines_is_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LayeredGraph, "_add_arc", lambda *_: pytest.fail("a line was made"))
    for direction in ("TB", "LR"):
        with pytest.raises(TooLargeToDrawError, match="9,900 lines between 100 boxes are too many"):
            lay_out(complete(100, direction))
    with pytest.raises(TooLargeToDrawError):
        least_width(complete(100))


def test_a_text_of_too_many_cells_is_refused_though_there_is_a_picture() -> None:
    picture = lay_out(star(2000))
    assert len(picture.routes) == 2000
    with pytest.raises(TooLargeToDrawError, match="cells are too many for a text"):
        paint(picture, {})


@pytest.mark.parametrize("into", [False, True])
def test_the_ports_of_a_box_with_very_many_edges_stay_and_can_be_followed(
    into: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_sliding, "_FULL", 20)
    assert_readable(star(40, into=into))


def test_an_outline_says_what_the_picture_would() -> None:
    graph = parallel(2)
    graph.add_edge("b", "END")
    text = list(outline_text(GraphDrawing(graph), {"a": "done", "b": "next"}, fired={1}))
    assert text == ["✓ P a  done", "    ↓ b  [2 way 1, taken]", "► P b  NEXT  [1 way 0]", "    END"]


def test_a_former_picture_never_makes_one_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"n{number}" for number in range(8)]
    nodes = [DiagramNode(name, 12, 3) for name in names]
    chain = Diagram(nodes, [DiagramEdge(one, other) for one, other in pairwise(names)])
    flat = [DiagramEdge(names[0], name) for name in names[1:]]  # in the layers of the chain it has 28 links
    monkeypatch.setattr(size_limit, "_LINKS", 10)
    picture = lay_out(Diagram(nodes, flat, previous=lay_out(chain)))
    assert {box.layer for box in picture.boxes} == {0, 1}
