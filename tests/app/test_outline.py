"""The graph as an indented list."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph import END, StateGraph
from stepgraph.graphs.validation import check
from stepgraph_tui.drawing.picture.glyphs import ASCII
from stepgraph_tui.run_view import RunSnapshot
from stepgraph_tui.widgets.graph_view import OutlinePane
from tests.app.graph_host import GraphHost, refund, refund_at
from tests.app.playing import play, screen_lines


def listed(pilot: Pilot[Any]) -> list[str]:
    """The lines on the screen, without the border at their right."""
    return [line.rstrip("│┃").rstrip() for line in screen_lines(pilot.app)]


def seen(graph: StateGraph, moment: RunSnapshot | None = None, pane: OutlinePane | None = None) -> list[str]:
    pane = pane or OutlinePane()

    async def script(pilot: Pilot[Any]) -> list[str]:
        pane.draw(graph, check(graph))
        pane.moment = moment
        await pilot.pause()
        return [line for line in listed(pilot) if line]

    return play(GraphHost(pane), script)


def test_a_plain_terminal_gets_plain_characters_only() -> None:
    assert all(line.isascii() for line in seen(refund(), refund_at(4), OutlinePane(glyphs=ASCII)))


def test_keys_go_line_by_line_and_fold_the_blocks() -> None:
    pane = OutlinePane()

    async def script(pilot: Pilot[Any]) -> list[str | None]:
        pane.draw(refund())
        await pilot.pause()
        found = []
        for key in ["j", "j", "k", "l", "j", "h", "h", "j", "k", "l", "l"]:
            await pilot.press(key)
            found.append(pane.selection.node)
        return found

    assert play(GraphHost(pane), script) == [
        "classify", "hand_over", "classify", "hand_over", END, "classify", "classify", "lookup",
        "classify", "classify", "hand_over",
    ]  # fmt: skip
