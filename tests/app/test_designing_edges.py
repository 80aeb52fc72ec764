"""Edges in the whole app: connected by keys and with the mouse, edited, and moved."""

from __future__ import annotations

from textual.geometry import Offset

from stepgraph_tui.dialogs.design import EdgeForm
from tests.app.bench import (
    Bench,
    P,
    header,
    press,
    said,
    text,
    workbench,
)
from tests.app.filling import fill, form_on_top, type_in
from tests.app.letters import (
    EDGES,
    choose_edge,
    design,
    draw,
    edges,
    go,
    nodes,
    selected,
)


def test_connecting_asks_for_the_target_and_for_the_condition_of_a_second_edge(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await go(pilot, "send")
        await press(pilot, "C")
        await type_in(pilot, "draft")
        await press(pilot, "enter")
        form = form_on_top(pilot, EdgeForm)
        assert form.focused_view is not None
        await fill(pilot, label="once more", condition="expression", when="count < 2")
        assert edges(pilot) == [*EDGES[:3], "send draft", "send END"]
        table = design(pilot).edges[3].table
        assert (table["label"], table["when"]) == ("once more", "count < 2")
        assert selected(pilot) == 3

    draw(bench, script)


def test_edges_are_tried_earlier_and_later_and_one_that_is_there_already_is_refused(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        await press(pilot, "C")
        await type_in(pilot, "check")
        await press(pilot, "enter")
        assert edges(pilot) == EDGES
        assert "SAVED" in header(pilot)
        assert "already" in said(pilot)
        await press(pilot, "K")
        assert edges(pilot) == EDGES
        await go(pilot, "check")
        await choose_edge(pilot, "send")
        await press(pilot, "K")
        assert edges(pilot)[1:3] == ["check send", "check draft"]
        assert selected(pilot) == 1
        assert "6 Problems 1" in text(pilot)  # the other one is never taken now
        await press(pilot, "J")
        assert edges(pilot) == EDGES
        assert "problem" not in said(pilot)
        await press(pilot, "d")
        assert edges(pilot) == ["draft check", "check draft", "send END"]
        assert said(pilot).startswith("delete")

    draw(bench, script)


def boxes(pilot: P) -> dict[str, Offset]:
    """A cell in the box of each node, on the screen."""
    lines = text(pilot).split("\n")
    return {
        name: Offset(line.index(f" {name} "), y)
        for name in nodes(pilot)
        for y, line in enumerate(lines)
        if f" {name} " in line[:56] and "│" in line[:56]
    }


def test_an_edge_is_drawn_with_the_mouse_from_box_to_box_and_undone(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        at = boxes(pilot)
        await pilot.mouse_down(offset=at["send"])
        await pilot.hover(offset=at["check"])
        assert workbench(pilot).panes.graph_view.model.scene.lit == "check"
        await pilot.hover(offset=at["draft"])
        await pilot.mouse_up(offset=at["draft"])
        await pilot.pause()
        form_on_top(pilot, EdgeForm)
        await fill(pilot, label="once more")
        assert edges(pilot) == [*EDGES[:3], "send draft", "send END"]
        await press(pilot, "u", "u")
        assert edges(pilot) == EDGES
        assert "SAVED" in header(pilot)

    draw(bench, script)


def test_esc_and_empty_space_give_a_drawn_line_up_and_in_debug_nothing_is_drawn(bench: Bench) -> None:
    async def script(pilot: P) -> None:
        at = boxes(pilot)
        await pilot.mouse_down(offset=at["send"])
        await pilot.hover(offset=at["draft"])
        await pilot.press("escape")
        await pilot.mouse_up(offset=at["draft"])
        await pilot.mouse_down(offset=at["send"])
        await pilot.hover(offset=at["draft"])
        await pilot.hover(offset=Offset(2, at["draft"].y))
        await pilot.mouse_up(offset=Offset(2, at["draft"].y))
        await pilot.pause()
        assert edges(pilot) == EDGES
        assert pilot.app.screen is workbench(pilot)
        await press(pilot, "m")
        at = boxes(pilot)
        await pilot.mouse_down(offset=at["send"])
        await pilot.hover(offset=at["draft"])
        await pilot.mouse_up(offset=at["draft"])
        await pilot.pause()
        assert edges(pilot) == EDGES
        assert "DEBUG" in header(pilot)

    draw(bench, script)
