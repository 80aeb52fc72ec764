"""The same graph gives the same picture, and an edit leaves alone what it does not touch."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Container
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bench.workflows import workflow
from stepgraph_tui.drawing import Box, Diagram, DiagramEdge, DiagramNode, Direction, Picture, lay_out
from stepgraph_tui.drawing.layout.pipeline import _arranged
from tests.examples import examples

from .diagrams import diagrams
from .reading import assert_readable

_PROGRAM = """
from bench.workflows import workflow
from stepgraph_tui.drawing import lay_out
print([lay_out(workflow(60, seed, way)) for seed in range(3) for way in ("TB", "LR")])
"""


def _printed(seed: str) -> str:
    env = {**os.environ, "PYTHONHASHSEED": seed}
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM], capture_output=True, check=True, encoding="utf-8", env=env
    ).stdout


def test_the_picture_does_not_depend_on_the_hash_seed() -> None:
    assert _printed("1") == _printed("2")


@st.composite
def edits(draw: st.DrawFn) -> tuple[Diagram, Diagram]:
    """A diagram, and the same after an edit: parts are gone, resized, reordered, and new ones are there."""
    before = draw(diagrams())
    nodes = [replace(node, width=draw(st.integers(9, 22))) for node in before.nodes if draw(_MOSTLY)]
    nodes += [DiagramNode(f"new{number}", 9, 3) for number in range(draw(st.integers(0, 3)))]
    old = st.sampled_from([node.id for node in nodes[: len(before.nodes)]] or ["new0"])
    names = {node.id for node in nodes}
    kept = [edge for edge in before.edges if {edge.source, edge.target} <= names and draw(_MOSTLY)]
    added = [DiagramEdge(*ends) for ends in draw(st.lists(st.tuples(old, old), max_size=4))]
    for node in nodes:
        if node.id.startswith("new") and names - {node.id}:
            others = st.lists(st.sampled_from(sorted(names - {node.id})), max_size=2)
            added += [DiagramEdge(other, node.id) for other in draw(others)]
            added += [DiagramEdge(node.id, other) for other in draw(others)]
    edges = [edge for edge in (*kept, *added) if {edge.source, edge.target} <= names]
    return before, replace(before, nodes=nodes, edges=draw(st.permutations(edges)))


_MOSTLY = st.integers(0, 5).map(bool)


def _redrawn(before: Diagram, after: Diagram) -> tuple[Picture, Picture]:
    """The picture before an edit and after it, unless it must be drawn afresh: it would cross too much."""
    picture = lay_out(before)
    changed = replace(after, previous=picture)
    *_, crossings = _arranged(changed)
    *_, fewest = _arranged(after)
    assume(crossings <= max(picture.crossings, 10) or crossings <= 10 + 2 * fewest)
    return picture, lay_out(changed)


def _rows(picture: Picture, among: Container[str]) -> list[list[str]]:
    """Some nodes of each layer that has any, across the flow."""
    rows: dict[int, list[tuple[int, str]]] = {}
    for box in picture.boxes:
        if box.id in among:
            rows.setdefault(box.layer, []).append((box.x if picture.direction == "TB" else box.y, box.id))
    return [[name for _, name in sorted(rows[layer])] for layer in sorted(rows)]


def _boxes(picture: Picture) -> dict[str, Box]:
    return {box.id: box for box in picture.boxes}


def _stay(before: Diagram, after: Diagram) -> set[str]:
    """The nodes that nothing moves: no new way leads up to them, nor to those that stand above them."""
    layer = {box.id: box.layer for box in lay_out(before).boxes}
    old = {(edge.source, edge.target) for edge in before.edges}
    below: dict[str, set[str]] = {node.id: set() for node in after.nodes}
    for edge in after.edges:
        was_back = (edge.source, edge.target) in old and layer[edge.source] > layer[edge.target]
        source, target = (edge.target, edge.source) if was_back else (edge.source, edge.target)
        below[source].add(target)
    moved: list[str] = []
    for name in layer.keys() & below.keys():
        ways = [(name, target) for target in sorted(below[name])]
        for here, target in ways:  # through new nodes, to the next ones that were there
            if target not in layer:
                ways += [way for onward in sorted(below[target]) if (way := (target, onward)) not in ways]
            elif (here, target) not in old and layer[target] <= layer[name]:
                moved.append(target)
    for name in moved:
        moved += below[name] - {*moved}
    return layer.keys() & below.keys() - {*moved}


@given(edits())
@examples(150)
def test_only_a_new_way_that_does_not_lead_down_moves_a_node_to_another_layer(
    edit: tuple[Diagram, Diagram],
) -> None:
    before, after = _redrawn(*edit)
    stay = _stay(*edit)
    assert _rows(after, stay) == _rows(before, stay)


@given(edits())
@examples(100)
def test_nodes_of_one_layer_keep_their_order_and_everything_can_be_read(
    edit: tuple[Diagram, Diagram],
) -> None:
    assert_readable(replace(edit[1], previous=lay_out(edit[0])))
    before, after = _redrawn(*edit)
    for row in _rows(after, _boxes(before)):
        ranks = [before.order.index(name) for name in row]
        assert ranks == sorted(ranks)


@given(edits())
@examples(100)
def test_an_edge_leads_back_as_it_did_and_a_new_one_only_where_it_closes_a_cycle(
    edit: tuple[Diagram, Diagram],
) -> None:
    before, after = _redrawn(*edit)
    was = {(route.source, route.target): route.back for route in before.routes}
    for route in after.routes:
        ends = (route.source, route.target)
        if ends in was:
            assert route.back == was[ends]
        elif route.back:
            others = (other for other in after.routes if other is not route)
            down = [(o.target, o.source) if o.back else (o.source, o.target) for o in others]
            assert route.source == route.target or route.source in _reached(route.target, down)


def _reached(node: str, ways: list[tuple[str, str]]) -> set[str]:
    seen = [node]
    for name in seen:
        seen += {target for source, target in ways if source == name} - {*seen}
    return {*seen}


@given(edits(), st.data())
@examples(60)
def test_the_same_holds_in_the_other_direction(edit: tuple[Diagram, Diagram], data: st.DataObject) -> None:
    before, after = _redrawn(*edit)
    turned = lay_out(replace(edit[1], direction="LR" if before.direction == "TB" else "TB", previous=after))
    names = _boxes(after)
    assert _rows(turned, names) == _rows(after, names)


@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_a_picture_that_is_edited_for_long_has_not_many_more_crossings_than_a_new_one(
    direction: Direction,
) -> None:
    diagram = workflow(30, direction=direction)
    names = [node.id for node in diagram.nodes]
    picture = lay_out(diagram)
    for number in range(40):
        edge = DiagramEdge(names[number * 7 % 30], names[(number * 11 + 5) % 30])
        diagram = replace(diagram, edges=[*diagram.edges[1:], edge])
        before, picture = picture, lay_out(replace(diagram, previous=picture))
        new = lay_out(diagram)
        assert picture.crossings <= max(before.crossings, 10 + 2 * new.crossings)


def test_an_edit_after_which_the_old_order_would_cross_much_more_is_drawn_afresh() -> None:
    names = [f"n{number}" for number in range(12)]
    nodes = [DiagramNode(name, 9, 3) for name in names]
    pairs = [*zip(names[:6], names[6:], strict=True)]
    before = lay_out(Diagram(nodes, [DiagramEdge(*ends) for ends in pairs]))
    turned = [*zip(names[:6], reversed(names[6:]), strict=True)]
    crossed = Diagram(nodes, [DiagramEdge(*ends) for ends in turned])
    after = lay_out(replace(crossed, previous=before))
    assert (before.crossings, after.crossings) == (0, 0)
    assert after == lay_out(crossed)


def test_a_node_between_two_layers_gets_one_of_its_own_and_the_next_one_shares_it() -> None:
    nodes = [DiagramNode(name, 9, 3) for name in ("top", "a", "b", "END")]
    edges = [DiagramEdge("top", name) for name in "ab"] + [DiagramEdge(name, "END") for name in "ab"]
    picture = lay_out(Diagram(nodes, edges))
    rows = []
    for name in "ab":
        nodes.append(DiagramNode(f"new_{name}", 9, 3))
        edges.remove(DiagramEdge("top", name))
        edges += [DiagramEdge("top", f"new_{name}"), DiagramEdge(f"new_{name}", name)]
        picture = lay_out(Diagram(nodes, edges, previous=picture))
        rows.append(_rows(picture, _boxes(picture)))
    assert rows == [
        [["top"], ["new_a"], ["a", "b"], ["END"]],
        [["top"], ["new_a", "new_b"], ["a", "b"], ["END"]],
    ]
