"""Graphs with many edges between few nodes: bundles, stars, cliques, loops on one node."""

from __future__ import annotations

from hypothesis import strategies as st

from stepgraph import END, StateGraph

_LABELS = st.one_of(
    st.none(),
    st.text(max_size=12),
    st.sampled_from(["go", "比較する", "x" * 1000, "a\nb", "\u3164", "é" * 30]),
)


@st.composite
def multigraphs(draw: st.DrawFn) -> StateGraph:
    """Draw a graph of a few nodes, some pairs of which have many edges."""
    count = draw(st.integers(1, 7))
    names = [f"n{number}" for number in range(count)]
    graph = StateGraph("drawn", start="n0")
    for name in names:
        graph.add_node(name, dict)
    pairs = st.tuples(
        st.sampled_from(names),
        st.sampled_from([*names, END]),
        st.integers(1, 12),
        st.lists(_LABELS, min_size=1),
    )
    edges = [
        (source, target, labels[number % len(labels)])
        for source, target, several, labels in draw(st.lists(pairs, max_size=12))
        for number in range(several)
    ]
    for source, target, label in draw(st.permutations(edges)):
        graph.add_edge(source, target, label=label or None)
    return graph
