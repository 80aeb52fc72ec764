"""The same graph gives the same picture, and an edit leaves alone what it does not touch."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.workflows import workflow
from stepgraph_tui.drawing import Diagram, DiagramEdge, DiagramNode, Picture, lay_out
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


@given(diagrams(), st.data())
@examples(50)
def test_nodes_keep_their_order_after_an_edit(diagram: Diagram, data: st.DataObject) -> None:
    before = lay_out(diagram)
    names = st.sampled_from([*(node.id for node in diagram.nodes), "new"])
    edges = data.draw(
        st.permutations([*diagram.edges, *data.draw(st.lists(st.builds(DiagramEdge, names, names)))])
    )
    edited = replace(
        diagram, nodes=[*diagram.nodes, DiagramNode("new", 9, 3)], edges=edges, previous=before.order
    )
    after = lay_out(edited)
    for row in _rows(after):
        ranks = [before.order.index(name) for name in row if name in before.order]
        assert ranks == sorted(ranks)
    assert_readable(edited)


def _rows(picture: Picture) -> list[list[str]]:
    """The nodes of each layer, across the flow."""
    rows: dict[int, list[tuple[int, str]]] = {}
    for box in picture.boxes:
        rows.setdefault(box.layer, []).append((box.x if picture.direction == "TB" else box.y, box.id))
    return [[name for _, name in sorted(rows[layer])] for layer in sorted(rows)]


def test_without_an_edit_every_layer_stays_as_it_was() -> None:
    for seed in range(5):
        diagram = workflow(40, seed)
        before = lay_out(diagram)
        assert _rows(lay_out(replace(diagram, previous=before.order))) == _rows(before)


@pytest.mark.parametrize("order", [("a", "b", "c"), ("c", "b", "a"), ("b", "c", "a")])
def test_the_previous_order_is_kept_even_where_another_would_cross_less(order: tuple[str, ...]) -> None:
    nodes = [DiagramNode(name, 9, 3) for name in ("top", "a", "b", "c", "x", "y", "z")]
    edges = [DiagramEdge("top", name) for name in "abc"] + [
        DiagramEdge("a", "z"),
        DiagramEdge("b", "y"),
        DiagramEdge("c", "x"),
    ]
    picture = lay_out(Diagram(nodes, edges, previous=order))
    assert [name for name in picture.order if name in order] == list(order)
