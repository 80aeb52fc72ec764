"""The field of a search."""

from __future__ import annotations

from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from stepgraph_tui.commands import WORKBENCH, bindings
from stepgraph_tui.widgets.chrome.find_bar import FindBar
from tests.app.playing import play, widget_lines


class Host(App[None], inherit_bindings=False):
    """A bar, below the keys of the workbench."""

    BINDINGS = bindings(WORKBENCH)

    def __init__(self) -> None:
        super().__init__()
        self.bar = FindBar()
        self.said: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.bar

    @on(FindBar.Changed)
    def changed(self, message: FindBar.Changed) -> None:
        self.said.append(message.text)
        self.bar.found = f"1 of {len(message.text)}" if message.text else ""

    @on(FindBar.Submitted)
    def submitted(self) -> None:
        self.said.append("ENTER")
        self.screen.set_focus(None)

    @on(FindBar.Closed)
    def closed(self) -> None:
        self.said.append("ESC")

    def action_find(self) -> None:
        self.said.append("the slash did not reach the field")


def test_each_letter_is_told_and_the_count_is_shown() -> None:
    app = Host()

    async def search(pilot: Pilot[None]) -> list[str]:
        app.bar.open()
        await pilot.press("a", "slash", "N")
        await pilot.pause()
        typing = widget_lines(app.bar)
        await pilot.press("enter")
        await pilot.pause()
        return typing + widget_lines(app.bar)

    typing, afterwards = play(app, search)
    assert app.said == ["a", "a/", "a/N", "ENTER"]
    assert typing.startswith(" / a/N")
    assert typing.endswith("1 of 3  Enter next  Esc close")
    assert afterwards.endswith("1 of 3  n N next  Esc close")


def test_escape_ends_the_search() -> None:
    app = Host()

    async def search(pilot: Pilot[None]) -> None:
        app.bar.open()
        await pilot.press("x", "escape")

    play(app, search)
    assert app.said == ["x", "ESC"]


def test_a_bar_that_is_opened_again_is_typed_over() -> None:
    app = Host()

    async def search(pilot: Pilot[None]) -> str:
        app.bar.open()
        await pilot.press("o", "l", "d")
        app.bar.open()
        await pilot.pause()
        await pilot.press("n")
        await pilot.pause()
        return app.bar.text

    assert play(app, search) == "n"
    assert app.said == ["o", "ol", "old", "old", "n"]


def test_the_count_is_text_and_a_narrow_bar_keeps_it() -> None:
    app = Host()

    async def look(pilot: Pilot[None]) -> list[str]:
        app.bar.open()
        app.bar.found = "[b]2[/b] of 7"
        await pilot.pause()
        return widget_lines(app.bar)

    (shown,) = play(app, look, (30, 5))
    assert shown.endswith("[b]2[/b] of 7")
    assert "Esc" not in shown
