"""Generated diagrams of every kind, for property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from stepgraph_tui.drawing import Diagram, DiagramEdge, DiagramNode

_LABELS = st.sampled_from(["", "", "", "1 high", "2 else", "ok", "x", "比較する", "3 naïve é", "a b c d e"])


@st.composite
def diagrams(draw: st.DrawFn, most: int = 12) -> Diagram:
    """Any graph: cycles, self-loops, parallel edges, boxes of all sizes, with a frame or without."""
    nodes = [_node(draw, number) for number in range(draw(st.integers(1, most)))]
    names = st.sampled_from([node.id for node in nodes])
    edges = draw(st.lists(st.builds(DiagramEdge, names, names, _LABELS), max_size=3 * len(nodes)))
    return Diagram(nodes, edges, draw(st.sampled_from(["TB", "LR"])))


def _node(draw: st.DrawFn, number: int) -> DiagramNode:
    framed = draw(st.booleans()) or draw(st.booleans())
    name = draw(st.sampled_from(["n", "node_", "節点"])) + str(number)
    width = draw(st.integers(12, 20))
    return DiagramNode(name, width, draw(st.integers(3, 4)) if framed else 1, framed)


@st.composite
def stars(draw: st.DrawFn) -> Diagram:
    """One box in the middle, with edges out of it, into it and back."""
    count = draw(st.integers(1, 25))
    nodes = [DiagramNode("hub", 9, 3), *(DiagramNode(f"leaf_{number}", 10, 3) for number in range(count))]
    edges = []
    for node in nodes[1:]:
        ends = ("hub", node.id) if draw(st.booleans()) else (node.id, "hub")
        edges.append(DiagramEdge(*ends, draw(_LABELS)))
        if draw(st.booleans()):
            edges.append(DiagramEdge(ends[1], ends[0], draw(_LABELS)))
    return Diagram(nodes, edges, draw(st.sampled_from(["TB", "LR"])))


@st.composite
def layered(draw: st.DrawFn) -> Diagram:
    """Layers that are wired to the next ones, densely, so that channels are full."""
    widths = draw(st.lists(st.integers(1, 6), min_size=2, max_size=4))
    rows = [[f"n{number}_{place}" for place in range(width)] for number, width in enumerate(widths)]
    edges = []
    for number, here in enumerate(rows[1:], 1):
        for name in here:
            before = [other for row in rows[max(0, number - 2) : number] for other in row]
            sources = st.sampled_from(before)
            edges += [
                DiagramEdge(source, name, draw(_LABELS)) for source in draw(st.lists(sources, max_size=5))
            ]
    nodes = [DiagramNode(name, draw(st.integers(7, 16)), 3) for row in rows for name in row]
    return Diagram(nodes, edges, draw(st.sampled_from(["TB", "LR"])))
