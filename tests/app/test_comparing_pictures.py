"""The comparer of pictures: it says where a screen has changed, and keeps what it is told to keep."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.text import Text
from screenshots.svg import picture, text_of
from textual.app import App, ComposeResult
from textual.widgets import Static

from tests.app.playing import play, screen_lines
from tests.app.snapshots import UPDATE, compare


class Shown(App[None]):
    def __init__(self, *lines: Text | str) -> None:
        super().__init__()
        self.lines = lines

    def compose(self) -> ComposeResult:
        for line in self.lines:
            yield Static(line, markup=False)


def shot(*lines: Text | str) -> str:
    async def script(pilot: object) -> str:
        return picture(app)

    app = Shown(*lines)
    return play(app, script, (30, 4))


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a picture of two lines is kept."""
    folder = tmp_path / "kept"
    with monkeypatch.context() as changed:
        changed.setenv(UPDATE, "1")
        compare("two", shot("one line", "another"), tmp_path, folder)
    monkeypatch.delenv(UPDATE, raising=False)
    return folder


def test_the_same_screen_is_the_same_picture(kept: Path, tmp_path: Path) -> None:
    compare("two", shot("one line", "another"), tmp_path, kept)


def test_other_text_is_shown_line_by_line(kept: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"-another\n\+a third") as raised:
        compare("two", shot("one line", "a third"), tmp_path, kept)
    assert "one line" not in str(raised.value)
    assert str(tmp_path / "two.svg") in str(raised.value)
    assert text_of((tmp_path / "two.svg").read_text(encoding="utf-8"))[1] == "a third"


def test_other_colours_are_told_by_their_lines(kept: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="the same text in other colours, in lines 2\n"):
        compare("two", shot("one line", Text("another", "red")), tmp_path, kept)


def test_a_picture_that_nobody_kept_is_said_to_be_new(kept: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="there is none yet"):
        compare("three", shot("one line"), tmp_path, kept)


def test_the_text_of_a_picture_is_that_of_the_screen() -> None:
    async def script(pilot: object) -> tuple[list[str], list[str]]:
        return text_of(picture(app)), screen_lines(app)

    app = Shown("a <b> & c", Text.assemble("  two  ", ("styles", "bold on blue"), "   !"))
    in_picture, on_screen = play(app, script, (30, 4))
    assert in_picture[:2] == on_screen[:2] == ["a <b> & c", "  two  styles   !"]
