"""The workbench around its panes: which are shown, what is searched and copied, what is remembered."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest
from textual.actions import parse
from textual.widgets import Input

from stepgraph.reviews.inbox import Reviews
from stepgraph_tui.commands import DEBUG, DESIGN, EDIT, WORKBENCH
from stepgraph_tui.commands.remapping import read_keys
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.dialogs.open_path import OpenPath
from stepgraph_tui.palette import StepgraphPalette
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.screens.inbox import InboxScreen
from tests.app.bench import (
    GRAPHS,
    LARGE,
    REFUND,
    SMALL,
    Bench,
    P,
    dialog,
    header,
    press,
    said,
    shown,
    start,
    text,
    until,
    workbench,
)
from tests.app.playing import screen_lines

TABS = {one.keys: parse(one.action)[2][0] for one in WORKBENCH if "panes.show" in one.action}


def test_each_key_names_a_controller_that_answers_it(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        for command in (*WORKBENCH, *DEBUG, *DESIGN, *EDIT):
            name, verb, _ = parse(command.action)
            target = workbench(pilot).router.controller(name) if name else workbench(pilot)
            assert callable(getattr(target, f"action_{verb}", None)), command.id

    bench.play(script, REFUND)


# Panes


@pytest.mark.parametrize("size", [SMALL, LARGE, (50, 14)])
def test_enter_leads_from_the_graph_to_the_node_and_escape_back(bench: Bench, size: tuple[int, int]) -> None:
    run = bench.run(REFUND, steps=3)

    async def script(pilot: P) -> None:
        await press(pilot, "1", "g", "enter")
        assert shown(pilot) == "node"
        await press(pilot, "escape")
        assert shown(pilot) == "graph"
        assert pilot.app.screen.query("GraphView:focus")
        await press(pilot, "3", "enter")  # an edge, from the reasons of the routing
        assert shown(pilot) == "graph"
        await press(pilot, "escape")  # from the edge to its node
        assert shown(pilot) == "graph"
        await press(pilot, "escape")
        assert shown(pilot) == "why"
        await press(pilot, "1", "enter", "4", "escape")  # who goes there by the digit stays there
        assert shown(pilot) == "node"
        await press(pilot, "1", "O", "enter", "escape")
        assert pilot.app.screen.query("OutlinePane:focus")

    bench.play(script, REFUND, run=run.id, size=size)


def test_keys_and_clicks_go_to_panes(bench: Bench) -> None:
    run = bench.run(REFUND, steps=3)

    async def script(pilot: P) -> None:
        for key, tab in [*TABS.items(), ("1", "graph")]:
            await pilot.press(key)
            assert shown(pilot) == tab
            assert workbench(pilot).grid.pane.has_focus
        head = screen_lines(pilot.app)[1]
        await pilot.click(offset=(head.index("3 Why") + 2, 1))
        assert shown(pilot) == "why"
        assert "[3 Why]" in text(pilot)
        await pilot.press("5", "3")
        seen = []
        for _ in range(3):
            await pilot.press("tab")
            seen.append(shown(pilot))
        assert seen == ["trace", "graph", "why"]
        await pilot.press("shift+tab")
        assert shown(pilot) == "graph"

    bench.play(script, REFUND, run=run.id)


def test_the_outline_is_beside_the_graph_where_there_is_room_for_both_else_in_its_place(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        graph, outline = workbench(pilot).panes.graph_view, workbench(pilot).panes.outline
        await pilot.press("O")
        assert graph.display
        assert outline.has_focus
        assert "[1 Graph]━━ follow" in text(pilot)
        border = outline.styles.border_right
        graph.focus()
        await pilot.pause()
        assert workbench(pilot).grid.pane is graph
        assert outline.styles.border_right != border
        await pilot.resize_terminal(99, 30)
        assert (graph.display, outline.display, outline.has_focus) == (False, True, True)
        assert "[1 Outline]" in text(pilot)
        assert workbench(pilot).grid.pane is outline
        await pilot.press("2", "1")
        assert outline.has_focus
        await pilot.press("slash", *"refuse", "enter")
        assert workbench(pilot).panes.graph_view.selection.node == "refuse"
        await pilot.press("escape")
        await pilot.resize_terminal(100, 24)
        assert graph.display
        assert "[1 Graph]" in text(pilot)
        assert outline.styles.border_right == border
        await pilot.resize_terminal(80, 24)
        await pilot.press("O")
        assert (graph.display, outline.display, graph.has_focus) == (True, False, True)
        assert "[1 Graph]" in text(pilot)

    bench.play(script, REFUND, size=(100, 30))


def test_panes_are_enlarged_and_the_divider_moves_and_stops_before_a_pane_is_gone(bench: Bench) -> None:
    run = bench.run(REFUND, steps=3)

    async def script(pilot: P) -> None:
        before = text(pilot)
        for back in ("_", "escape"):
            await press(pilot, "2", "+")
            assert workbench(pilot).panes.state_pane.size == (80, 20)
            assert "Trace" not in text(pilot)
            await press(pilot, "5")
            assert "Trace" in text(pilot)
            assert "State" not in text(pilot)
            await press(pilot, back, "1")
            assert text(pilot) == before
        graph = workbench(pilot).grid.groups[0]
        for size in (SMALL, LARGE):
            await pilot.resize_terminal(*size)
            workbench(pilot).grid.divided_at = None
            await pilot.pause()
            width = graph.size.width
            await press(pilot, ">")
            assert graph.size.width == width + 4
            await press(pilot, "<", "<")
            assert graph.size.width == width - 4
            await pilot.press(*"<" * 11)
            assert graph.size.width == 16
            await press(pilot, ">")
            assert graph.size.width == 20

    bench.play(script, REFUND, run=run.id)


# Searching and leaving


def test_what_is_sought_is_found_in_the_pane_and_counted(bench: Bench) -> None:
    run = bench.run(REFUND, steps=4)

    async def script(pilot: P) -> None:
        await press(pilot, "5", "/", *"draft")
        assert "1 of " in screen_lines(pilot.app)[-2]
        await press(pilot, "enter")
        assert workbench(pilot).panes.trace_pane.has_focus
        await press(pilot, "n")
        assert "2 of " in screen_lines(pilot.app)[-2]
        await press(pilot, "N")
        assert "1 of " in screen_lines(pilot.app)[-2]
        await press(pilot, "escape")
        assert not workbench(pilot).bottom.is_searching
        assert said(pilot).startswith("VIEWING")
        await press(pilot, "/", *"sXSq", "escape")  # letters, in the field
        assert pilot.app.screen is workbench(pilot)

    bench.play(script, REFUND, run=run.id)
    assert len(bench.nodes()) == 4


def test_escape_leaves_one_thing_after_the_other(bench: Bench) -> None:
    run = bench.run(REFUND, steps=3)

    async def script(pilot: P) -> None:
        screen = workbench(pilot)
        graph = screen.panes.graph_view
        await press(pilot, "[", "+", "o", "/", *"pay", "enter")

        def standing() -> tuple[bool, bool, bool, bool]:
            past = screen.runs.shown.moment is not None and not screen.runs.shown.moment.live
            return screen.bottom.is_searching, graph.selection.edge is not None, past, screen.grid.enlarged

        seen = [standing()]
        for _ in range(5):
            await press(pilot, "escape")
            seen.append(standing())
        left = [sum(before) - sum(after) for before, after in pairwise(seen)]
        assert seen[0][0]
        assert seen[0][2:] == (True, True)
        assert set(left) <= {0, 1}
        assert seen[-1] == (False, False, False, False)
        assert pilot.app.screen is screen

    bench.play(script, REFUND, run=run.id)


def test_what_is_selected_is_told_in_words_and_copied(bench: Bench) -> None:
    run = bench.run(REFUND, steps=3)

    async def script(pilot: P) -> None:
        await press(pilot, "g", "o")
        assert said(pilot) == 'edge 1 of 2 billing: classify → lookup, category == "billing"'
        await press(pilot, "o")
        assert said(pilot) == "edge 2 of 2 other: classify → hand_over, always"
        await press(pilot, "5", "k", "y")
        await until(pilot, lambda: said(pilot).startswith("copied"))
        copied = pilot.app.clipboard
        assert copied
        await press(pilot, "Y")
        await until(pilot, lambda: pilot.app.clipboard != copied)
        assert "stepgraph runs show r-1 --step" in pilot.app.clipboard

    bench.play(script, REFUND, run=run.id)


# From one graph to another


def test_another_graph_is_opened_by_its_path_and_q_leads_back_to_the_home_screen(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "ctrl+o")
        field = dialog(pilot, OpenPath)
        await pilot.press(*"nowhere", "enter")
        assert "there is no such file" in text(pilot)
        field.query_one(Input).value = str(GRAPHS / "threshold_router.toml")
        await press(pilot, "enter")
        assert "threshold" in header(pilot)
        await press(pilot, "q")
        assert "refund-triage" in header(pilot)
        await press(pilot, "q")
        dialog(pilot, HomeScreen)
        recent = text(pilot).partition("RECENT")[2].partition("EXAMPLES")[0]
        assert recent.index("threshold_router") < recent.index("refund_triage")  # the newest is on top

    bench.play(script, REFUND)


def test_what_waits_is_listed_at_home_and_opens_with_its_review(bench: Bench) -> None:
    bench.run(REFUND, steps=5)

    async def script(pilot: P) -> None:
        assert "r-1 review" in text(pilot)
        await press(pilot, "enter")
        dialog(pilot, ReviewScreen)
        assert "Refund 240 EUR to Ana" in text(pilot)
        await press(pilot, "escape")
        assert "AWAITING HUMAN   step 4/30" in header(pilot)

    bench.play(script)


def test_a_review_of_another_run_can_be_opened_from_anywhere(bench: Bench) -> None:
    bench.run(REFUND, steps=5)

    async def script(pilot: P) -> None:
        assert "A 1" in header(pilot)
        assert "NO RUN" in header(pilot)
        await press(pilot, "A", "enter")
        dialog(pilot, ReviewScreen)
        await press(pilot, "n", *"no", "enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, InboxScreen) and "Pending 0" in header(pilot))
        await press(pilot, "q")
        assert "A 0" in header(pilot)

    bench.play(script, GRAPHS / "threshold_router.toml")
    assert Reviews(bench.store).pending() == []


# Settings, and what is remembered


def test_a_file_opens_as_it_was_left(bench: Bench) -> None:
    async def leave(pilot: P) -> None:
        await start(pilot)
        await press(pilot, "s", "s", "g", "z", "3", ">")
        await pilot.press("ctrl+q")

    async def come_back(pilot: P) -> tuple[object, ...]:
        screen = workbench(pilot)
        graph = screen.panes.graph_view
        assert "run r-1" in header(pilot)
        assert "step 2/30" in header(pilot)
        return (
            screen.grid.groups[1].active,
            graph.selection.node,
            graph.zoom,
            screen.grid.groups[0].size.width,
        )

    bench.play(leave, REFUND)
    assert bench.play(come_back, REFUND) == ("why", "classify", "card", 46)


def test_keys_of_the_settings_take_the_place_of_others_and_the_palette_does_the_same(bench: Bench) -> None:
    wrong: list[str] = []
    keys = read_keys({"debug": {"step": "f6,ctrl+s"}}, lambda path, what: wrong.append(what))
    bench.settings = replace(bench.settings, keys=keys)
    run = bench.run(REFUND)

    async def script(pilot: P) -> None:
        assert "F6 Step" in text(pilot)
        await press(pilot, "s", "f10")
        assert "step 0/30" in header(pilot)
        await press(pilot, "f6", "ctrl+s")
        assert "step 2/30" in header(pilot)
        await press(pilot, ":")
        dialog(pilot, StepgraphPalette)
        await pilot.press(*"step")
        await until(pilot, lambda: "Run exactly one node" in text(pilot))
        await press(pilot, "enter")
        await until(pilot, lambda: "step 3/30" in header(pilot))

    bench.play(script, REFUND, run=run.id)
    assert not wrong


def test_what_is_wrong_with_the_settings_is_told_at_the_start(bench: Bench) -> None:
    app = bench.app(REFUND, ("settings.toml:3: there is no setting 'thme' [red]",))

    async def look() -> None:
        async with app.run_test(size=LARGE, notifications=True) as pilot:
            await until(pilot, lambda: "settings.toml:3: there is no setting" in text(pilot))
            assert "[red]" in text(pilot)

    asyncio.run(look())
    app.context.store.close()
