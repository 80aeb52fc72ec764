"""The bar: on any graph every edge can be followed in the printed text, and none that is not there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from stepgraph_tui.drawing import Diagram, Direction

from .diagrams import diagrams, layered, stars
from .faces import assert_readable
from .workflows import workflow


@given(diagrams())
@settings(max_examples=200)
def test_any_graph_can_be_read(diagram: Diagram) -> None:
    assert_readable(diagram)


@given(stars())
@settings(max_examples=40)
def test_stars_can_be_read(diagram: Diagram) -> None:
    assert_readable(diagram)


@given(layered())
@settings(max_examples=60)
def test_dense_layers_can_be_read(diagram: Diagram) -> None:
    assert_readable(diagram)


@pytest.mark.parametrize("direction", ["TB", "LR"])
@pytest.mark.parametrize("count", [30, 200])
def test_workflows_can_be_read(count: int, direction: Direction) -> None:
    for seed in range(3):
        assert_readable(workflow(count, seed, direction))
