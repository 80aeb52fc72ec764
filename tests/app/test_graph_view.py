"""The picture of a graph on the screen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from textual.pilot import Pilot

from bench.workflows import workflow
from stepgraph import END, StateGraph
from stepgraph_tui.drawing import Diagram, DiagramEdge, DiagramNode, Direction, lay_out, paint
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE, Glyphs
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.drawing.picture.node_content import Zoom
from stepgraph_tui.widgets.graph_view import GraphView
from tests.app.graph_host import GraphHost, graph_from, graph_of, refund, refund_at
from tests.app.graph_look import model_of, painter_of, pictured, styled, whole
from tests.app.playing import play, screen_lines
from tests.app.turning import rest
from tests.drawing.diagrams import diagrams

ZOOMS: tuple[Zoom, ...] = ("card", "compact", "chip")


def shown(graph: StateGraph, zoom: Zoom, direction: Direction, glyphs: Glyphs) -> list[str]:
    return pictured(model_of(graph, glyphs=glyphs), zoom, direction)


def printed(graph: StateGraph, zoom: Zoom, direction: Direction, glyphs: Glyphs) -> list[str]:
    drawing = GraphDrawing(graph, zoom=zoom, glyphs=glyphs, shares=True)
    picture = lay_out(drawing.diagram(direction))
    contents = drawing.contents(picture, {graph.settings.start: "start"})
    return paint(picture, contents, glyphs=glyphs)


@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("direction", ["TB", "LR"])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_the_screen_shows_what_show_prints(zoom: Zoom, direction: Direction, glyphs: Glyphs) -> None:
    assert shown(refund(), zoom, direction, glyphs) == printed(refund(), zoom, direction, glyphs)


WIDENED = Diagram(
    [
        DiagramNode("a1", 12, 1, framed=False),
        DiagramNode("c1", 12, 1, framed=False),
        DiagramNode("b1", 12, 3),
    ],
    [DiagramEdge("a1", "b1"), DiagramEdge("b1", "c1"), DiagramEdge("a1", "c1"), DiagramEdge("b1", "a1")],
)
"""Its edges make a chip wider than its text."""


@settings(deadline=None, max_examples=60)
@given(diagrams(), st.sampled_from(ZOOMS))
@example(WIDENED, "chip")
def test_any_graph_is_shown_as_it_is_printed(diagram: Diagram, zoom: Zoom) -> None:
    graph = graph_from(diagram)
    assert shown(graph, zoom, diagram.direction, UNICODE) == printed(graph, zoom, diagram.direction, UNICODE)


def test_a_large_picture_is_the_same_in_parts_as_in_one() -> None:
    painter = painter_of(model_of(graph_from(workflow(90))), "compact", "LR")
    picture = painter.laid_out.picture
    assert picture.width > 1000
    for y in range(picture.height):
        full = painter.strip(y, 0, picture.width).text
        for left in range(-7, picture.width, 53):
            part = painter.strip(y, left, 60)
            assert part.cell_length == 60
            before = " " * max(0, -left)
            assert part.text == (before + full[max(left, 0) : left + 60]).ljust(60)


def test_what_cannot_be_drawn_is_said_in_a_sentence() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> tuple[list[str], list[str]]:
        nothing = screen_lines(pilot.app)
        view.draw(StateGraph("empty", start="a"))
        await pilot.pause()
        for key in "hjklgGoizZ0vFnO/":
            await pilot.press(key)
        await pilot.press("enter")
        return nothing, screen_lines(pilot.app)

    nothing, empty = play(GraphHost(view), script)
    assert [line.strip() for line in nothing if line] == ["There is no graph to draw."]
    assert [line.strip() for line in empty if line] == ["The graph has no nodes."]


def test_a_graph_that_was_given_before_the_pane_is_on_screen_is_drawn_then() -> None:
    view = GraphView()
    view.draw(refund())
    view.selection.select("draft")

    async def script(pilot: Pilot[Any]) -> list[str]:
        return screen_lines(pilot.app)

    assert any("L draft" in line for line in play(GraphHost(view), script))


def test_hostile_and_wide_names_stay_data_and_keep_the_frame_whole() -> None:
    names = ["\x1b[31mred", "[bold]x[/]", "検討する", "א-ב-ג", "n" * 300, "\u202eevil"]
    graph = StateGraph("hostile", start=names[0])
    for name in names:
        graph.add_node(name, dict)
        graph.add_edge(names[0], name, label=f"{name}\n[red]")
    graph.add_edge(names[-1], END)
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(graph)
        await pilot.pause()
        for y in range(view.size.height):
            assert view.render_line(y).cell_length == view.size.width
        return whole(view)

    text = "\n".join(play(GraphHost(view), script, (100, 30)))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[31mred" in text
    assert "[bold]x[/]" in text
    assert "検討する" in text
    assert f"{'n' * 39}…" in text
    assert "n" * 40 not in text


def test_a_tiny_screen_does_no_harm() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        view.moment = refund_at(4)
        for size in ((20, 5), (3, 2), (1, 1)):
            await pilot.resize_terminal(*size)
            await pilot.press(*"gjoZ0vGi")
        await pilot.resize_terminal(30, 8)
        await pilot.press("g")
        assert view.selection.node == "classify"

    play(GraphHost(view), script, (20, 5))


def test_the_head_says_detail_direction_and_how_many_nodes_lie_beyond() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[str]:
        app = pilot.app
        assert isinstance(app, GraphHost)
        view.draw(refund())
        await pilot.pause()
        said = [app.informed]
        await pilot.resize_terminal(60, 14)
        await pilot.press("g", "F")
        said.append(app.informed)
        await pilot.press("G")
        said.append(app.informed)
        await pilot.resize_terminal(30, 14)
        await pilot.pause()
        return [*said, app.informed]

    whole_, first, last, narrow = play(GraphHost(view), script, (60, 40))
    assert whole_ == "compact  TB  follow   all in view"
    assert first == "compact  TB  ↓ 6"
    assert last == "compact  TB  ↑ 6"
    assert narrow.startswith("↑ 6")


def test_while_a_large_graph_is_laid_out_first_a_sentence_says_so() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> tuple[str, str]:
        view.draw(graph_from(workflow(400)))
        line = view.render_line(view.size.height // 2).text.strip()
        await rest(pilot)
        await pilot.press("0", "M")  # without the map, which lies over a corner
        await rest(pilot)
        view.search.find("_")
        await pilot.pause()
        assert all("underline" in styled(view, name) for name in ("draft_", "check_"))
        return line, view.zoom

    assert play(GraphHost(view), script) == ("Drawing 400 nodes", "chip")


def test_nothing_beyond_the_ends_of_the_picture_is_seen_when_the_pane_grows() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        view.viewport.scroll(0, 30)
        await pilot.resize_terminal(60, 30)
        await pilot.pause()
        assert view.viewport.seen.bottom == view.virtual_size.height

    play(GraphHost(view), script, (60, 5))


def test_a_large_graph_is_laid_out_aside_and_the_old_picture_stays_meanwhile() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        old = view.viewport.laid_out
        view.draw(graph_from(workflow(400)))
        assert view.viewport.laid_out is old
        view.search.find("draft")
        for key in "jklhoi":
            await pilot.press(key)
        await rest(pilot)
        assert view.viewport.laid_out is not None
        assert len(view.viewport.laid_out.boxes) == 400
        await pilot.press("Z", "z", "z")  # only what is wanted last is made
        await rest(pilot)
        assert view.viewport.laid_out.drawing.zoom == view.zoom == "card"

    play(GraphHost(view), script)


def test_an_edit_keeps_the_selection_and_the_order_of_what_it_does_not_touch() -> None:
    before = graph_of("a b", "a c", "b END", "c END")
    after = graph_of("a c", "a b", "b END", "c END", "c d", "d END")
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> tuple[str | None, list[str], str | None]:
        view.draw(before)
        view.selection.select("c")
        await pilot.pause()
        view.draw(after)
        await pilot.pause()
        assert view.viewport.laid_out is not None
        kept = view.selection.node
        order = [name for name in view.viewport.laid_out.picture.order if name in "bc"]
        view.draw(graph_of("a b", "b END"))
        await pilot.pause()
        return kept, order, view.selection.node

    assert play(GraphHost(view), script) == ("c", ["b", "c"], "a")


def test_another_theme_repaints_the_picture() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> tuple[str, str]:
        view.draw(refund())
        await pilot.pause()
        dark = styled(view, "T lookup")
        pilot.app.theme = "textual-light"
        await pilot.pause()
        return dark, styled(view, "T lookup")

    dark, light = play(GraphHost(view), script)
    assert dark != light
