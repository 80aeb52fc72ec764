"""The bar: on any graph every edge can be followed in the printed text, and none that is not there."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given

from bench.workflows import workflow
from stepgraph_tui.drawing import Diagram, DiagramEdge, DiagramNode, Direction, Picture, lay_out, paint
from tests.examples import examples, some

from .diagrams import diagrams, layered, stars
from .reading import assert_readable, drawn

DIRECTIONS: tuple[Direction, ...] = ("TB", "LR")


_PARALLEL = Diagram(
    [DiagramNode(name, 12, 1, framed=False) for name in ("n0", "n1", "n2", "n3", "n4")],
    [
        *(DiagramEdge("n0", "n2"), DiagramEdge("n0", "n2"), DiagramEdge("n1", "n2", "1 high")),
        *(
            DiagramEdge("n2", "n1", "比較する"),
            DiagramEdge("n2", "n1", "1 high"),
            DiagramEdge("n2", "n1", "ok"),
        ),
    ],
)


@given(diagrams())
@example(_PARALLEL)  # one of the links became straight while a box was moved for another
@examples(120)
def test_any_graph_can_be_read(diagram: Diagram) -> None:
    assert_readable(diagram)


@given(diagrams(most=30))
@examples(20)
def test_larger_graphs_can_be_read(diagram: Diagram) -> None:
    assert_readable(diagram)


@given(stars())
@examples(30)
def test_stars_can_be_read(diagram: Diagram) -> None:
    assert_readable(diagram)


@given(layered())
@examples(40)
def test_dense_layers_can_be_read(diagram: Diagram) -> None:
    assert_readable(diagram)


def test_lines_that_change_places_in_a_channel_can_be_followed() -> None:
    assert_readable(workflow(60, 30, "LR"))  # one of its lines makes a dog-leg, which is rare


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "direction"), some([(2_000, "TB"), (1_000, "LR"), (2_000, "LR"), (1_000, "TB")], 2, 0)
)
def test_large_workflows_can_be_read(count: int, direction: Direction) -> None:
    assert_readable(workflow(count, direction=direction))


def agents(direction: Direction) -> Diagram:
    """Thirty nodes in six stages, five ways back and two self-loops."""
    nodes = [DiagramNode(f"stage_{number // 5}_{number % 5}", 17, 3) for number in range(30)]
    names = [node.id for node in nodes]
    edges = [DiagramEdge(names[number], names[number + 5], f"{number % 3}") for number in range(25)]
    edges += [DiagramEdge(names[number], names[number + 6]) for number in range(0, 24, 2)]
    ways_back = [(25, 0), (20, 10), (21, 16), (12, 6), (27, 22)]
    edges += [DiagramEdge(names[source], names[target], "again") for source, target in ways_back]
    edges += [DiagramEdge(names[7], names[7], "wait"), DiagramEdge(names[19], names[19])]
    return Diagram(nodes, edges, direction)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_ways_back_and_self_loops_have_a_style_of_their_own(direction: Direction) -> None:
    diagram = agents(direction)
    assert_readable(diagram)
    picture, lines = drawn(diagram)
    assert sum(route.back for route in picture.routes) == 7
    dashed = sum(line.count("╎") + line.count("╌") for line in lines)
    assert dashed > 7


def _cells(picture: Picture) -> list[set[tuple[int, int]]]:
    """The cells of each route."""
    found = []
    for route in picture.routes:
        cells = set()
        for (x, y), (to_x, to_y) in pairwise(route.points):
            cells |= {(a, y) for a in range(min(x, to_x), max(x, to_x) + 1)} if y == to_y else set()
            cells |= {(x, b) for b in range(min(y, to_y), max(y, to_y) + 1)} if x == to_x else set()
        found.append(cells)
    return found


@given(diagrams())
@examples(60)
def test_labels_lie_apart_from_boxes_and_from_all_lines_but_their_own(diagram: Diagram) -> None:
    picture = lay_out(diagram)
    routes = _cells(picture)
    taken: set[tuple[int, int]] = set()
    for route in picture.routes:
        if (label := route.label) is None:
            continue
        cells = {(x, label.y) for x in range(label.x, label.x + label.width)}
        assert not cells & taken
        taken |= cells
        assert not any(box.holds(cell) for box in picture.boxes for cell in cells)
        others = (own for edge, own in enumerate(routes) if edge != route.edge)
        assert not any(cells & own for own in others)
        assert all(0 <= x < picture.width and 0 <= y < picture.height for x, y in cells)


def test_a_picture_without_nodes_is_empty() -> None:
    picture = lay_out(Diagram([], []))
    assert (picture.width, picture.height, paint(picture, {})) == (0, 0, [])
