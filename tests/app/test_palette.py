"""What the command palette offers."""

from __future__ import annotations

from typing import Any

import pytest
from textual.command import CommandList
from textual.pilot import Pilot
from textual.theme import Theme

from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.palette import PaletteEntry, StepgraphPalette, entries
from tests.app.desktop import Desktop, Review, StatePaneOfTests, TracePaneOfTests
from tests.app.playing import play, screen_lines
from tests.app.turning import rest


def offered(app: Desktop) -> list[PaletteEntry]:
    """What is offered on the screen that is on top."""
    return list(entries(app, live_commands(app.screen), in_dialog=app.screen.is_modal))


async def opened(pilot: Pilot[None], query: str = "") -> list[str]:
    """The palette's entries by name after typing a query."""
    pilot.app.action_command_palette()
    await pilot.pause()
    await pilot.press(*query)
    await rest(pilot)
    options = pilot.app.screen.query_one(CommandList).options
    return [str(option.prompt).splitlines()[0] for option in options]


def test_it_offers_what_works_now_as_the_footer_does_then_the_rest() -> None:
    async def look(pilot: Pilot[None]) -> list[str]:
        return await opened(pilot)

    names = play(Desktop(), look)
    assert names[0] == "Step  s  F10"
    assert names.index("View  v") < names.index("Find  /") < names.index("State  2")
    assert not any(name.startswith(("Stop ", "Retry ", "Down ", "Expand ")) for name in names)
    assert names[-3:] == ["Screenshot  ", "Keys  ?  F1", "Quit  ctrl+q"]


def test_letters_narrow_it_down_by_name_and_by_what_is_said() -> None:
    async def look(pilot: Pilot[None]) -> list[str]:
        return await opened(pilot, "earl")

    assert play(Desktop(), look)[0] == "Earlier  ["

    async def by_tooltip(pilot: Pilot[None]) -> list[str]:
        return await opened(pilot, "exactly")

    assert play(Desktop(), by_tooltip)[0] == "Step  s  F10"


def test_an_entry_does_what_its_key_does_on_the_same_pane() -> None:
    app = Desktop()

    async def choose(pilot: Pilot[None]) -> list[str]:
        await opened(pilot, "whole")
        await pilot.press("enter")
        await pilot.pause()
        await opened(pilot, "earlier")
        await pilot.press("enter")
        await pilot.pause()
        return app.bench.query_one(StatePaneOfTests).done + app.bench.done

    assert play(app, choose) == ["whole", "run.view(-1)"]


def test_it_follows_the_focus() -> None:
    app = Desktop()

    async def look(pilot: Pilot[None]) -> list[str]:
        app.bench.query_one(TracePaneOfTests).focus()
        await pilot.pause()
        return [entry.name for entry in offered(app)]

    names = play(app, look)
    assert names[6:9] == ["First", "Live", "Expand"]
    assert "Whole value" not in names


def test_over_an_approval_it_offers_its_verbs_help_theme_and_quit_alone() -> None:
    app = Desktop()

    async def look(pilot: Pilot[None]) -> list[str]:
        app.push_screen(Review())
        await pilot.pause()
        return await opened(pilot)

    names = [name.partition("  ")[0] for name in play(app, look)]
    assert names == [
        "Approve", "Edit & approve", "Reject", "Respond", "Comment", "Details", "Diff", "Later",
        "Previous", "Next", "Keys", "Quit",
    ]  # fmt: skip


def test_a_command_whose_pane_has_gone_does_nothing() -> None:
    app = Desktop()

    async def run(pilot: Pilot[None]) -> list[str]:
        pane = app.bench.query_one(StatePaneOfTests)
        (whole,) = [live for live in live_commands(app.screen) if live.command.id == "state.whole"]
        await pane.remove()
        await whole.run()
        return pane.done

    assert play(app, run) == []


def test_our_themes_are_offered_and_the_others_found() -> None:
    app = Desktop()

    async def look(pilot: Pilot[None]) -> tuple[list[PaletteEntry], str]:
        for name, dark in (("stepgraph-dark", True), ("stepgraph-light", False)):
            app.register_theme(Theme(name, primary="#0178d4", dark=dark))
        app.theme = "stepgraph-dark"
        themes = [entry for entry in offered(app) if entry.name.startswith("Theme: ")]
        await opened(pilot, "theme: light")
        await pilot.press("enter")
        await pilot.pause()
        return themes, app.theme

    themes, chosen = play(app, look)
    assert chosen == "stepgraph-light"
    assert [entry.name for entry in themes if not entry.found_only] == ["Theme: light"]
    assert "Theme: nord" in [entry.name for entry in themes if entry.found_only]
    assert "Theme: dark" not in [entry.name for entry in themes]


def test_quit_leaves_the_app() -> None:
    app = Desktop()

    async def leave(pilot: Pilot[None]) -> bool:
        await opened(pilot, "quit")
        await pilot.press("enter")
        await pilot.pause()
        return app._exit

    assert play(app, leave)


def test_the_palette_key_works_from_anywhere_and_escape_leaves_all_as_it_was() -> None:
    app = Desktop()

    async def look(pilot: Pilot[None]) -> tuple[bool, Any]:
        await pilot.press("ctrl+p")
        await pilot.pause()
        open_now = isinstance(app.screen, StepgraphPalette)
        await pilot.press("escape")
        await pilot.pause()
        return open_now, app.screen

    assert play(app, look) == (True, app.bench)


@pytest.mark.parametrize("size", [(80, 24), (20, 5)])
def test_it_draws_at_any_size_without_emoji(size: tuple[int, int]) -> None:
    async def look(pilot: Pilot[None]) -> str:
        await opened(pilot)
        return "".join(screen_lines(pilot.app))

    assert "🔎" not in play(Desktop(), look, size)
