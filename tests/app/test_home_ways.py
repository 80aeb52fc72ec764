"""Ways through the first screen: keys, the filter, paths, the mouse."""

from __future__ import annotations

from pathlib import Path

from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph.files import examples_dir
from stepgraph_tui.dialogs.open_path import OpenPath
from tests.app.at_home import REFUND, Host, at_home
from tests.app.playing import screen_lines


def test_the_keys_move_the_cursor_and_q_leaves(tmp_path: Path) -> None:
    host = Host(tmp_path)

    async def move(pilot: Pilot[None]) -> list[str]:
        titles = []
        for key in ("j", "down", "k", "up", "up", "G", "j", "g"):
            await pilot.press(key)
            titles.append(host.selected.title)
        await pilot.press("q")
        assert host._exit
        return titles

    first, second, third, *_, last = [
        path.stem
        for path in sorted(examples_dir().glob("*.toml"), key=lambda path: (path != REFUND, path.name))
    ]
    assert at_home(host, move) == [second, third, second, first, first, last, last, first]


def test_a_filter_shows_what_contains_a_text_and_enter_opens_it(tmp_path: Path) -> None:
    host = Host(tmp_path, None, REFUND)

    async def look(pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"LOOKS things")
        await pilot.pause()
        assert "tool_router" in host.text
        assert "negotiation" not in host.text
        assert "RECENT" not in host.text
        await pilot.press("enter")

    at_home(host, look)
    assert host.chosen == [(examples_dir() / "tool_router.toml", None)]


def test_esc_leaves_the_filter_and_then_shows_everything_again(tmp_path: Path) -> None:
    host = Host(tmp_path)

    async def look(pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"router", "down", "escape")
        await pilot.pause()
        assert host.list.has_focus
        assert host.selected.title == "tool_router"
        assert "negotiation" not in host.text
        await pilot.press("escape")
        await pilot.pause()
        assert "negotiation" in host.text
        assert host.selected.title == "tool_router"

    at_home(host, look)


def test_a_filter_that_nothing_contains_says_so_and_in_it_letters_are_letters(tmp_path: Path) -> None:
    host = Host(tmp_path)

    async def write(pilot: Pilot[None]) -> str:
        await pilot.press("x")
        assert "refund_triage" in host.text  # an example cannot be forgotten
        assert "x Forget" not in host.text
        await pilot.press("slash", *"xoqjkgG?:")
        value = host.home.query_one(Input).value
        await pilot.press("enter", "j", "G")
        assert "Nothing here contains 'xoq" in host.text
        return value

    assert at_home(host, write) == "xoqjkgG?:"
    assert host.chosen == []


def test_o_opens_a_file_by_its_path(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("", encoding="utf-8")
    host = Host(tmp_path)

    async def write(pilot: Pilot[None]) -> None:
        await pilot.press("o")
        assert isinstance(host.screen, OpenPath)
        host.screen.query_one(Input).value = str(file)
        await pilot.press("enter")
        await pilot.pause()

    at_home(host, write)
    assert host.chosen == [(file, None)]


def test_a_click_selects_and_a_second_one_opens(tmp_path: Path) -> None:
    host = Host(tmp_path)

    async def click(pilot: Pilot[None]) -> None:
        lines = screen_lines(host)
        y = next(at for at, line in enumerate(lines) if "tool_router" in line)
        await pilot.click(offset=Offset(5, y))
        assert host.selected.title == "tool_router"
        assert host.chosen == []
        heading = next(at for at, line in enumerate(lines) if "EXAMPLES" in line)
        await pilot.click(offset=Offset(5, heading))
        assert host.selected.title == "tool_router"
        await pilot.click(offset=Offset(5, y), times=2)
        await pilot.pause()

    at_home(host, click)
    assert host.chosen == [(examples_dir() / "tool_router.toml", None)]
