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
from stepgraph.formats.export import Exportable
from stepgraph.values.errors import ExportError
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.drawing.svg import Heading, svg_lines
from stepgraph_tui.drawing.svg.widths import cut_to, text_width
from stepgraph_tui.exports.drawings import svg
from tests.chromium import chromium

from .graphs import GRAPHS, Drawn, drawn, drawn_run, looping, ran

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
def test_every_line_leaves_its_node_and_its_arrow_ends_at_the_other_one(path: Path) -> None:
    drawing = GraphDrawing(StateGraph.from_file(path).plan().level())
    picture = Drawn("\n".join(svg_lines(drawing, Heading("x"))))
    frames, edges = picture.frames(), picture.of("edge")
    assert len(edges) == len(drawing.drawn.lines) + 1  # and that from START
    for edge in edges:
        source, target = picture.title(edge).split(":")[0].split(" → ")
        begin, tip = picture.ends(edge)
        assert frames[source].touches(*begin), source
        assert frames[target].touches(*tip), target


@every_graph
def test_no_box_and_no_label_covers_another(path: Path) -> None:
    picture = drawn(StateGraph.from_file(path))
    boxes = [*picture.frames().values()]
    labels = [picture.frame(group, "plate") for group in picture.of("said")]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].meets(pair[1])]
    assert not [pair for pair in combinations(labels, 2) if pair[0].meets(pair[1])]


@every_graph
def test_every_node_and_every_edge_of_an_example_is_in_its_picture(path: Path) -> None:
    graph = StateGraph.from_file(path)
    picture = drawn(graph)
    assert {"START", "END", *graph.plan().level().nodes} == picture.frames().keys()
    described = picture.root.findtext("{http://www.w3.org/2000/svg}desc") or ""
    for edge in graph.plan().level().edges:
        assert f"{edge.source} → {edge.target}" in described


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


def test_names_that_are_too_long_are_cut_and_told_by_a_tooltip() -> None:
    picture = drawn(hostile())
    [long] = [group for group in picture.of("node") if picture.title(group).startswith("WW")]
    assert (picture.part(long, "name").text or "").endswith("W…")
    assert "W" * 300 in picture.title(long)
    assert picture.frame(long).width < 500


def test_a_text_is_cut_to_what_it_may_be_wide() -> None:
    assert cut_to("short", 100, 14) == "short"
    cut = cut_to("a text that is long", 80, 14)
    assert cut.endswith("…")
    assert text_width(cut, 14) <= 80
    assert text_width("確認", 10) > text_width("ab", 10)


def test_a_run_marks_where_it_was_and_what_it_took() -> None:
    picture = drawn_run(ran(looping()))
    told = {picture.title(group).split(" ")[0]: picture.title(group) for group in picture.of("node")}
    assert told["try"].startswith("try (python), 3 visits; done")
    assert {picture.title(edge) for edge in picture.of("edge") if "fired" in edge.attrib["class"]} == {
        "START → try",
        "try → look: taken 3 times",
        "look → END: 1 enough, taken",
        "look → try: 2 again, taken 2 times",
    }
    [back] = picture.of("back")
    assert picture.title(back).startswith("look → try")
    assert "python · done \u00d73" in picture.text


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


def test_a_failed_node_is_marked_and_what_it_never_took_is_not() -> None:
    graph = StateGraph("broken", start="try")
    graph.add_node("try", lambda state: 1 / 0)
    graph.add_edge("try", END)
    picture = drawn_run(ran(graph))
    [failed] = picture.of("failed")
    assert "failed" in picture.title(failed)
    assert [picture.title(edge) for edge in picture.of("fired")] == ["START → try"]


def test_parallel_edges_are_a_bundle_that_tells_of_each() -> None:
    graph = StateGraph("many", start="a")
    graph.add_node("a", dict)
    for number in range(9):
        graph.add_edge("a", END, when=f"x == {number}", label=f"way {number}")
    picture = drawn(graph)
    [bundle] = picture.of("bundle")
    assert all(f"way {number}" in picture.title(bundle) for number in range(9))


def test_an_empty_graph_and_a_broken_one_have_a_picture() -> None:
    assert drawn(StateGraph("", start="")).frames() == {}
    graph = StateGraph("broken", start="nowhere")
    graph.add_node("a", dict)
    graph.add_edge("a", "gone")
    drawing = GraphDrawing(graph)
    picture = Drawn("\n".join(svg_lines(drawing, Heading("broken"))))
    assert picture.frames().keys() == {"a", "gone"}


def test_secrets_are_hidden_wherever_they_are_quoted() -> None:
    graph = StateGraph("quoting", start="a")
    graph.add_key("token", default="s3cret-value", secret=True)
    graph.add_node("a", dict)
    graph.add_edge("a", END, when='token == "s3cret-value"', label="if s3cret-value")
    graph.add_edge("a", END)
    assert "s3cret" not in drawn(graph).text
    assert "s3cret" not in drawn_run(ran(graph)).text


def test_what_is_too_large_for_a_picture_is_refused_with_another_way() -> None:
    graph = StateGraph("dense", start="n0")
    for number in range(400):
        graph.add_node(f"n{number}", dict)
    for number in range(400):
        for other in range(number + 1, 400, 2):
            graph.add_edge(f"n{number}", f"n{other}")
    with pytest.raises(ExportError, match="too large to be drawn") as error:
        svg(Exportable.of_graph(graph.plan()))
    assert "dot" in (error.value.hint or "")


TEXTS_INSIDE = """() => [...document.querySelectorAll('g.node')].map(group => {
    const frame = group.querySelector('.frame').getBBox();
    const texts = [...group.querySelectorAll('text')].map(text => text.getBBox());
    return texts.every(text => text.x >= frame.x && text.y >= frame.y &&
        text.x + text.width <= frame.x + frame.width && text.y + text.height <= frame.y + frame.height);
})"""
LABELS_FIT = """() => [...document.querySelectorAll('g.said')].every(group => {
    const plate = group.querySelector('.plate').getBBox(), text = group.querySelector('text').getBBox();
    return text.x >= plate.x - 2 && text.x + text.width <= plate.x + plate.width + 2;
})"""
GROUND = "() => getComputedStyle(document.querySelector('.ground')).fill"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_in_a_browser_all_texts_lie_in_their_boxes_and_the_ground_is_as_its_reader_likes_it(
    browser: Browser, tmp_path: Path, scheme: str
) -> None:
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    page = context.new_page()
    errors: list[object] = []
    page.on("pageerror", lambda error: errors.append(error))
    page.on("console", lambda message: errors.append(message.text))
    graphs = {"hostile": hostile(), "looping": looping()}
    graphs |= {path.stem: StateGraph.from_file(path) for path in GRAPHS}
    for name, graph in graphs.items():
        file = tmp_path / f"{name}.svg"
        file.write_text(drawn(graph).text, encoding="utf-8")
        page.goto(file.as_uri())
        inside = page.evaluate(TEXTS_INSIDE)
        assert inside, name
        assert all(inside), name
        assert page.evaluate(LABELS_FIT), name
    ground = {"light": "rgb(250, 250, 250)", "dark": "rgb(20, 24, 29)"}
    assert page.evaluate(GROUND) == ground[scheme]
    assert errors == []
    context.close()
