"""The last line of a screen: the keys that work now."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from stepgraph_tui.commands import COMMANDS
from stepgraph_tui.commands.live import LiveCommand, live_commands
from stepgraph_tui.commands.names import key_name, key_names
from stepgraph_tui.dialogs.help import HelpScreen
from stepgraph_tui.widgets.chrome import key_line
from stepgraph_tui.widgets.chrome.key_line import KeyLine
from tests.app.desktop import Desktop, Review, TracePaneOfTests
from tests.app.playing import play, screen_lines


def named(*ids: str) -> str:
    """Commands as the line names them: ``s Step  c Run``."""
    commands = [COMMANDS[id] for id in ids]
    return "  ".join(f"{key_names(command.keys)[0]} {command.label}" for command in commands)


BEST = named(
    "debug.step", "debug.extend", "debug.go", "workbench.save", "workbench.approvals", "workbench.mode"
)


async def keys(pilot: Pilot[None]) -> str:
    """What the line shows."""
    await pilot.pause()
    return screen_lines(pilot.app)[-1]


def test_it_names_the_best_keys_that_work_and_always_help_and_palette() -> None:
    shown = play(Desktop(), keys)
    assert shown.startswith(f" {BEST}  ")
    assert shown.endswith("  ? Keys  : All")
    assert len(shown) == 78


def test_a_wider_screen_shows_more_of_them() -> None:
    shown = play(Desktop(), keys, (200, 24))
    of_the_pane = named("state.whole", "state.mode", "state.writer", "state.edit", "state.watch")
    assert shown.startswith(f" {BEST}  {of_the_pane}  {named('debug.start_over')}  ")
    assert "[ Earlier  ] Later" in shown
    assert shown.endswith("? Keys  : All")


def test_keys_that_do_not_work_now_are_not_named() -> None:
    app = Desktop()

    async def look(pilot: Pilot[None]) -> tuple[str, str]:
        before = await keys(pilot)
        app.bench.busy = True
        app.bench.refresh_bindings()
        return before, await keys(pilot)

    before, after = play(app, look)
    assert "s Step" in before
    assert "X Stop" not in before
    assert "s Step" not in after
    assert after.startswith(" X Stop")
    assert "Retry" not in before + after
    assert "Next" not in before + after  # it is there, but greyed out


def test_the_pane_that_has_the_focus_has_its_own_keys() -> None:
    async def look(pilot: Pilot[None]) -> str:
        pilot.app.screen.query_one(TracePaneOfTests).focus()
        return await keys(pilot)

    assert "g First  G Live  Enter Expand" in play(Desktop(), look, (120, 24))


def test_in_a_text_field_only_keys_that_do_not_type_are_named() -> None:
    async def look(pilot: Pilot[None]) -> str:
        pilot.app.screen.query_one(Input).focus()
        return await keys(pilot)

    shown = play(Desktop(), look)
    assert shown.startswith(" F10 Step  F5 ")
    assert shown.endswith("  F1 Keys  ctrl+p All")
    assert "/ Find" not in shown
    assert "?" not in shown


def test_keys_are_shown_as_they_are_mapped() -> None:
    app = Desktop()

    async def look(pilot: Pilot[None]) -> str:
        app.set_keymap({"debug.step": "left_curly_bracket,ctrl+n"})
        return await keys(pilot)

    assert f"  {{ Step  {named('debug.go')}" in play(app, look)


def test_however_many_dialogs_were_closed_it_looks_once_at_what_was_told_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, looks = Desktop(), count(1)

    def look(screen: Screen[Any]) -> list[LiveCommand]:
        next(looks)
        return live_commands(screen)

    monkeypatch.setattr(key_line, "live_commands", look)

    async def close(pilot: Pilot[None]) -> int:
        for _ in range(3):
            app.push_screen(Review())
            await pilot.pause()
            app.pop_screen()
            await pilot.pause()
        before = next(looks)
        for _ in range(3):
            app.bench.refresh_bindings()
        await pilot.pause()
        return next(looks) - before - 1

    assert play(app, close) == 1


def test_it_fits_any_width_that_holds_help_and_palette() -> None:
    async def look(pilot: Pilot[None]) -> None:
        await keys(pilot)
        line = pilot.app.screen.query_one(KeyLine)
        for width in range(20, 140):
            shown = line.line(width).plain
            assert len(shown) == width
            assert shown.endswith("  ? Keys  : All  ")

    play(Desktop(), look)


def test_a_click_does_what_the_key_under_it_does() -> None:
    app = Desktop()

    async def click(pilot: Pilot[None]) -> tuple[list[str], bool]:
        await keys(pilot)
        await pilot.click(KeyLine, offset=(3, 0))  # s Step
        await pilot.click(KeyLine, offset=(60, 0))  # nothing
        await pilot.click(KeyLine, offset=(BEST.index("Mode"), 0))
        done = app.bench.done
        await pilot.click(KeyLine, offset=(67, 0))  # ? Keys
        await pilot.pause()
        return done, isinstance(app.screen, HelpScreen)

    assert play(app, click) == (["run.step", "design.mode"], True)


def test_a_click_decides_no_review() -> None:
    app, review = Desktop(), Review()

    async def click(pilot: Pilot[None]) -> str:
        app.push_screen(review)
        shown = await keys(pilot)
        for x in range(2, 80, 9):
            await pilot.click(KeyLine, offset=(x, 0))
        return shown

    assert play(app, click).startswith(" y Approve  e Edit & approve  n Reject")
    assert review.done == []


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("s", "s"), ("S", "S"), ("ctrl+r", "ctrl+r"), ("enter", "Enter"), ("escape", "Esc"), ("f10", "F10"),
        ("left_square_bracket", "["), ("question_mark", "?"), ("colon", ":"), ("at", "@"), ("plus", "+"),
        ("underscore", "_"), ("slash", "/"), ("less_than_sign", "<"), ("equals_sign", "="), 
        ("space", "Space"),
        ("down", "↓"), ("pagedown", "PgDn"), ("shift+tab", "shift+tab"), ("comma", ","), ("minus", "-"),
        ("ctrl+at", "ctrl+@"), ("ctrl+down", "ctrl+down"), ("f", "f"), ("no_such_key", "no_such_key"),
    ],
)  # fmt: skip
def test_keys_are_written_as_people_write_them(key: str, name: str) -> None:
    assert key_name(key) == name


def test_several_keys_are_named_one_by_one() -> None:
    assert key_names("s,f10, left_square_bracket") == ["s", "F10", "["]
