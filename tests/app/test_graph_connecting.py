"""Drawing an edge with the mouse from one node to another."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from textual.events import Click, MouseUp
from textual.geometry import Offset, Region
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph import END
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.graph_view.rubber_band import RubberBand
from tests.app.graph_host import GraphHost, graph_from, graph_of, refund
from tests.app.graph_look import styled
from tests.app.playing import play, screen_lines
from tests.app.test_graph_movement import cell_of

SIZE = (60, 40)


def connecting(**given: Any) -> GraphView:
    view = GraphView(**given)
    view.connecting = True
    return view


def is_drawing(view: GraphView) -> bool:
    return view.model.scene.rubber is not None


async def drag(pilot: Pilot[Any], *places: str | Offset) -> None:
    """Press the button at the first place, and go to the others with it."""
    first, *others = [place if isinstance(place, Offset) else cell_of(pilot, place) for place in places]
    await pilot.mouse_down(offset=first)
    for place in others:
        await pilot.hover(offset=place)
    await pilot.pause()


async def drop(pilot: Pilot[Any], place: str | Offset) -> None:
    """Let the button go, which is a click, too, where it was pressed on the same pane."""
    at = place if isinstance(place, Offset) else cell_of(pilot, place)
    await pilot._post_mouse_events([MouseUp, Click], offset=at, button=1)


def test_what_is_connected_and_what_is_selected_by_going_from_place_to_place() -> None:
    view = connecting()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        async def goes(*places: str) -> tuple[list[tuple[str, str]], list[tuple[str | None, int | None]]]:
            host.heard.clear()
            await drag(pilot, *places)
            await drop(pilot, places[-1])
            assert view.model.scene.rubber is None
            assert view.model.scene.lit is None
            return host.connections, host.selections

        view.draw(refund())
        await pilot.pause()
        assert await goes("T lookup", "L hand_over") == ([("lookup", "hand_over")], [])
        # out of a box and back into it is an edge to itself
        assert await goes("L draft", "L hand_over", "L draft") == ([("draft", "draft")], [])
        # within its box the mouse only clicks
        assert await goes("T lookup", "lookup") == ([], [("lookup", None)])
        # from the end no edge leads, and a click there selects it
        assert await goes("( END )", "END") == ([], [(END, None)])
        assert (await goes("END", "L draft"))[0] == []

    play(host, script, SIZE)


def test_the_frame_of_a_box_is_as_good_as_its_name() -> None:
    view = connecting()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        corner = cell_of(pilot, "│   T lookup") - (0, 1)
        await drag(pilot, corner, "END")
        await drop(pilot, "END")

    play(host, script, SIZE)
    assert host.connections == [("lookup", END)]


def test_a_line_that_ends_nowhere_is_forgotten() -> None:
    view = connecting()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        before = screen_lines(pilot.app)
        await drag(pilot, "T lookup", Offset(0, 0))
        assert screen_lines(pilot.app) != before
        await drop(pilot, Offset(0, 0))
        assert screen_lines(pilot.app) == before
        await pilot.click(offset=cell_of(pilot, "L draft"))

    play(host, script, SIZE)
    assert host.connections == []
    assert host.selections == [("draft", None)]


def test_escape_gives_up_the_line_and_nothing_else() -> None:
    view = connecting()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        view.selection.select("classify")
        view.selection.select_edge(0)
        await pilot.pause()
        before = screen_lines(pilot.app)
        await drag(pilot, "T lookup", "L hand_over")
        assert view.back()
        await pilot.pause()
        assert screen_lines(pilot.app) == before
        assert view.selection.edge == 0
        await drop(pilot, "L hand_over")
        assert view.back()
        assert view.selection.edge is None

    play(host, script, SIZE)
    assert host.connections == []
    assert host.selections == [("classify", None)]


def test_a_line_that_cannot_be_finished_is_let_go_of() -> None:
    view = connecting()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()

        def end_the_mode() -> None:
            view.connecting = False

        for let_go in (end_the_mode, lambda: view.draw(refund()), view.blur):
            view.connecting = True
            view.focus()
            await drag(pilot, "T lookup", "L hand_over")
            assert is_drawing(view)
            let_go()
            await pilot.pause()
            assert not is_drawing(view)
            assert pilot.app.mouse_captured is None
            await drop(pilot, "L hand_over")

    play(host, script, SIZE)
    assert host.connections == []


def test_where_nobody_connects_a_pull_at_a_node_does_nothing() -> None:
    view = GraphView()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        before = screen_lines(pilot.app)
        await drag(pilot, "T lookup", "L hand_over")
        assert screen_lines(pilot.app) == before
        assert view.scroll_offset == (0, 0)
        await drop(pilot, "L hand_over")

    play(host, script, SIZE)
    assert host.connections == []


def test_the_line_ends_at_the_lit_box_which_tells_itself_apart_without_colour() -> None:
    view = connecting()

    async def script(pilot: Pilot[Any]) -> tuple[list[str], str]:
        view.draw(refund())
        await pilot.pause()
        await drag(pilot, "T lookup", "L hand_over")
        return screen_lines(pilot.app), styled(view, "L hand_over")

    lines, look = play(GraphHost(view), script, SIZE)
    assert any("│   T lookup  │━" in line and "►┃   L hand_over  ┃" in line for line in lines)
    assert "reverse" in look


def test_a_plain_terminal_gets_a_plain_line() -> None:
    view = connecting(glyphs=ASCII)

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(refund())
        await pilot.pause()
        await drag(pilot, "T lookup", "R amount", "L hand_over")
        return screen_lines(pilot.app)

    lines = play(GraphHost(view), script, SIZE)
    assert all(line.isascii() for line in lines)
    assert any("=>#   L hand_over" in line for line in lines)


def test_only_the_rows_that_the_line_touches_are_painted_anew() -> None:
    view = connecting()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        at = cell_of(pilot, "T lookup")
        await drag(pilot, "T lookup", at + Offset(20, 0))
        rows = [view.render_line(y) for y in range(view.size.height)]
        await pilot.hover(offset=at + Offset(20, 3))
        again = [view.render_line(y) for y in range(view.size.height)]
        changed = [y for y, (one, other) in enumerate(zip(rows, again, strict=True)) if one is not other]
        assert changed
        assert set(changed) == set(range(at.y - 1, at.y + 4))  # the box that was lit, and the line

    play(GraphHost(view), script, SIZE)


def test_the_picture_comes_along_while_the_mouse_is_at_the_edge_of_the_pane() -> None:
    view = connecting()
    host = GraphHost(view)

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_of("a b", "b c", "c d", "d e", "e f", "f END"))
        await pilot.pause()
        at = cell_of(pilot, "P a")
        bottom = Offset(at.x, view.size.height - 1)
        await drag(pilot, at, bottom)
        while view.scroll_offset.y < view.max_scroll_y:
            before = view.scroll_offset.y
            view.mouse.pull_at_edge()
            assert view.scroll_offset.y > before
        await pilot.pause()
        assert "END" in screen_lines(pilot.app)[bottom.y]
        assert view.model.scene.lit == END
        await drop(pilot, bottom)

    play(host, script, (30, 12))
    assert host.connections == [("a", END)]


def test_the_end_of_the_line_stays_at_the_mouse_when_the_picture_is_scrolled() -> None:
    view = connecting()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph_from(workflow(60)))
        view.connecting = True
        await pilot.pause()
        node = (
            view.viewport.laid_out.seen_nodes(view.viewport.seen)[0]
            if view.viewport.laid_out is not None
            else ""
        )
        assert view.viewport.laid_out is not None
        at = view.viewport.laid_out.place_of(node).offset + view.viewport.shift
        await drag(pilot, at, Offset(50, 10))
        view.viewport.scroll(y=view.scroll_offset.y + 3)
        await pilot.pause()
        assert view.model.scene.rubber is not None
        *_, level = view.model.scene.rubber.regions
        assert level.y + view.viewport.shift.y == 10

    play(GraphHost(view), script, SIZE)


cells = st.builds(Offset, st.integers(-5, 40), st.integers(-5, 40))
boxes = st.builds(Region, st.integers(0, 20), st.integers(0, 20), st.integers(4, 12), st.integers(1, 4))


@given(boxes, cells, st.none() | boxes)
@example(Region(0, 13, 4, 1), Offset(0, 9), Region(0, 9, 4, 4))  # one box stands right on the other
@example(Region(0, 0, 4, 2), Offset(4, 1), Region(4, 0, 4, 4))  # they stand side by side
@example(Region(2, 2, 6, 4), Offset(4, 6), Region(3, 3, 4, 4))  # they overlap
def test_a_line_has_one_connected_run_of_cells_outside_both_boxes(
    source: Region, end: Offset, target: Region | None
) -> None:
    if target is not None and not target.contains_point(end):
        target = None
    line = RubberBand(source, end, target, UNICODE)
    told = {cell for region in line.regions for cell in _cells(region)}
    shown = {
        (x + at, y)
        for y in range(-8, 50)
        if (row := line.text(y)) is not None
        for x, text in [row]
        for at in range(len(text))
    }
    assert told == shown
    assert not any(source.contains_point(cell) for cell in shown)
    assert target is None or not any(target.contains_point(cell) for cell in shown)
    if source.contains_point(end):
        assert not shown
    elif target is None or not target.overlaps(source.grow((1, 1, 1, 1))):
        assert shown
    if shown:
        assert target is not None or end in shown
        ends = [cell for cell in shown if sum(_near(cell, other) for other in shown) <= 1]
        assert len(ends) == min(2, len(shown))


def test_between_boxes_that_touch_there_is_no_line_to_see() -> None:
    above, below, beside = Region(0, 0, 6, 3), Region(2, 3, 6, 3), Region(6, 1, 4, 3)
    for source, target in ((above, below), (below, above), (above, beside)):
        line = RubberBand(source, target.offset + Offset(1, 1), target, UNICODE)
        assert not [*line.regions]
        assert [line.text(y) for y in range(-2, 9)] == [None] * 11


def _cells(region: Region) -> list[tuple[int, int]]:
    return [(x, y) for y in range(region.y, region.bottom) for x in range(region.x, region.right)]


def _near(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1
