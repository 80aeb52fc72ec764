"""The graph as an indented list."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from stepgraph import END
from stepgraph_tui.widgets.graph_view import OutlinePane
from tests.app.graph_host import GraphHost, refund
from tests.app.playing import play


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
