"""The picture of a graph on the screen, and the marks of a run in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style
from textual.geometry import Region
from textual.pilot import Pilot
from textual.widgets import Static

from bench.workflows import workflow
from stepgraph import END, StateGraph
from stepgraph.validation import check
from stepgraph_tui.drawing import Diagram, Direction, lay_out, paint
from stepgraph_tui.drawing.from_graph import GraphDrawing
from stepgraph_tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from stepgraph_tui.drawing.run_marks import fired_edges, node_states
from stepgraph_tui.drawing.trail import Trail
from stepgraph_tui.drawing.zoom import Zoom
from stepgraph_tui.viewing import Moment
from stepgraph_tui.widgets.graph_view import GraphView
from stepgraph_tui.widgets.graph_view.marks import Marks
from stepgraph_tui.widgets.graph_view.painter import Painter
from stepgraph_tui.widgets.graph_view.scene import Scene
from stepgraph_tui.widgets.graph_view.sheet import Sheet
from stepgraph_tui.widgets.graph_view.styles import Palette
from tests.app.graph_host import GraphHost, graph_from, graph_of, looping, refund, refund_at, refund_view
from tests.app.playing import play, screen_lines
from tests.drawing.diagrams import diagrams

ZOOMS: tuple[Zoom, ...] = ("card", "compact", "chip")


def painted(painter: Painter) -> list[str]:
    picture = painter.sheet.picture
    return [painter.strip(y, 0, picture.width).text.rstrip() for y in range(picture.height)]


def whole(view: GraphView) -> list[str]:
    """The whole picture as the view paints it, the part that is not seen included."""
    assert view._painter is not None
    return painted(view._painter)


def styled(view: GraphView, text: str) -> str:
    """How a text on the screen looks: the style of the cells that it begins in."""
    for y in range(view.size.height):
        strip = view.render_line(y)
        at = strip.text.find(text)
        if at >= 0:
            start = cell_len(strip.text[:at])
            return str(next(iter(strip.crop(start, start + 1))).style)
    raise AssertionError(f"{text!r} is not seen")


class NoColours(Palette):
    """What parts look like where that does not matter."""

    def __init__(self) -> None:
        super().__init__(Static())

    def __getitem__(self, part: str) -> Style:
        return Style.null()


def painter_of(graph: StateGraph, zoom: Zoom, direction: Direction, glyphs: Glyphs) -> Painter:
    scene = Scene(Marks.without_a_run(Trail(graph.edges), graph.settings.start))
    return Painter(Sheet.of(graph, zoom, direction, glyphs), scene, NoColours())


def shown(graph: StateGraph, zoom: Zoom, direction: Direction, glyphs: Glyphs) -> list[str]:
    return painted(painter_of(graph, zoom, direction, glyphs))


def printed(graph: StateGraph, zoom: Zoom, direction: Direction, glyphs: Glyphs) -> list[str]:
    drawing = GraphDrawing(graph, zoom=zoom, glyphs=glyphs)
    picture = lay_out(drawing.diagram(direction))
    faces = drawing.faces(picture, {graph.settings.start: "start"})
    return paint(picture, faces, glyphs=glyphs)


@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("direction", ["TB", "LR"])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_the_screen_shows_what_show_prints(zoom: Zoom, direction: Direction, glyphs: Glyphs) -> None:
    assert shown(refund(), zoom, direction, glyphs) == printed(refund(), zoom, direction, glyphs)


@settings(deadline=None, max_examples=60)
@given(diagrams(), st.sampled_from(ZOOMS))
def test_any_graph_is_shown_as_it_is_printed(diagram: Diagram, zoom: Zoom) -> None:
    graph = graph_from(diagram)
    assert shown(graph, zoom, diagram.direction, UNICODE) == printed(graph, zoom, diagram.direction, UNICODE)


def test_a_large_picture_is_the_same_in_parts_as_in_one() -> None:
    painter = painter_of(graph_from(workflow(90)), "compact", "LR", UNICODE)
    picture = painter.sheet.picture
    assert picture.width > 1000
    for y in range(picture.height):
        full = painter.strip(y, 0, picture.width).text
        for left in range(-7, picture.width, 53):
            part = painter.strip(y, left, 60)
            assert part.cell_length == 60
            before = " " * max(0, -left)
            assert part.text == (before + full[max(left, 0) : left + 60]).ljust(60)


@pytest.mark.parametrize("steps", range(5))
def test_a_run_is_marked_as_show_marks_it(steps: int) -> None:
    view, graph = GraphView(), refund()
    seen = refund_view(steps)

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(graph)
        view.moment = Moment.now(seen)
        await pilot.pause()
        return whole(view)

    drawing = GraphDrawing(graph)
    picture = lay_out(drawing.diagram())
    faces, fired = drawing.faces(picture, node_states(seen.run)), fired_edges(seen.run, graph.edges)
    assert play(GraphHost(view), script) == paint(picture, faces, fired=fired)


def test_a_past_moment_shows_the_marks_as_they_were() -> None:
    view, graph = GraphView(), refund()
    seen = refund_view(4)

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(graph)
        view.moment = Moment.now(seen)
        await pilot.pause()
        view.moment = Moment.at(seen, 1)
        await pilot.pause()
        return screen_lines(pilot.app)

    text = "\n".join(play(GraphHost(view), script, (60, 40)))
    assert "┃ ► T lookup  ┃" in text
    assert "│ ✓ L classify  │" in text
    assert "│   R amount_check  │" in text
    assert text.count("┰") == 1


def test_the_screen_follows_each_step_though_only_a_few_cells_are_painted() -> None:
    graph, seen = looping(9)
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph)
        for step in [*range(10), 4, 0, 9, 2]:
            view.moment = Moment.at(seen, step)
            await pilot.pause()
            before = screen_lines(pilot.app)
            view._strips.clear()
            view.refresh()
            await pilot.pause()
            assert screen_lines(pilot.app) == before

    play(GraphHost(view), script)


def test_another_current_node_touches_only_the_rows_of_its_box(monkeypatch: pytest.MonkeyPatch) -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> tuple[list[Region], int]:
        view.draw(refund())
        await pilot.pause()
        regions: list[Region] = []
        monkeypatch.setattr(view, "refresh", lambda *places: regions.extend(places))
        kept = len(view._strips)
        view.running = "draft"
        return regions, kept - len(view._strips)

    regions, dropped = play(GraphHost(view), script, (60, 40))
    assert [region.size for region in regions] == [(14, 3)]
    assert dropped == 3


def test_a_row_that_has_not_changed_is_the_same_strip_again() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        rows = [view.render_line(y) for y in range(20)]
        view.select("classify")
        again = [view.render_line(y) for y in range(20)]
        assert [one is other for one, other in zip(rows, again, strict=True)] == [False] * 3 + [True] * 17

    play(GraphHost(view), script, (60, 40))


def test_what_runs_says_so_in_a_word() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> tuple[list[str], list[str]]:
        view.zoom = "card"
        view.draw(refund())
        view.moment = refund_at(1)
        view.running = "lookup"
        await pilot.pause()
        running = screen_lines(pilot.app)
        view.running = None
        await pilot.pause()
        return running, screen_lines(pilot.app)

    running, standing = play(GraphHost(view), script, (70, 40))
    assert any("tool · RUNS" in line for line in running)
    assert any("tool · NEXT" in line for line in standing)


def test_selection_fired_edges_and_hits_can_be_told_apart_without_colour() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        view.moment = refund_at(4)
        await pilot.pause()
        assert "reverse" not in styled(view, "✓ L draft")
        view.select("draft")
        assert "reverse" in styled(view, "✓ L draft")
        assert "bold" in styled(view, "1 high")
        assert "bold" not in styled(view, "1 billing")
        view.find("hand")
        assert "underline" in styled(view, "L hand_over")

    play(GraphHost(view), script, (60, 40))


def test_a_selected_edge_is_drawn_heavy_and_its_label_stands_out() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(refund())
        await pilot.pause()
        view.select_edge(1)
        await pilot.pause()
        assert "reverse" in styled(view, "2 other")
        return screen_lines(pilot.app)

    lines = play(GraphHost(view), script, (60, 40))
    assert any("┗━━━━━┓" in line for line in lines)
    assert sum("━" in line for line in lines) == 1


def test_a_node_with_errors_bears_their_mark_behind_its_name() -> None:
    graph = graph_of("good bad", "bad __END__", start="good")
    graph.declare_node("typo", "toool", {})
    graph.add_edge("bad", "typo")
    graph.add_edge("typo", "nowhere")
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(graph, check(graph))
        await pilot.pause()
        compact = screen_lines(pilot.app)
        view.zoom = "chip"
        await pilot.pause()
        return [*compact, *screen_lines(pilot.app)]

    text = "\n".join(play(GraphHost(view), script, (70, 30)))
    assert "T typo ✗" in text
    assert "[✗ typo ]" in text
    assert "nowhere" in text
    assert "good ✗" not in text


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
    view.select("draft")

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
    assert "\\u001b[31mred" in text
    assert "[bold]x[/]" in text
    assert "検討する" in text
    assert f"{'n' * 39}…" in text
    assert "n" * 40 not in text


@pytest.mark.parametrize("size", [(20, 5), (3, 2), (1, 1)])
def test_a_tiny_screen_does_no_harm(size: tuple[int, int]) -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> str | None:
        view.draw(refund())
        view.moment = refund_at(4)
        await pilot.press(*"gjjljozZZZ0vjGkFi")
        await pilot.resize_terminal(30, 8)
        await pilot.press("g")
        return view.selected

    assert play(GraphHost(view), script, size) == "classify"


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


def test_a_large_graph_is_laid_out_aside_and_the_old_picture_stays_meanwhile() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        old = view.sheet
        view.draw(graph_from(workflow(400)))
        assert view.sheet is old
        view.find("draft")
        for key in "jklhoi":
            await pilot.press(key)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert view.sheet is not None
        assert len(view.sheet.boxes) == 400
        await pilot.press("Z", "z", "z")  # only what is wanted last is made
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert view.sheet.drawing.zoom == view.zoom == "card"

    play(GraphHost(view), script)


def test_an_edit_keeps_the_selection_and_the_order_of_what_it_does_not_touch() -> None:
    before = graph_of("a b", "a c", "b __END__", "c __END__")
    after = graph_of("a c", "a b", "b __END__", "c __END__", "c d", "d __END__")
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> tuple[str | None, list[str], str | None]:
        view.draw(before)
        view.select("c")
        await pilot.pause()
        view.draw(after)
        await pilot.pause()
        assert view.sheet is not None
        kept = view.selected
        order = [name for name in view.sheet.picture.order if name in "bc"]
        view.draw(graph_of("a b", "b __END__"))
        await pilot.pause()
        return kept, order, view.selected

    assert play(GraphHost(view), script) == ("c", ["b", "c"], None)


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
