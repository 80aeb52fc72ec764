"""Graphs as DOT: read by pydot and drawn by Graphviz itself, whatever their names and labels are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import warnings
from typing import Any

import pydot
import pytest
from hypothesis import given

from stepgraph import END, StateGraph
from stepgraph.formats.export import FORMATS, Exportable
from tests.examples import examples
from tests.formats.hard_names import NAMES as ANY_NAMES
from tests.formats.random_graphs import graphs, run_of
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
@given(graph=graphs(ANY_NAMES))
@examples(60, deadline=None)
def test_any_graph_with_a_run_is_drawn_by_graphviz(graph: StateGraph) -> None:
    found = drawn(DOT.write(Exportable.of_run(run_of(graph))).text)
    assert [said(node["label"]) for node in found["objects"]][1 : len(graph.nodes) + 1] == list(graph.nodes)
    assert len(found["edges"]) == 1 + len(graph.edges)
