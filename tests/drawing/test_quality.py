"""How good the pictures are: few turns, few crossings, and not much wider than they have to be."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from statistics import mean

import pytest

from bench.workflows import workflow
from stepgraph_tui.drawing import Picture, lay_out

SEEDS = range(5)


def _crossings(picture: Picture) -> int:
    met: Counter[tuple[int, int]] = Counter()
    for route in picture.routes:
        own = set()
        for (x, y), (to_x, to_y) in pairwise(route.points):
            own |= {
                (a, b)
                for a in range(min(x, to_x), max(x, to_x) + 1)
                for b in range(min(y, to_y), max(y, to_y) + 1)
            }
        met.update(own)
    return sum(count - 1 for count in met.values())


# ELK's layered layout has 394 turns and 69 crossings on average on these five graphs, dot 24 crossings.
def test_a_workflow_of_200_nodes_has_few_turns_and_crossings() -> None:
    pictures = [lay_out(workflow(200, seed)) for seed in SEEDS]
    assert mean(sum(len(route.points) - 2 for route in picture.routes) for picture in pictures) <= 320
    assert mean(_crossings(picture) for picture in pictures) <= 28
    assert max(picture.width for picture in pictures) <= 120


@pytest.mark.parametrize("seed", SEEDS)
def test_a_workflow_of_12_nodes_fits_an_ordinary_terminal(seed: int) -> None:
    assert lay_out(workflow(12, seed)).width <= 56
