"""Asking for the path of a graph file."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input

from stepgraph_tui.dialogs.open_path import OpenPath, completed
from tests.app.playing import play, screen_lines


class Host(App[None]):
    """Asks for a path, and keeps it."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: list[Path | None] = []

    def on_mount(self) -> None:
        self.push_screen(OpenPath(), self.answers.append)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with graph files and others; the current one."""
    for name in ("refund.toml", "refunds.txt", "graphs/a.toml", ".hidden.toml", "other.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(*presses: str, size: tuple[int, int] = (80, 24)) -> tuple[list[Path | None], str]:
    """What was handed back after some keys, and the screen."""
    host = Host()

    async def press(pilot: Pilot[None]) -> str:
        for key in presses:
            await pilot.press(key)
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
        return "\n".join(screen_lines(host))

    text = play(host, press, size)
    return host.answers, text


def test_a_file_that_is_there_is_handed_back() -> None:
    assert asked(*"other.toml", "enter")[0] == [Path("other.toml")]
    assert asked(*"other.toml", "ctrl+j")[0] == [Path("other.toml")]


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("none.toml", "there is no such file"),
        ("graphs", "this is a folder"),
        ("", "write the path"),
        ("sub/x", "no such file"),
        ("~nobody/x", "no such file"),
    ],
)
def test_what_cannot_be_opened_is_told_below_the_field(typed: str, message: str) -> None:
    answers, text = asked(*typed, "enter")
    assert answers == []
    assert message in text


def test_the_message_goes_when_the_path_is_changed() -> None:
    assert "no such file" not in asked(*"nothing", "enter", "x")[1]


def test_esc_opens_nothing() -> None:
    assert asked(*"other.toml", "escape")[0] == [None]


@pytest.mark.parametrize("key", ["tab", "right"])
def test_a_path_is_completed(key: str) -> None:
    assert asked(*"ref", key, "enter")[0] == [Path("refund.toml")]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("r", "refund.toml"),
        ("gr", "graphs/"),
        ("graphs/", "graphs/a.toml"),
        ("./o", "./other.toml"),
        (".h", ".hidden.toml"),
        ("", None),
        ("zzz", None),
        ("nowhere/x", None),
        ("\0", None),
    ],
)
def test_folders_and_graph_files_are_what_a_path_can_end_in(text: str, path: str | None) -> None:
    assert completed(text) == path


def test_the_home_folder_can_be_written_as_a_tilde(own_home: Path) -> None:
    (own_home / "mine.toml").write_text("", encoding="utf-8")
    assert completed("~/mi") == "~/mine.toml"
    assert asked(*"~/mine.toml", "enter")[0] == [own_home / "mine.toml"]


@pytest.mark.parametrize("size", [(120, 40), (20, 5)])
def test_it_fits_any_screen(size: tuple[int, int]) -> None:
    assert asked(*"other.toml", "enter", size=size)[0] == [Path("other.toml")]


def test_a_path_that_no_file_can_have_is_told() -> None:
    host = Host()

    async def paste(pilot: Pilot[None]) -> str:
        host.screen.query_one(Input).value = "x" * 5000
        await pilot.press("enter")
        await pilot.pause()
        return "\n".join(screen_lines(host))

    assert "File name too long" in play(host, paste)
