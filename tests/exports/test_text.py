"""Drawings as text."""

from __future__ import annotations

from stepgraph import END, StateGraph
from stepgraph.formats.export import Exportable
from stepgraph_tui.exports import FORMATS
from stepgraph_tui.exports.drawings import text

from .graphs import GRAPHS, ran


def test_labels_that_were_cut_are_told_below_and_secrets_are_hidden() -> None:
    graph = StateGraph("long", start="a")
    graph.add_key("token", default="s3cret-value", secret=True)
    graph.add_node("a", dict)
    graph.add_edge("a", END, when='token == "s3cret-value"', label="if it is s3cret-value, and nothing else")
    graph.add_edge("a", END)
    written = text(Exportable.of_graph(graph.plan())).text
    assert "s3cret" not in written
    assert "\n\n  a: 1 if it is " in written
    assert written.endswith("nothing else\n")


def test_formats_have_names_of_their_own_and_can_be_loaded() -> None:
    names = [each.name for each in FORMATS]
    assert len(set(names)) == len(names)
    graph = next(path for path in GRAPHS if path.stem == "tool_router")
    source = Exportable.of_run(ran(StateGraph.from_file(graph)))
    for each in FORMATS:
        assert each.write(source).text.endswith("\n")
