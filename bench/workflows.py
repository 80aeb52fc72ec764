"""Made-up workflows of any size, for the drawing; the same for the same seed."""

from __future__ import annotations

import random

from stepgraph_tui.drawing import Diagram, DiagramEdge, DiagramNode, Direction

_VERBS = ("draft", "check", "fetch", "rate", "plan", "write", "send", "score", "parse")
_LABELS = ("ok", "retry", "high", "low", "yes", "no", "approved", "rejected")


def workflow(count: int, seed: int = 7, direction: Direction = "TB") -> Diagram:
    """A workflow as people draw them: mostly onwards, some choices, a few ways back and loops.

    About three edges for two nodes; nearly half of them have a label, and one in twelve leads back.
    """
    dice = random.Random(seed)  # noqa: S311  # a sample, no secret
    names = [f"{dice.choice(_VERBS)}_{number}" for number in range(count)]
    edges: list[DiagramEdge] = []
    for number, name in enumerate(names[:-1]):
        onwards = names[number + 1 if dice.random() < 0.6 else _later(dice, number, count)]
        if dice.random() < 0.35:
            edges += _choice(dice, names, number, onwards)
        else:
            edges.append(DiagramEdge(name, onwards))
        if dice.random() < 0.02:
            edges.append(DiagramEdge(name, name, "again"))
    reached = {edge.target for edge in edges if edge.source != edge.target}
    for number, name in enumerate(names[1:], 1):
        if name not in reached:
            edges.append(DiagramEdge(names[max(0, number - dice.randint(1, 4))], name))
    return Diagram([DiagramNode(name, len(name) + 6, 3) for name in names], edges, direction)


def _choice(dice: random.Random, names: list[str], number: int, onwards: str) -> list[DiagramEdge]:
    """Two labeled edges: one onwards, the other farther on or back."""
    label = f"2 {dice.choice(_LABELS)}"
    target = _later(dice, number, len(names))
    if dice.random() < 0.3:
        target = max(0, number - dice.randint(1, 8))
    return [
        DiagramEdge(names[number], onwards, f"1 {dice.choice(_LABELS)}"),
        DiagramEdge(names[number], names[target], label),
    ]


def _later(dice: random.Random, number: int, count: int) -> int:
    return min(count - 1, number + dice.randint(1, 6))
