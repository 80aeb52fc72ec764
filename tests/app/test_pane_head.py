"""The rule with tabs above a pane, and the line between two columns."""

from __future__ import annotations

import pytest
from textual import on
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.pilot import Pilot
from textual.widgets import Static

from stepgraph_tui.widgets.chrome.pane import PaneHead
from stepgraph_tui.widgets.chrome.tabs import Divider
from tests.app.playing import play


class Columns(App[None]):
    """Two columns with a divider, which follows the mouse."""

    def __init__(self) -> None:
        super().__init__()
        self.divider = Divider()
        self.divider.joints = {0: "┬", 2: "├", -1: "┴"}
        self.left = Static("left")
        self.moves: list[int] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            self.left.styles.width = 10
            yield self.left
            yield self.divider
            yield Static("right")

    @on(Divider.Moved)
    def follow(self, message: Divider.Moved) -> None:
        self.moves.append(message.by)
        self.left.styles.width = self.divider.region.x + message.by


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (60, "─[5 Trace]─ 6 Problems 2  7 Watches  8 Breaks  9 Log "),
        (48, "─[5 Trace]─ 6 Probs 2  7 Watch  8 Break  9 Log "),
        (44, "─[5 Trace]─ 6 Prob 2  7 Watc  8 Brea  9 Log "),
        (42, "─[5 Trace]─ 6 Pro 2  7 Wat  8 Bre  9 Log "),
    ],
)
def test_tabs_keep_short_names_where_there_is_little_room(width: int, shown: str) -> None:
    tabs = [
        ("trace", "Trace"),
        ("problems", "Problems"),
        ("watches", "Watches"),
        ("breaks", "Breaks"),
        ("log", "Log"),
    ]
    head = PaneHead([(id, label, str(number)) for number, (id, label) in enumerate(tabs, 5)])

    class Host(App[None]):
        def compose(self) -> ComposeResult:
            yield head

    async def look(_: Pilot[None]) -> str:
        head.counts = {"problems": "2"}
        return head.line(width).plain

    assert play(Host(), look, (80, 5)).rstrip("─") == shown.rstrip("─")


def test_the_mouse_drags_the_divider_and_lets_it_go() -> None:
    app = Columns()

    async def drag(pilot: Pilot[None]) -> int:
        await pilot.mouse_down(Divider)
        await pilot.hover(offset=(13, 2))
        await pilot.hover(offset=(8, 2))
        await pilot.mouse_up(offset=(8, 2))
        await pilot.hover(offset=(20, 2))
        return app.divider.region.x

    assert play(app, drag, (30, 5)) == 8
    assert sum(app.moves) == -2
