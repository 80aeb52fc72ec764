"""Looking at a large graph: pages, the map in the corner, and parts of the graph drawn alone."""

from __future__ import annotations

from typing import Any

from textual.geometry import Offset
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.graph_view.partial_view import PartialView
from tests.app.graph_host import (
    GraphHost,
    graph_from,
    graph_of,
    looping,
)
from tests.app.graph_look import model_of
from tests.app.playing import play

LINE = tuple(f"n{number} n{number + 1}" for number in range(30))


def drawn(view: GraphView) -> set[str]:
    assert view.viewport.laid_out is not None
    return set(view.viewport.laid_out.boxes)


# Pages


# The map


def test_a_click_on_the_map_goes_there_and_selects_nothing() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(workflow(60)))
        await pilot.pause()
        assert view.viewport.map is not None
        region = view.viewport.map.region
        await pilot.click(offset=Offset(region.right - 2, region.bottom - 2))
        assert view.scroll_offset.x == view.max_scroll_x
        assert view.scroll_offset.y > 0.8 * view.max_scroll_y
        await pilot.click(offset=Offset(region.x + 1, region.y + 1))
        assert view.scroll_offset.x == 0
        assert view.scroll_offset.y < 0.2 * view.max_scroll_y
        assert view.selection.node is None

    play(GraphHost(view), script, (60, 20))


# A part of the graph


def test_focus_draws_what_is_around_the_selected_node_and_escape_all_again() -> None:
    view = GraphView()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_of(*LINE, start="n0"))
        view.selection.select("n10")
        await pilot.press("asterisk")
        assert drawn(view) == {f"n{number}" for number in range(8, 13)}
        await pilot.pause()
        assert "2 edges around: 5 of 31" in host.informed
        await pilot.press("right_parenthesis")
        assert len(drawn(view)) == 7
        await pilot.press("left_parenthesis", "left_parenthesis", "left_parenthesis")
        assert len(drawn(view)) == 3
        await pilot.press("j")  # within what is drawn: it stays
        assert drawn(view) == {"n9", "n10", "n11"}
        await pilot.press("j")  # beyond it: that is in the middle now
        assert drawn(view) == {"n11", "n12", "n13"}
        assert view.search.find("n25") == "1 of 1"
        assert "n25" in drawn(view)
        await pilot.press("o")
        assert [view.back() for _ in range(4)] == [True, True, True, False]  # search, edge, focus
        assert len(drawn(view)) == 31
        await pilot.press("asterisk", "asterisk")
        assert len(drawn(view)) == 31

    play(host, script, (100, 40))


def test_a_run_that_goes_round_where_it_was_has_no_new_path_to_lay_out() -> None:
    graph, seen = looping(4)
    model = model_of(graph, moment=RunSnapshot.at(seen, 2))
    partial = PartialView(model, redraw=lambda: None, later=lambda seconds, call: None)
    assert partial.toggle_path()
    first = partial.subgraph
    model.show(RunSnapshot.at(seen, 4))
    assert partial.subgraph is first


# A layout that takes its time
