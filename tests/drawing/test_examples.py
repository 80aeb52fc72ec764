"""The shipped graphs as they are drawn, and what is said of nodes and edges."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph import END, Executor, StateGraph
from stepgraph_tui.drawing import Direction, lay_out, paint
from stepgraph_tui.drawing.model import Zoom
from stepgraph_tui.drawing.picture.glyphs import ASCII
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing, edge_texts
from stepgraph_tui.drawing.picture.run_marks import fired_edges, node_states

from .tracer import read

GRAPHS = sorted((Path(__file__).parents[2] / "graphs").glob("*.toml"))
every_graph = pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
ZOOMS: tuple[Zoom, ...] = ("card", "compact", "chip")


def lines_of(drawing: GraphDrawing, direction: Direction = "TB") -> list[str]:
    picture = lay_out(drawing.diagram(direction))
    return paint(picture, drawing.contents(picture, {}), glyphs=drawing.glyphs)


@every_graph
@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_every_edge_of_an_example_can_be_followed(path: Path, zoom: Zoom, direction: Direction) -> None:
    drawing = GraphDrawing(StateGraph.from_file(path), zoom=zoom)
    picture = lay_out(drawing.diagram(direction))
    found = sorted(read(picture, paint(picture, drawing.contents(picture, {}))).edges)
    assert found == sorted(
        (edge.source, edge.target, label) for edge, label in zip(drawing.edges, drawing.labels, strict=True)
    )


@every_graph
@pytest.mark.parametrize("zoom", ZOOMS)
def test_a_plain_terminal_gets_plain_characters_only(path: Path, zoom: Zoom) -> None:
    graph = StateGraph.from_file(path)
    graph.add_node("prüfen", dict)
    graph.add_edge("prüfen", END, when='order.note == "größer"')
    lines = lines_of(GraphDrawing(graph, zoom=zoom, glyphs=ASCII))
    assert all(line.isascii() for line in lines)
    assert any("pr\\xfcfen" in line for line in lines)


def choices() -> StateGraph:
    graph = StateGraph("choices", start="ask")
    for name in ("ask", "act", "stop"):
        graph.add_node(name, dict)
    graph.add_edge("ask", "act", when="amount >= 100 and currency == 'EUR' or urgent is not None")
    graph.add_edge("ask", "stop", when="amount < 0", label="a refund\nby mistake")
    graph.add_edge("ask", "ask")
    graph.add_edge("act", "ask", label="again")
    graph.add_edge("stop", END, when="done and")
    return graph


def test_edges_are_numbered_where_their_node_has_several() -> None:
    assert edge_texts(choices().edges) == [
        "1 amount >= 100 and currency == 'EUR' or urgent is not None",
        "2 a refund by mistake",
        "3 else",
        "again",
        "broken condition",
    ]


def test_a_long_condition_ends_in_an_ellipsis_and_is_kept_whole_beside() -> None:
    drawing = GraphDrawing(choices(), label_width=12)
    assert drawing.labels[:2] == ["1 amount >=…", "2 a refund …"]
    assert drawing.texts[0].endswith("urgent is not None")


def test_a_broken_graph_is_drawn_as_far_as_it_is_told() -> None:
    graph = StateGraph("broken", start="nowhere")
    graph.add_node("bad\x1b[31m", dict, side_effects=True)
    graph.add_edge("bad\x1b[31m", "missing", label="\x07go")
    text = "\n".join(lines_of(GraphDrawing(graph)))
    assert "P bad\\x1b[31m !" in text
    assert "? missing" in text
    assert "\\x07go" in text


def test_a_run_that_found_no_way_on_marks_its_node_and_no_edge() -> None:
    graph = StateGraph("stuck", start="work")
    graph.add_node("work", lambda state: {"n": 1})
    graph.add_edge("work", END, when="n > 1")
    executor = Executor(graph.compile())
    run = executor.start({}, "r")
    assert node_states(run) == {"work": "next"}
    run = executor.run(run)
    assert node_states(run) == {"work": "failed"}
    assert fired_edges(run, graph.edges) == set()


def test_a_run_that_was_stopped_at_its_cap_has_not_reached_the_end() -> None:
    graph = StateGraph("round", start="work", max_steps=2)
    graph.add_node("work", lambda state: {"n": 1})
    graph.add_edge("work", "work", when="n < 2")
    graph.add_edge("work", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}, "r"))
    assert node_states(run)["work"] == "done"
    assert END not in node_states(run)
    assert fired_edges(run, graph.edges) == {0}
