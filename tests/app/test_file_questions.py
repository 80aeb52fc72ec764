"""The questions about a file: one that changed on disk, a draft that was left, and what differs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot
from textual.screen import Screen

from stepgraph_tui.dialogs.difference import DifferencePage
from stepgraph_tui.dialogs.disk_changed import DiskChanged
from stepgraph_tui.dialogs.question import Question
from stepgraph_tui.dialogs.restore_draft import RestoreDraft
from stepgraph_tui.documents import GraphDraft, TextDifference, difference
from stepgraph_tui.themes import DARK
from tests.app.editing import BROKEN, GRAPH, with_note
from tests.app.playing import play, screen_lines

PATH = Path("/graphs/[red]small\x1b[2J.toml")
LATER = dict.fromkeys(("escape", "enter", "q"))
SIZES = [(120, 40), (80, 24), (20, 5), (4, 2)]


class Host(App[None]):
    """Shows one dialog, and keeps its answer."""

    def __init__(self, dialog: Screen[Any]) -> None:
        super().__init__()
        self.dialog = dialog
        self.answers: list[str | None] = []
        self.copied: list[str] = []

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.push_screen(self.dialog, self.answers.append)


def draft(is_behind: bool = False) -> GraphDraft:
    return GraphDraft(Path("draft"), PATH, with_note("mine"), 1000.0, "digest", is_behind)


def changed() -> Question:
    return DiskChanged(PATH)


def left() -> Question:
    return RestoreDraft(draft(), 1000.0 + 4000)


def seen(dialog: Screen[Any], size: tuple[int, int] = (80, 24)) -> str:
    """What a person reads, on one line."""

    async def look(pilot: Pilot[Any]) -> str:
        return "\n".join(screen_lines(pilot.app))

    return " ".join(play(Host(dialog), look, size).replace("┃", " ").split())


@pytest.mark.parametrize(
    ("dialog", "keys"),
    [
        (
            changed,
            {"r": "reload", "o": "overwrite", "=": "difference", "escape": None, "enter": None, "q": None},
        ),
        (left, {"r": "restore", "x": "discard", "=": "difference", "escape": None, "enter": None, "q": None}),
    ],
)
def test_each_answer_has_its_key_and_nothing_else_answers(
    dialog: Callable[[], Question], keys: dict[str, str | None]
) -> None:
    host = Host(dialog())

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("y", "n", "space", "tab", "ctrl+j", "R", "j", "k", "pagedown", "pageup")
        for y in range(0, 24, 3):
            await pilot.click(offset=(30, y))
        assert host.answers == []
        for key, answer in keys.items():
            await pilot.press(key)
            assert host.answers.pop() == answer
            host.push_screen(dialog(), host.answers.append)
            await pilot.pause()

    play(host, script)


def test_the_answers_are_named_with_their_keys() -> None:
    assert "r Reload o Overwrite = Difference Esc Later" in seen(changed())
    assert "r Restore x Discard = Difference Esc Later" in seen(left())


def test_it_says_which_file_and_what_is_kept() -> None:
    text = seen(changed())
    assert "[red]small\\x1b[2J.toml changed on disk" in text
    assert "undo brings your edits back" in text
    assert ".toml.bak" in text


def test_a_draft_says_how_old_it_is_and_whether_the_file_has_changed_since() -> None:
    assert "edits of 1h 6m ago that were not saved" in seen(left())
    assert "changed on disk since" not in seen(left())
    assert "changed on disk since" in seen(RestoreDraft(draft(is_behind=True), 900.0))


@pytest.mark.parametrize(
    "dialog", [changed, left, lambda: DifferencePage("a \x1b b", difference(GRAPH, BROKEN))]
)
def test_nothing_is_wider_than_the_screen_nor_reaches_the_terminal_as_it_is(dialog: Any) -> None:
    async def look(pilot: Pilot[Any]) -> None:
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.press("j", "pagedown")
            lines = screen_lines(pilot.app)
            assert all(cell_len(line) <= size[0] for line in lines)
            assert "\x1b" not in "".join(lines)

    play(Host(dialog()), look)


# What differs


def test_a_difference_begins_with_what_it_means() -> None:
    text = seen(DifferencePage("On disk, and here", difference(GRAPH, GRAPH.replace("small", "large"))))
    assert 'What it means: · name: "small" became "large"' in text
    assert '-name = "small" +name = "large"' in text


def test_a_difference_without_a_meaning_says_so() -> None:
    text = seen(DifferencePage("On disk, and here", difference(GRAPH, with_note("mine"))))
    assert "It means the same: runs would not notice." in text
    assert '+note = "mine"' in text


def test_a_difference_to_what_cannot_be_read_says_why() -> None:
    text = seen(DifferencePage("On disk, and here", difference(BROKEN, GRAPH)))
    assert "What it means cannot be told: line 7: it is not valid TOML" in text


def test_no_difference_is_told_too() -> None:
    assert "There is no difference." in seen(DifferencePage("On disk, and here", difference(GRAPH, GRAPH)))


def test_texts_in_a_difference_are_data() -> None:
    evil = TextDifference(("[red]\x1b[2J\u202e",), ("-[bold]\x1b[31m", "+\u202e", "line 1"), "")
    text = seen(DifferencePage("x", evil))
    assert "[red]\\x1b[2J\\u202e" in text
    assert "-[bold]\\x1b[31m +\\u202e" in text


def test_a_difference_of_many_lines_is_cut_and_can_be_copied() -> None:
    copied: list[str] = []
    many = TextDifference((), tuple(f"+line {number}" for number in range(6_000)))
    host = Host(DifferencePage("x", many, copied.append))

    async def script(pilot: Pilot[Any]) -> list[str]:
        await pilot.press("y", "G")
        return screen_lines(pilot.app)

    assert "… and 1,000 lines more" in "\n".join(play(host, script))
    assert copied[0].count("\n") > 5_000
