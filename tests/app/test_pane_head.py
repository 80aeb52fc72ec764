"""The rule with tabs above a pane, and the line between two columns."""

from __future__ import annotations

from textual import on
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.pilot import Pilot
from textual.widgets import Static

from stepgraph_tui.widgets.chrome.divider import Divider
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
