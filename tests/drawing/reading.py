"""Plain contents for made-up boxes, and the check that all tests share."""

from __future__ import annotations

from stepgraph_tui.drawing import BoxContent, Diagram, Picture, lay_out, paint

from .tracer import read


def contents(diagram: Diagram) -> dict[str, BoxContent]:
    """Each box with its name in it."""
    return {
        node.id: BoxContent([f" {node.id}"]) if node.framed else BoxContent([f" {node.id}"], ends=("(", ")"))
        for node in diagram.nodes
    }


def drawn(diagram: Diagram) -> tuple[Picture, list[str]]:
    """The picture and its text."""
    picture = lay_out(diagram)
    return picture, paint(picture, contents(diagram))


def assert_readable(diagram: Diagram) -> None:
    """Whoever follows the printed lines finds exactly the diagram's edges, each with its label."""
    picture, lines = drawn(diagram)
    found = sorted(read(picture, lines).edges)
    assert found == sorted((edge.source, edge.target, edge.label) for edge in diagram.edges), "\n".join(lines)
