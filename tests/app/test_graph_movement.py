"""Going about in the picture of a graph, by keys and by the mouse."""

from __future__ import annotations

from typing import Any

from textual.geometry import Offset
from textual.pilot import Pilot

from stepgraph import StateGraph
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.graph_view.laid_out_graph import lay_out_graph
from stepgraph_tui.widgets.graph_view.view import Key, PictureCursor
from tests.app.graph_host import graph_of
from tests.app.graph_look import model_of
from tests.app.playing import screen_lines


def cell_of(pilot: Pilot[Any], text: str) -> Offset:
    """Where a text begins on the screen."""
    for y, line in enumerate(screen_lines(pilot.app)):
        if text in line:
            return Offset(line.index(text), y)
    raise AssertionError(f"{text!r} is not seen")


def moved(graph: StateGraph, *keys: Key, start: str, moment: RunSnapshot | None = None) -> list[str | None]:
    """Where keys lead from a node in the picture of a graph, without a screen."""
    model = model_of(graph, moment=moment)
    laid_out, cursor = lay_out_graph(model.drawing, "TB"), PictureCursor(model)
    node, found = start, list[str | None]()
    for key in keys:
        found.append(cursor.move(node, key, laid_out))
        node = found[-1] or node
    return found


def test_down_takes_the_first_edge_whose_box_is_below_and_one_that_leads_back_only_without_such() -> None:
    graph = graph_of("a b", "b b", "b a", "b c", "c a")
    assert moved(graph, "down", "down", "down", start="a") == ["b", "c", "a"]
    assert moved(graph_of("a a"), "down", start="a") == [None]


def test_across_goes_to_a_layer_beside_where_the_own_one_has_no_box_there() -> None:
    """The edge to ``low`` skips the layer of ``b``, and no box of that layer is to the right of ``b``."""
    graph = graph_of("a b", "a low", "a c", "c low", "b d", "low END", "d END")
    laid_out = lay_out_graph(model_of(graph).drawing, "TB")
    row = sorted((laid_out.boxes[name] for name in ("d", "low")), key=lambda box: box.x)
    assert moved(graph, "right", start=row[0].id) == [row[1].id]
    alone = graph_of("a b", "a c", "b x", "x y", "c END", "y END")
    drawn = lay_out_graph(model_of(alone).drawing, "TB").boxes
    assert drawn["x"].layer != drawn["c"].layer
    towards: Key = "right" if drawn["c"].x > drawn["x"].x else "left"
    assert moved(alone, towards, start="x") == ["c"]
