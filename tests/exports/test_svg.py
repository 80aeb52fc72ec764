"""Pictures as SVG: read back by a parser, measured, and looked at in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser

from stepgraph import END, StateGraph
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.drawing.svg import Heading, svg_lines
from tests.chromium import chromium

from .graphs import GRAPHS, Drawn, drawn, drawn_run, ran

every_graph = pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)

HOSTILE = [
    "</title><script>alert(1)</script>",
    'a" onload="alert(1)',
    "]]><!ENTITY x>",
    "\x00\x1b[31m\x7f",
    "\ufffe\uffff\ud800",
    "left\u202eright",
    "שלום עולם",
    "確認するノード" * 6,
    "🚀 👩\u200d👩\u200d👧",
    "W" * 300,
    "&lt;b&gt; &amp; {{ x }} ${y} url(http://example.com/x)",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


def hostile() -> StateGraph:
    graph = StateGraph(HOSTILE[0], start=HOSTILE[1])
    for name in HOSTILE:
        graph.add_node(name, dict)
    for name, target in zip(HOSTILE, [*HOSTILE[1:], END], strict=True):
        graph.add_edge(name, target, label=target)
        graph.add_edge(name, name, label=name)
    return graph


@every_graph
def test_no_box_and_no_label_covers_another(path: Path) -> None:
    picture = drawn(StateGraph.from_file(path))
    boxes = [*picture.frames().values()]
    labels = [picture.frame(group, "plate") for group in picture.of("said")]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].meets(pair[1])]
    assert not [pair for pair in combinations(labels, 2) if pair[0].meets(pair[1])]


def test_whatever_a_graph_is_called_the_picture_is_xml_without_scripts_or_foreign_places() -> None:
    picture = drawn(hostile())
    kinds = {element.tag.rpartition("}")[2] for element in picture.root.iter()}
    assert kinds == {"svg", "title", "desc", "style", "rect", "g", "path", "polygon", "text"}
    names = {name for element in picture.root.iter() for name in element.attrib}
    assert not [name for name in names if name.startswith("on") or "href" in name or name == "style"]
    assert "url(" not in picture.text.partition("<style>")[2].partition("</style>")[0]
    assert not re.search(
        r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ufffe\uffff\ud800-\udfff]", picture.text
    )
    assert "onload=&quot;alert" in picture.text


@given(st.text(min_size=1), st.text())
def test_any_name_and_any_label_make_a_picture_that_can_be_read(name: str, label: str) -> None:
    graph = StateGraph(label, start=name)
    graph.add_node(name, dict)
    graph.add_edge(name, name, label=label)
    picture = Drawn("\n".join(svg_lines(GraphDrawing(graph), Heading(label, name, note=label))))
    assert len(picture.of("edge")) == 1 + len(GraphDrawing(graph).drawn.lines)


@every_graph
def test_the_way_of_a_run_leads_from_start_to_where_it_stands(path: Path) -> None:
    run = ran(StateGraph.from_file(path))
    picture = drawn_run(run)
    fired = [picture.title(edge).split(":")[0].split(" → ") for edge in picture.of("fired")]
    reached = {target for _, target in fired}
    assert "START" in {source for source, _ in fired}
    stands = END if run.current is None else run.current.split("/")[0]
    assert stands in reached
    visited = {picture.title(node).split(" ")[0] for node in picture.of("done") if node in picture.of("node")}
    assert visited | {"START"} >= {source for source, _ in fired}


def test_secrets_are_hidden_wherever_they_are_quoted() -> None:
    graph = StateGraph("quoting", start="a")
    graph.add_key("token", default="s3cret-value", secret=True)
    graph.add_node("a", dict)
    graph.add_edge("a", END, when='token == "s3cret-value"', label="if s3cret-value")
    graph.add_edge("a", END)
    assert "s3cret" not in drawn(graph).text
    assert "s3cret" not in drawn_run(ran(graph)).text
