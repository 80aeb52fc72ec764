"""Going about in the picture of a graph, by keys and by the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from textual.events import MouseScrollDown
from textual.geometry import Offset
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph import END, Executor, MemoryStore, StateGraph
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.graph_view.layouts import lay_out_graph
from stepgraph_tui.widgets.graph_view.movement import Key, PictureCursor, way_of
from stepgraph_tui.widgets.graph_view.selection import GraphSelection
from tests.app.graph_host import GraphHost, graph_from, graph_of, looping, refund, refund_at
from tests.app.graph_look import model_of
from tests.app.playing import play, screen_lines

DIAMOND = ("a b", "a c", "b d", "c d", "d END")


def went(graph: StateGraph, keys: Sequence[str], moment: RunSnapshot | None = None) -> list[str | None]:
    """What is selected after each key."""
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[str | None]:
        view.draw(graph)
        view.moment = moment
        await pilot.pause()
        selected = []
        for key in keys:
            await pilot.press(key)
            selected.append(view.selection.node)
        return selected

    return play(GraphHost(view), script, (100, 40))


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
        found.append(cursor.moved(node, key, laid_out))
        node = found[-1] or node
    return found


def test_down_takes_the_first_edge_whose_box_is_below_and_one_that_leads_back_only_without_such() -> None:
    graph = graph_of("a b", "b b", "b a", "b c", "c a")
    assert moved(graph, "down", "down", "down", start="a") == ["b", "c", "a"]
    assert moved(graph_of("a a"), "down", start="a") == [None]


def test_down_takes_the_box_straight_below_before_one_aside_that_is_first_in_order() -> None:
    graph = graph_of("a left", "a below", "below END", "a right", "left END", "right END")
    laid_out = lay_out_graph(model_of(graph).drawing, "TB")
    straight = {end for end in ("left", "below", "right") if laid_out.lies("a", end, 1) == "straight"}
    assert straight == {"below"}
    assert moved(graph, "down", start="a") == ["below"]


def test_up_goes_back_where_one_came_from_else_to_a_box_above() -> None:
    graph = graph_of(*DIAMOND)
    assert moved(graph, "down", "down", "up", start="c") == ["d", END, "d"]
    assert moved(graph, "up", start="d") == ["b"]
    assert moved(graph, "down", "up", start="c") == ["d", "c"]
    assert moved(graph, "up", start="a") == [None]
    looping_back = graph_of("a b", "c a", "b c", "b END")
    assert moved(looping_back, "up", "up", start="b") == ["a", "c"]  # only the way back leads to a


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


def test_the_axes_turn_with_the_direction() -> None:
    assert [way_of(key, "TB") for key in ("down", "up", "left", "right")] == [
        "along",
        "against",
        "before",
        "after",
    ]
    assert [way_of(key, "LR") for key in ("right", "left", "up", "down")] == [
        "along",
        "against",
        "before",
        "after",
    ]


def test_keys_and_arrows_go_down_across_and_back_the_same_way() -> None:
    assert went(graph_of(*DIAMOND), ["j", "j", "l", "j", "k", "h", "h", "down", "up", "k"]) == [
        "a", "b", "c", "d", "c", "b", "b", "d", "b", "a",
    ]  # fmt: skip


def test_from_left_to_right_the_same_keys_turn() -> None:
    assert went(graph_of(*DIAMOND), ["v", "g", "l", "k", "right", "h", "j", "left"]) == [
        None, "a", "c", "b", "d", "b", "c", "a",
    ]  # fmt: skip


def test_down_follows_the_run_as_it_was_at_the_moment_that_is_viewed_where_that_leads_down() -> None:
    graph, store = StateGraph("two ways", start="a"), MemoryStore()
    for name in "abc":
        graph.add_node(name, dict)
    graph.add_edge("a", "b", when="step > 5")
    graph.add_edge("a", "c")
    for name in "bc":
        graph.add_edge(name, END)
    executor = Executor(graph.compile(), store)
    run = executor.start({})
    executor.step(run)
    view = RunView(store, run.id)
    assert moved(graph, "down", start="a", moment=RunSnapshot.at(view, 0)) == ["b"]
    assert moved(graph, "down", start="a", moment=RunSnapshot.at(view, 1)) == ["c"]
    round_and_round, seen = looping(4)
    at_second = RunSnapshot.at(seen, 2)  # which went back up
    assert moved(round_and_round, "down", "down", start="try", moment=at_second) == ["look", END]


def test_start_and_end_are_one_key_away_and_a_graph_without_end_keeps_its_selection() -> None:
    assert went(refund(), ["G", "g"]) == [END, "classify"]
    selection = GraphSelection(model_of(graph_of("a b", "b a")), say=bool, findable=list)
    selection.go("start")
    selection.go("end")
    assert selection.node == "a"


def test_the_edges_of_a_node_take_turns_and_can_be_followed() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[tuple[str | None, int | None]]:
        app = pilot.app
        assert isinstance(app, GraphHost)
        view.draw(graph_of(*DIAMOND))
        await pilot.press("g", "i", "o", "o", "o", "o", "j", "o", "j", "i", "i", "k", "i", "escape")
        return app.selections

    assert play(GraphHost(view), script) == [
        ("a", None), ("a", 0), ("a", 1), ("a", 0), ("a", 1), ("c", None), ("c", 3), ("d", None), ("d", 2),
        ("d", 3), ("c", None), ("c", 1),
    ]  # fmt: skip


def test_escape_ends_the_search_then_leaves_the_edge_then_does_nothing() -> None:
    view = GraphView()
    view.draw(refund())
    view.selection.select("classify")
    assert view.search.find("other") == "not found"  # there is no picture yet to look in
    view.viewport.put(lay_out_graph(view.model.drawing, "TB"))
    view.search.find("other")
    steps = [(True, view.selection.edge, len(view.model.scene.hits))]
    for _ in range(3):
        left = view.back()
        steps.append((left, view.selection.edge, len(view.model.scene.hits)))
    assert steps == [(True, 1, 1), (True, 1, 0), (True, None, 0), (False, None, 0)]


def test_selecting_from_outside_says_nothing_and_what_is_unknown_changes_nothing() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, GraphHost)
        view.draw(refund())
        view.selection.select("draft")
        view.selection.select("no such node")
        assert (view.selection.node, view.selection.edge) == ("draft", None)
        view.selection.select_edge(3)
        assert (view.selection.node, view.selection.edge) == ("draft", 3)
        view.selection.select_edge(99)
        view.selection.select_edge(-1)
        view.selection.select_edge(0)
        assert (view.selection.node, view.selection.edge) == ("classify", 0)
        await pilot.pause()
        assert app.heard == []

    play(GraphHost(view), script)


@pytest.mark.parametrize("direction", ["TB", "LR"])
def test_whatever_is_selected_is_in_view_with_room_around_it(direction: str) -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(workflow(60)))
        if direction == "LR":
            view.action_turn()
        await pilot.pause()
        sheet = view.viewport.laid_out
        assert sheet is not None
        for node in [*sheet.boxes][::7]:
            view.selection.select(node)
            assert view.viewport.seen.contains_region(sheet.place_of(node))
            view.action_go("out")
            if view.selection.edge is not None:
                assert view.viewport.seen.contains_region(sheet.place_of(view.selection.edge))
        for key in "zZZ":
            await pilot.press(key)
            assert view.viewport.laid_out is not None
            assert view.selection.node is not None
            assert view.viewport.seen.overlaps(view.viewport.laid_out.place_of(view.selection.node))

    play(GraphHost(view), script, (60, 20))


def test_the_next_node_is_kept_in_view_while_following_and_not_otherwise() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[bool]:
        view.draw(refund())
        await pilot.pause()
        assert view.viewport.laid_out is not None
        seen = []
        for follow in (False, True):
            view.follow = follow
            view.moment = refund_at(4)
            await pilot.pause()
            seen.append(view.viewport.seen.contains_region(view.viewport.laid_out.place_of("review")))
        return seen

    assert play(GraphHost(view), script, (50, 12)) == [False, True]


def test_detail_goes_from_card_to_chip_and_fit_takes_the_most_that_fits() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(refund())
        zooms: list[str] = []
        for key in "zzZZZ":
            await pilot.press(key)
            zooms.append(view.zoom)
        assert zooms == ["card", "card", "compact", "chip", "chip"]
        zooms.clear()
        for size in ((120, 60), (60, 36), (60, 34), (30, 10)):
            await pilot.resize_terminal(*size)
            await pilot.press("G", "0")
            zooms.append(view.zoom)
            assert view.scroll_offset == (0, 0)
        return zooms

    assert play(GraphHost(view), script) == ["card", "compact", "chip", "chip"]


def test_a_click_selects_what_lies_there_or_beside_and_a_double_click_shows_it() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        app = pilot.app
        assert isinstance(app, GraphHost)
        view.draw(refund())
        await pilot.pause()
        await pilot.click(offset=cell_of(pilot, "T lookup"))
        await pilot.click(offset=cell_of(pilot, "2 other"))
        await pilot.click(offset=cell_of(pilot, "1 billing") + Offset(3, 2))
        await pilot.click(offset=(0, 0))
        assert app.selections == [("lookup", None), ("classify", 1), ("classify", 0)]
        await pilot.click(offset=cell_of(pilot, "L draft"), times=2)
        assert app.selections[-1] == ("draft", None)
        assert isinstance(app.heard[-1], GraphView.Inspected)

    play(GraphHost(view), script, (60, 40))


def test_enter_shows_what_is_selected_and_nothing_when_nothing_is() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[type]:
        app = pilot.app
        assert isinstance(app, GraphHost)
        view.draw(refund())
        await pilot.press("enter", "O", "g", "enter")
        return [type(heard) for heard in app.heard]

    assert play(GraphHost(view), script) == [
        GraphView.OutlineToggled,
        GraphView.Selected,
        GraphView.Inspected,
    ]


def test_the_wheel_and_a_pull_at_an_empty_place_move_the_picture() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(workflow(60)))
        await pilot.pause()
        await pilot._post_mouse_events([MouseScrollDown], widget=view, offset=(5, 5))
        assert view.scroll_offset.y > 0
        await pilot._post_mouse_events([MouseScrollDown], widget=view, offset=(5, 5), shift=True)
        assert view.scroll_offset.x > 0
        at = view.scroll_offset
        empty = next(
            Offset(x, y)
            for y in range(5, 15)
            for x in range(10, 40)
            if view.viewport.laid_out is not None
            and view.viewport.laid_out.at(*(Offset(x, y) - view.viewport.shift)) is None
        )
        await pilot.mouse_down(offset=empty)
        await pilot.hover(offset=empty - (3, 2))
        await pilot.mouse_up(offset=empty - (3, 2))
        await pilot.hover(offset=empty)
        assert view.scroll_offset == at + Offset(3, 2)
        assert view.selection.node is None

    play(GraphHost(view), script, (40, 20))


def test_finding_goes_round_nodes_and_labels_in_the_order_of_reading() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[tuple[str, str | None, int | None]]:
        view.draw(refund())
        view.selection.select("draft")
        await pilot.pause()
        said = [
            view.search.find("re"),
            view.search.next(1),
            view.search.next(1),
            view.search.next(-1),
            view.search.find("zz"),
        ]
        assert view.search.find("") == "not found"
        return [(text, view.selection.node, view.selection.edge) for text in said]

    said = play(GraphHost(view), script, (60, 40))
    assert [text for text, *_ in said] == ["1 of 3", "2 of 3", "3 of 3", "2 of 3", "not found"]
    assert said[-1][1:] == ("review", 8)


def test_what_is_copied_is_the_name_or_the_text_of_the_edge_and_its_place_in_the_file() -> None:
    view = GraphView()
    view.draw(refund())
    found = [(view.copied(), view.copied_path())]
    for select in ("draft", END):
        view.selection.select(select)
        found.append((view.copied(), view.copied_path()))
    for edge in (1, 4):
        view.selection.select_edge(edge)
        found.append((view.copied(), view.copied_path()))
    assert found == [
        (None, None),
        ("draft", "nodes.draft"),
        ("END", None),
        ("2 other", "edges[1]"),
        ("draft -> amount_check", "edges[4]"),
    ]
