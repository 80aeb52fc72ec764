"""Help, and the log of commands: dialogs that show lines."""

from __future__ import annotations

import re

from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph_tui.dialogs.command_log import CommandLog, CommandLogScreen
from tests.app.desktop import Desktop, TracePaneOfTests
from tests.app.playing import play, screen_lines


async def help_lines(pilot: Pilot[None]) -> list[str]:
    """The screen after asking for help."""
    await pilot.press("f1")
    await pilot.pause()
    return screen_lines(pilot.app)


async def copied_help(pilot: Pilot[None]) -> str:
    await help_lines(pilot)
    await pilot.press("y")
    assert isinstance(pilot.app, Desktop)
    return pilot.app.copied.pop()


def test_help_lists_the_keys_of_the_debugger_first_and_then_those_of_the_focused_pane() -> None:
    app = Desktop()

    async def script(pilot: Pilot[None]) -> tuple[list[str], str, str]:
        lines = [line.strip("┃ ") for line in await help_lines(pilot)]
        await pilot.press("y", "escape")
        pilot.app.screen.query_one(TracePaneOfTests).focus()
        return lines, app.copied.pop(), await copied_help(pilot)

    lines, state, trace = play(app, script, (80, 48))
    assert "KEYS" in lines[0]
    assert lines[1] == "DEBUG"
    assert "THIS PANE" in lines
    assert any(line.startswith("v  ") and "Switch between" in line for line in lines)
    # What only moves about comes last in its group.
    places = [
        state.index(does)
        for does in ("THIS PANE", "Show the whole value, or what changed in it", "Go to the next line")
    ]
    assert places == sorted(places)
    assert state.index("Go to the next line") < state.index("WORKBENCH")
    # All groups are there, the nearest first, and only what works.
    headings = [line for line in trace.splitlines() if line.isupper() and len(line) > 4]
    assert headings == ["DEBUG", "THIS PANE", "WORKBENCH", "EVERYWHERE"]
    assert re.search(r"s  F10 +Run exactly one node", trace)
    assert "?  F1   Show the keys that work here" in trace
    assert "View the next step" in trace
    assert "Retry" not in trace
    assert "Find the next match" not in trace


def test_a_wide_screen_has_two_columns() -> None:
    lines = play(Desktop(), help_lines, (120, 40))
    assert any("DEBUG" in line and "WORKBENCH" in line for line in lines)
    assert any("EVERYWHERE" in line for line in lines)


def test_in_a_text_field_help_names_what_works_there() -> None:
    async def look(pilot: Pilot[None]) -> str:
        pilot.app.screen.query_one(Input).focus()
        return "\n".join(await help_lines(pilot))

    shown = play(Desktop(), look)
    assert re.search(r"F10 +Run exactly one node", shown)
    assert "s  F10" not in shown


def test_help_over_help_shows_the_keys_of_a_dialog() -> None:
    app = Desktop()

    async def look(pilot: Pilot[None]) -> str:
        await help_lines(pilot)
        app.action_help()
        await pilot.pause()
        return screen_lines(app)[-20][:200] + "\n".join(screen_lines(app))

    assert "THIS DIALOG" in play(app, look)


def test_every_closing_key_closes_it() -> None:
    app = Desktop()

    async def close(pilot: Pilot[None]) -> None:
        for key in ("escape", "q", "enter"):
            await help_lines(pilot)
            assert app.screen is not app.bench
            await pilot.press(key)
            await pilot.pause()
            assert app.screen is app.bench

    play(app, close)


def test_the_keys_of_lists_scroll() -> None:
    async def scroll(pilot: Pilot[None]) -> list[str]:
        await help_lines(pilot)
        seen = []
        for key in ("j", "k", "pagedown", "pageup", "G", "g", "down"):
            await pilot.press(key)
            await pilot.pause()
            seen.append(screen_lines(pilot.app)[1].strip("┃ "))
        return seen

    first, second, page, back, end, top, down = play(Desktop(), scroll)
    assert (second, back, top) == ("DEBUG",) * 3
    assert first == down != second
    assert len({first, second, page, end}) == 4


def test_no_size_breaks_it() -> None:
    async def look(pilot: Pilot[None]) -> None:
        await help_lines(pilot)
        for size in [(20, 5), (1, 1), (33, 9), (200, 60)]:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert all(len(line) <= size[0] for line in screen_lines(pilot.app))

    play(Desktop(), look)


def log_screen(noted: list[str], size: tuple[int, int] = (80, 24)) -> tuple[list[str], list[str]]:
    """The screen of a log, and what ``y`` copies from it."""
    log, copied = CommandLog(), []  # type: tuple[CommandLog, list[str]]
    for number, text in enumerate(noted):
        log.note(1_800_000_000 + number, text)

    async def look(pilot: Pilot[None]) -> list[str]:
        pilot.app.push_screen(CommandLogScreen(log, copied.append))
        await pilot.pause()
        await pilot.pause()
        shown = screen_lines(pilot.app)
        await pilot.press("y")
        return shown

    return play(Desktop(), look, size), copied


def test_the_log_shows_each_command_with_its_time_newest_last() -> None:
    lines, copied = log_screen(["stepgraph step r-1", "stepgraph resume r-1"])
    shown = [line.strip("┃ ") for line in lines if "stepgraph" in line]
    assert [line[10:] for line in shown] == ["stepgraph step r-1", "stepgraph resume r-1"]
    assert all(line[2] == line[5] == ":" for line in shown)
    assert copied == ["stepgraph step r-1\nstepgraph resume r-1"]


def test_a_long_log_begins_at_its_end() -> None:
    lines, _ = log_screen([f"stepgraph step r-{number}" for number in range(100)])
    assert "r-99" in "\n".join(lines)
    assert "r-50" not in "\n".join(lines)


def test_an_empty_log_says_what_will_be_there() -> None:
    lines, copied = log_screen([])
    assert any("Nothing done yet" in line for line in lines)
    assert copied == [""]


def test_a_long_command_is_wrapped_and_copied_whole() -> None:
    command = "stepgraph run graph.toml " + " ".join(f"--input key{number}=value" for number in range(20))
    lines, copied = log_screen([command])
    assert sum("--input" in line for line in lines) > 3
    assert copied == [command]


def test_what_is_noted_is_data_and_only_so_much_is_kept() -> None:
    log = CommandLog()
    for number in range(3_000):
        log.note(number, "\x1b[31m[red]")
    assert len(log) == 1_000
    assert next(iter(log)) == (2_000, r"\x1b[31m[red]")


def test_without_somebody_who_copies_there_is_no_key_for_it() -> None:
    async def look(pilot: Pilot[None]) -> str:
        pilot.app.push_screen(CommandLogScreen(CommandLog()))
        await pilot.pause()
        await pilot.press("y")
        return "\n".join(screen_lines(pilot.app))

    shown = play(Desktop(), look)
    assert "Esc Close" in shown
    assert "y Copy" not in shown
