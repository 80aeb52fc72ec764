"""Looking at a large graph: pages, the map in the corner, and parts of the graph drawn alone."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from textual.geometry import Offset, Region, Size
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph import END
from stepgraph_tui.drawing import Diagram, Picture, lay_out
from stepgraph_tui.drawing.outline.wiring import Wiring
from stepgraph_tui.drawing.picture.glyphs import ASCII
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.graph_view import GraphView, layouts, partial_view
from stepgraph_tui.widgets.graph_view.layouts import lay_out_graph
from stepgraph_tui.widgets.graph_view.minimap import Minimap
from stepgraph_tui.widgets.graph_view.partial_view import PartialView, around
from tests.app.graph_host import (
    GraphHost,
    graph_from,
    graph_of,
    looping,
    refund,
    refund_at,
)
from tests.app.graph_look import NoColours, model_of
from tests.app.playing import play, screen_lines
from tests.app.test_graph_layouts import idle

LINE = tuple(f"n{number} n{number + 1}" for number in range(30))


def drawn(view: GraphView) -> set[str]:
    assert view.viewport.laid_out is not None
    return set(view.viewport.laid_out.boxes)


# Pages


def test_pages_and_halves_move_the_picture_and_leave_the_selection() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_of(*LINE, start="n0"))
        view.selection.select("n0")
        await pilot.pause()
        found = []
        for key in ("pagedown", "ctrl+d", "ctrl+u", "pageup", "pageup"):
            await pilot.press(key)
            found.append(view.scroll_offset.y)
        assert found == [20, 30, 20, 0, 0]
        assert view.selection.node == "n0"

    play(GraphHost(view), script, (40, 20))


def test_a_picture_that_flows_to_the_right_is_paged_that_way_and_any_is_panned_sideways() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_of(*LINE, start="n0"))
        await pilot.press("v", "pagedown")
        assert view.scroll_offset == (40, 0)
        await pilot.press("H", "L", "L")
        assert view.scroll_offset == (60, 0)

    play(GraphHost(view), script, (40, 20))


# The map


def test_the_map_is_there_for_pictures_of_some_screens_and_for_who_asks() -> None:
    large, small = (
        lay_out_graph(model_of(graph_of(*LINE, start="n0")).drawing, "TB"),
        lay_out_graph(model_of(graph_of("n0 n1")).drawing, "TB"),
    )
    pane = Size(60, 20)
    seen = Region(0, 0, 60, 20)
    for laid_out, wanted, shown in (
        (large, None, False),  # a narrow line of boxes takes no four screens
        (large, True, True),
        (large, False, False),
        (small, True, False),
    ):
        picture_map = Minimap(laid_out, model_of(graph_of("n0 n1")).scene, NoColours())
        picture_map.put(pane, seen, [], wanted=wanted)
        assert bool(picture_map.region) == shown


def test_the_map_never_covers_what_is_selected_and_goes_to_another_corner() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> set[Any]:
        view.draw(graph_from(workflow(60)))
        await pilot.pause()
        corners = set()
        assert view.viewport.laid_out is not None
        for node in view.viewport.laid_out.boxes:
            view.selection.select(node)
            await pilot.pause()
            place = view.viewport.laid_out.place_of(node).translate(view.viewport.shift)
            assert view.viewport.map is not None
            assert not view.viewport.map.region.overlaps(place)
            corners.add(view.viewport.map.region.offset)
        return corners

    assert len(play(GraphHost(view), script, (60, 20))) > 1


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (100, 30), (120, 40), (200, 60)])
def test_the_map_shows_what_is_seen_and_goes_with_the_picture(size: tuple[int, int]) -> None:
    view = GraphView(glyphs=ASCII)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(workflow(200)))
        await idle(pilot, view)
        first = view.viewport.map
        assert first is not None
        assert first.region
        assert first.region.right == size[0]
        assert first.region.bottom == size[1]
        top = first._seen
        view.viewport.scroll(0, view.max_scroll_y)
        await pilot.pause()
        assert first._seen.y > top.y
        assert first._seen.bottom == first._inside.height
        assert all(line.isascii() for line in screen_lines(pilot.app))
        await pilot.press("M")
        assert not first.region
        await pilot.press("M")
        assert first.region

    play(GraphHost(view), script, size)


def test_a_map_that_cannot_be_shown_says_why() -> None:
    view = GraphView()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(graph_of("a b"))
        await pilot.press("M")
        view.draw(graph_from(workflow(60)))
        await pilot.resize_terminal(20, 8)
        await pilot.press("M")
        return [heard.text for heard in host.heard if isinstance(heard, GraphView.Told)]

    assert play(host, script, (60, 20)) == [
        "the whole picture is in view",
        "there is no room for the map here",
    ]


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


def test_what_is_around_a_node_is_renamed_with_it_and_all_is_drawn_when_it_is_gone() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_of(*LINE, start="n0"))
        view.selection.select("n10")
        await pilot.press("asterisk")
        renamed = tuple(edge.replace("n10", "other") for edge in LINE)
        view.draw(graph_of(*renamed, start="n0"), (), {"n10": "other"})
        assert drawn(view) == {"n8", "n9", "other", "n11", "n12"}
        view.draw(graph_of("n0 n1", start="n0"))
        assert drawn(view) == {"n0", "n1"}
        assert not view.back()

    play(GraphHost(view), script, (100, 40))


# A part of the graph


def test_around_a_node_is_what_edges_lead_to_in_either_direction_but_not_through_end() -> None:
    graph = graph_of("a b", "b c", "c d", "d END", "x END", "c a", start="a")
    wiring = Wiring(graph.edges)
    assert around(wiring, "b", 1).nodes == {"a", "b", "c"}
    assert around(wiring, "b", 1).edges == {0, 1, 5}
    assert around(wiring, "d", 1).nodes == {"c", "d", END}
    assert "x" not in around(wiring, "d", 9).nodes
    assert around(wiring, END, 1).nodes == {END, "d", "x"}


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


def test_the_path_alone_is_what_the_run_took_and_what_comes_next_and_grows_with_it() -> None:
    view = GraphView()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.press("V")
        assert isinstance(host.heard[-1], GraphView.Told)
        assert "hand_over" in drawn(view)
        view.moment = refund_at(2)
        await pilot.press("V")
        assert drawn(view) == {"classify", "lookup", "draft"}
        view.draw(refund())
        view.moment = refund_at(4)
        await pilot.pause()
        assert drawn(view) == {"classify", "lookup", "draft", "amount_check", "review"}
        assert "path: 5 of 9" in host.informed
        view.selection.select("review")
        await pilot.press("j")  # where the run has not been
        assert view.selection.node == "review"
        assert view.back()
        assert "hand_over" in drawn(view)
        await pilot.press("V")
        view.moment = None
        await pilot.pause()
        assert "hand_over" in drawn(view)

    play(host, script, (100, 40))


def test_a_run_that_goes_round_where_it_was_has_no_new_path_to_lay_out() -> None:
    graph, seen = looping(4)
    model = model_of(graph, moment=RunSnapshot.at(seen, 2))
    partial = PartialView(model, redraw=lambda: None, later=lambda seconds, call: None)
    assert partial.toggle_path()
    first = partial.subgraph
    model.show(RunSnapshot.at(seen, 4))
    assert partial.subgraph is first


@pytest.mark.parametrize("pace", [0.001, 1_000])
def test_a_long_path_is_drawn_anew_now_and_then_and_not_at_each_step(
    monkeypatch: pytest.MonkeyPatch, pace: float
) -> None:
    monkeypatch.setattr(partial_view, "AT_ONCE", 2)
    monkeypatch.setattr(partial_view, "_PACE", pace)
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        view.moment = refund_at(2)
        await pilot.press("V")
        view.moment = refund_at(4)
        await pilot.pause()
        if pace > 1:
            assert "review" not in drawn(view)
        else:
            while "review" not in drawn(view):
                await pilot.pause()

    play(GraphHost(view), script)


def test_a_part_of_the_graph_shows_the_marks_of_its_edges_as_the_whole_does() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        view.moment = refund_at(4)
        await pilot.press("V")
        await pilot.pause()
        assert any("┰" in line for line in screen_lines(pilot.app))
        view.selection.select_edge(3)
        assert view.viewport.laid_out is not None
        assert view.viewport.laid_out.has(3)
        assert view.viewport.laid_out.routes[3].source == view.model.ends(3)[0]
        view.search.find("billing")
        assert view.selection.edge == 0

    play(GraphHost(view), script, (100, 40))


# A layout that takes its time


def test_while_another_detail_is_laid_out_the_head_says_so_and_keys_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = GraphView()
    host = GraphHost(view)
    go = threading.Event()

    def wait(diagram: Diagram) -> Picture:
        assert go.wait(30)
        return lay_out(diagram)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(workflow(200)))
        await idle(pilot, view)
        view.selection.go("start")
        old = view.viewport.laid_out
        monkeypatch.setattr(layouts, "lay_out", wait)
        await pilot.press("z")
        await pilot.pause()
        assert host.informed.endswith("drawing…")
        before = view.selection.node
        await pilot.press("j", "pagedown")
        assert view.selection.node != before
        assert view.viewport.laid_out is old
        go.set()
        await idle(pilot, view)
        await pilot.pause()
        assert "drawing" not in host.informed
        assert view.viewport.laid_out is not old

    play(host, script)
