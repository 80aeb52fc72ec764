"""Drawing an edge with the mouse from one node to another."""

from __future__ import annotations

from typing import Any

from textual.events import Click, MouseUp
from textual.geometry import Offset, Region
from textual.pilot import Pilot

from stepgraph import END
from stepgraph_tui.drawing.picture.glyphs import UNICODE
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.graph_view.mouse import RubberBand
from tests.app.graph_host import GraphHost, refund
from tests.app.playing import play, screen_lines
from tests.app.test_graph_movement import cell_of

SIZE = (60, 40)


def connecting(**given: Any) -> GraphView:
    view = GraphView(**given)
    view.connecting = True
    return view


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


def test_between_boxes_that_touch_there_is_no_line_to_see() -> None:
    above, below, beside = Region(0, 0, 6, 3), Region(2, 3, 6, 3), Region(6, 1, 4, 3)
    for source, target in ((above, below), (below, above), (above, beside)):
        line = RubberBand(source, target.offset + Offset(1, 1), target, UNICODE)
        assert not [*line.regions]
        assert [line.text(y) for y in range(-2, 9)] == [None] * 11
