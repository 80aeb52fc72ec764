"""Graphs as DOT: read by pydot and drawn by Graphviz itself, whatever their names and labels are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import warnings
from html import unescape
from typing import Any

import pydot
import pytest
from hypothesis import given

from stepgraph import END, StateGraph
from stepgraph.formats.edge_texts import edge_text
from stepgraph.formats.export import FORMATS, Exportable
from tests.examples import examples
from tests.formats.hard_names import HARD_NAMES
from tests.formats.hard_names import NAMES as ANY_NAMES
from tests.formats.random_graphs import graphs, run_of
from tests.formats.test_mermaid import chained
from tests.graphs.playing import NAMES, compiled

DOT = next(each for each in FORMATS if each.name == "dot")
GRAPHVIZ = shutil.which("dot")
needs_graphviz = pytest.mark.skipif(
    GRAPHVIZ is None and os.environ.get("CI") != "true",
    reason="Graphviz is not here: install Debian's graphviz",
)


def graphviz(text: str, kind: str) -> str:
    """What Graphviz makes of a digraph, with nothing to remark."""
    assert GRAPHVIZ is not None
    done = subprocess.run([GRAPHVIZ, f"-T{kind}"], input=text.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


def drawn(text: str) -> Any:
    """The nodes and edges that Graphviz has drawn, as JSON."""
    return json.loads(graphviz(text, "json"), strict=False)  # it writes control characters as they are


def said(label: str) -> str:
    """What a label that Graphviz has kept as it was written says."""
    plain = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], label)
    return re.sub(
        r"&(?:amp|#\d+);", lambda found: "&" if found[0] == "&amp;" else chr(int(found[0][2:-1])), plain
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_read_by_pydot_as_it_is(name: str) -> None:
    graph = compiled(name).level()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of pyparsing, in pydot
        [found] = pydot.graph_from_dot_data(DOT.write(Exportable.of_graph(compiled(name))).text) or []
    nodes = [node for node in found.get_nodes() if node.get_name() not in ("graph", "node", "edge")]
    labels = {node.get_name(): node.get("label").strip('"') for node in nodes}
    assert [text for text in labels.values() if text not in ("START", END)] == list(graph.nodes)
    edges = [
        (labels[str(edge.get_source())], labels[str(edge.get_destination())]) for edge in found.get_edges()
    ]
    assert sorted(edges) == sorted(
        [("START", graph.start), *((edge.source, edge.target) for edge in graph.edges)]
    )


@needs_graphviz
@pytest.mark.parametrize("name", NAMES)
def test_every_example_is_drawn_by_graphviz(name: str) -> None:
    graph = compiled(name).level()
    shown = [
        unescape(text)
        for text in re.findall(
            r"<text[^>]*>(.*?)</text>", graphviz(DOT.write(Exportable.of_graph(compiled(name))).text, "svg")
        )
    ]
    assert set(graph.nodes) | {"START", END, graph.name} <= set(shown)


@needs_graphviz
def test_names_that_mean_something_to_graphviz_are_kept_as_they_are() -> None:
    names = [name for name in HARD_NAMES if "\x00" not in name]
    text = DOT.write(Exportable.of_graph(chained(names, [*names[1:], "last"]).compile())).text
    found = drawn(text)
    assert [said(node["label"]) for node in found["objects"]] == ["START", *names, END]
    labels = [edge_text(label, None) for label in (*names[1:], "last")]
    assert [said(edge["label"]) for edge in found["edges"] if edge.get("label")] == labels
    shown = [unescape(each) for each in re.findall(r"<text[^>]*>(.*?)</text>", graphviz(text, "svg"))]
    plain = [name for name in names if name.isprintable() and name == " ".join(name.split())]
    assert set(plain) <= {" ".join(each.replace("\xa0", " ").split()) for each in shown}


@needs_graphviz
@given(graph=graphs(ANY_NAMES))
@examples(60, deadline=None)
def test_any_graph_with_a_run_is_drawn_by_graphviz(graph: StateGraph) -> None:
    found = drawn(DOT.write(Exportable.of_run(run_of(graph))).text)
    assert [said(node["label"]) for node in found["objects"]][1 : len(graph.nodes) + 1] == list(graph.nodes)
    assert len(found["edges"]) == 1 + len(graph.edges)


def test_what_a_run_visited_and_took_is_coloured() -> None:
    graph = chained(["one", "two", "three"], ["a", "b", "c"])
    lines = DOT.write(Exportable.of_run(run_of(graph, steps=1))).text.splitlines()
    [one] = [line for line in lines if line.startswith("    one [")]
    [two] = [line for line in lines if line.startswith("    two [")]
    assert "#1a7f37" in one
    assert "#0969da" in two
    assert [("#1a7f37" in line) for line in lines if "->" in line] == [True, True, False, False]
