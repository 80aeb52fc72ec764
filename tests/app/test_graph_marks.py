"""The marks of a run in the picture of a graph, and what is selected there."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from textual.geometry import Region
from textual.pilot import Pilot

from stepgraph import END, Executor, MemoryStore, StateGraph, ToolNode
from stepgraph.graphs.validation import check
from stepgraph_tui.drawing import Direction, lay_out, paint
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE, Glyphs
from stepgraph_tui.drawing.picture.graph_drawing import GraphDrawing
from stepgraph_tui.drawing.picture.node_content import Zoom
from stepgraph_tui.drawing.picture.run_marks import fired_edges, node_states
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.widgets.graph_view import GraphView, OutlinePane
from tests.app.graph_host import GraphHost, graph_of, looping, refund, refund_at, refund_view
from tests.app.graph_look import listed, model_of, pictured, styled
from tests.app.playing import play, screen_lines


@pytest.mark.parametrize("steps", range(5))
def test_a_run_is_marked_as_show_marks_it(steps: int) -> None:
    graph, seen = refund(), refund_view(steps)
    drawing = GraphDrawing(graph)
    picture = lay_out(drawing.diagram())
    contents, fired = drawing.contents(picture, node_states(seen.run)), fired_edges(seen.run, graph.edges)
    printed = paint(picture, contents, fired=fired)
    assert pictured(model_of(graph, moment=RunSnapshot.now(seen))) == printed


def test_a_past_moment_shows_the_marks_as_they_were() -> None:
    view, graph = GraphView(), refund()
    seen = refund_view(4)

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(graph)
        view.moment = RunSnapshot.now(seen)
        await pilot.pause()
        view.moment = RunSnapshot.at(seen, 1)
        await pilot.pause()
        return screen_lines(pilot.app)

    text = "\n".join(play(GraphHost(view), script, (60, 40)))
    assert "┃ ► T lookup  ┃" in text
    assert "│ ✓ L classify  │" in text
    assert "│   R amount_check  │" in text
    assert text.count("┰") == 1


def test_a_past_step_that_found_no_edge_is_where_the_run_failed_then() -> None:
    graph = StateGraph("stuck", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", END, when="ready == 1")
    store = MemoryStore()
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}))
    executor.edit(run.id, {"ready": 1}, by="ana")
    model = model_of(graph, moment=RunSnapshot.at(RunView(store, run.id), 1))
    assert any("FAILED" in line for line in pictured(model, "card"))


@pytest.mark.parametrize("zoom", get_args(Zoom))
@pytest.mark.parametrize("direction", get_args(Direction))
def test_the_screen_follows_each_step_though_only_a_few_cells_are_painted(
    zoom: Zoom, direction: Direction
) -> None:
    graph, seen = looping(9)
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(graph)
        view.zoom, view.direction = zoom, direction
        laid_out = view.viewport.laid_out
        for step in [*range(10), 4, 0, 9, 2]:
            view.moment = RunSnapshot.at(seen, step)
            await pilot.pause()
            before = screen_lines(pilot.app)
            view.viewport.strips.clear()
            view.refresh()
            await pilot.pause()
            assert screen_lines(pilot.app) == before
        assert view.viewport.laid_out is laid_out

    play(GraphHost(view), script)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_a_card_tells_visits_duration_and_output_and_a_loop_how_often_it_was_taken(glyphs: Glyphs) -> None:
    graph, seen = looping(5)
    rows = pictured(model_of(graph, moment=RunSnapshot.now(seen), glyphs=glyphs), "card")
    text = "\n".join(rows)
    assert f"python {glyphs.dot} done x3" in text
    assert '0.0 ms  {"turn": 3}' in text
    assert " 2 again 2/2" in text
    before = "\n".join(pictured(model_of(graph, moment=RunSnapshot.at(seen, 0), glyphs=glyphs), "card"))
    assert "x" not in before
    assert "2/2" not in before
    beside = pictured(model_of(graph, moment=RunSnapshot.now(seen), glyphs=glyphs), "card", "LR")
    assert any("2 again 2/2" in row for row in beside)


def test_a_card_has_a_note_until_a_run_has_been_there_and_boxes_and_lists_count_visits() -> None:
    cards = "\n".join(pictured(model_of(refund(), moment=refund_at(1)), "card"))
    assert "billing " in cards
    assert "Not about money" in cards
    graph, seen = looping(5)
    model = model_of(graph, moment=RunSnapshot.now(seen))
    assert any(row.endswith("x3─┐") for row in pictured(model))
    assert listed(model) == [
        "✓ P try  done  x3",
        "► P look  NEXT  x2",
        "      END  [1 enough]",
        "    ↑ try  [2 again 2/2]",
    ]


@pytest.mark.parametrize("pane", [GraphView, OutlinePane])
def test_side_effects_are_marked_in_amber(pane: type[GraphView | OutlinePane]) -> None:
    shown = pane()

    async def script(pilot: Pilot[Any]) -> None:
        shown.draw(refund())
        await pilot.pause()
        assert styled(shown, "!") == str(shown._part_styles["signs"])
        assert styled(shown, "!") != styled(shown, "refuse")

    play(GraphHost(shown), script, (100, 60))


def test_a_node_around_which_a_person_is_asked_has_a_sign() -> None:
    graph = StateGraph("gates", start="draft", review="every")
    graph.add_tool("pay", returns={"paid": True}, side_effects=True, requires_approval=True)
    graph.add_node("draft", lambda state: {})
    graph.add_node("check", lambda state: {}, review="never")
    graph.add_node("send", lambda state: {}, review="before", side_effects=True)
    graph.add_node("pay", ToolNode(tool="pay"), review="never")
    graph.add_edge("draft", "check")
    graph.add_edge("check", "send")
    graph.add_edge("send", "pay")
    graph.add_edge("pay", END)
    text = "\n".join(pictured(model_of(graph)))
    for told in ("● P draft ?  │", "  P check  │", "  P send !?  │", "  P pay ?  │"):
        assert told in text
    lines = "\n".join(listed(model_of(graph)))
    for told in ("P draft ?", "P check", "P send !?", "P pay ?"):
        assert f"{told}\n" in lines


def test_another_current_node_touches_only_the_rows_of_its_box(monkeypatch: pytest.MonkeyPatch) -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> tuple[list[Region], int]:
        view.draw(refund())
        await pilot.pause()
        regions: list[Region] = []
        monkeypatch.setattr(view, "refresh", lambda *places: regions.extend(places))
        kept = len(view.viewport.strips)
        view.running = "draft"
        return regions, kept - len(view.viewport.strips)

    regions, dropped = play(GraphHost(view), script, (60, 40))
    assert [region.size for region in regions] == [(14, 3)]
    assert dropped == 3


def test_a_row_that_has_not_changed_is_the_same_strip_again() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> None:
        view.draw(refund())
        await pilot.pause()
        rows = [view.render_line(y) for y in range(20)]
        view.selection.select("classify")
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
        view.selection.select("draft")
        assert "reverse" in styled(view, "✓ L draft")
        assert "bold" in styled(view, "1 high")
        assert "bold" not in styled(view, "1 billing")
        view.search.find("hand")
        assert "underline" in styled(view, "L hand_over")
        view.search.find("ap")
        assert "underline" in styled(view, "1 approved")

    play(GraphHost(view), script, (60, 40))


def test_a_selected_edge_is_drawn_heavy_and_its_label_stands_out() -> None:
    view = GraphView()

    async def script(pilot: Pilot[Any]) -> list[str]:
        view.draw(refund())
        await pilot.pause()
        view.selection.select_edge(1)
        await pilot.pause()
        assert "reverse" in styled(view, "2 other")
        return screen_lines(pilot.app)

    lines = play(GraphHost(view), script, (60, 40))
    assert any("┗━━━━━┓" in line for line in lines)
    assert sum("━" in line for line in lines) == 1


def test_a_node_with_errors_bears_their_mark_behind_its_name() -> None:
    graph = graph_of("good bad", "bad END", start="good")
    graph.declare_node("typo", "toool", {})
    graph.add_edge("bad", "typo")
    graph.add_edge("typo", "nowhere")
    model = model_of(graph, check(graph))
    text = "\n".join([*pictured(model), *pictured(model, "chip")])
    assert "T typo ✗" in text
    assert "[T typo ✗" in text
    assert "nowhere" in text
    assert "good ✗" not in text
