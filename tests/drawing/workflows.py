"""Made-up graphs of any size, the same for the same seed."""

from __future__ import annotations

import random

from stepgraph_tui.drawing import Diagram, Direction, Edge, Node


def workflow(count: int, seed: int = 7, direction: Direction = "TB") -> Diagram:
    """A workflow as people draw them: mostly onwards, some choices, a few ways back and loops.

    About 1.4 edges a node, every third of them with a label; one edge in twelve leads back.
    """
    dice = random.Random(seed)  # noqa: S311  # a sample, no secret
    names = [f"{dice.choice(_VERBS)}_{number}" for number in range(count)]
    edges = []
    for number, name in enumerate(names[:-1]):
        edges.append(Edge(name, names[number + 1 if dice.random() < 0.6 else _later(dice, number, count)]))
        if dice.random() < 0.35:
            label = dice.choice(_LABELS)
            target = _later(dice, number, count)
            if dice.random() < 0.3:
                target = max(0, number - dice.randint(1, 8))
            edges.append(Edge(name, names[target], f"2 {label}"))
            edges[-2] = Edge(name, edges[-2].target, f"1 {dice.choice(_LABELS)}")
        if dice.random() < 0.02:
            edges.append(Edge(name, name, "again"))
    reached = {edge.target for edge in edges if edge.source != edge.target}
    for number, name in enumerate(names[1:], 1):
        if name not in reached:
            edges.append(Edge(names[max(0, number - dice.randint(1, 4))], name))
    nodes = [Node(name, len(name) + 6, 3) for name in names]
    return Diagram(nodes, edges, direction)


def _later(dice: random.Random, number: int, count: int) -> int:
    return min(count - 1, number + dice.randint(1, 6))


_VERBS = "draft check fetch rate plan write send score parse".split()
_LABELS = "ok retry high low yes no approved rejected".split()
