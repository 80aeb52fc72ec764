"""The questions about a file: one that changed on disk, a draft that was left, and what differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from stepgraph_tui.dialogs.difference import DifferencePage
from stepgraph_tui.dialogs.questions import DiskChanged, QuestionDialog, RestoreDraft, Unsaved
from stepgraph_tui.documents import GraphDraft, TextDifference
from stepgraph_tui.documents.difference import difference
from stepgraph_tui.text.cells import cell_len
from tests.app.asking import Asking, answered, answered_in_turn
from tests.app.editing import BROKEN, GRAPH, with_note
from tests.app.playing import play

PATH = Path("/graphs/[red]small\x1b[2J.toml")
LEFT_OPEN = {"escape": None, "enter": None, "q": None}
SIZES = [(80, 24), (20, 5), (4, 2)]


def draft(is_behind: bool = False) -> GraphDraft:
    return GraphDraft(Path("draft"), PATH, with_note("mine"), 1000.0, "digest", is_behind)


def changed() -> QuestionDialog[Any]:
    return DiskChanged(PATH)


def left() -> QuestionDialog[Any]:
    return RestoreDraft(draft(), 1000.0 + 4000)


def words(text: str) -> str:
    """What a person reads, on one line."""
    return " ".join(text.replace("┃", " ").split())


def seen(*dialogs: Screen[Any]) -> list[str]:
    waiting = iter(dialogs)
    return [words(text) for _, text in answered_in_turn(lambda _: next(waiting), *[[]] * len(dialogs))]


@pytest.mark.parametrize(
    ("dialog", "answers"),
    [
        (
            changed,
            {"r": "reload", "o": "overwrite", "=": "difference", "escape": None, "enter": None, "q": None},
        ),
        (left, {"r": "restore", "x": "discard", "=": "difference", "escape": None, "enter": None, "q": None}),
        (lambda: Unsaved(PATH), {"s": "save", "x": "discard", "escape": None, "enter": None, "q": None}),
    ],
)
def test_each_answer_has_its_key(dialog: Any, answers: dict[str, str | None]) -> None:
    told = answered_in_turn(lambda _: dialog(), *([key] for key in answers))
    assert [answer for answer, _ in told] == [[answer] for answer in answers.values()]


@pytest.mark.parametrize("dialog", [changed, left])
def test_other_keys_and_clicks_answer_nothing(dialog: Any) -> None:
    host = Asking(dialog())

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("y", "n", "space", "tab", "ctrl+j", "R", "j", "k", "pagedown", "pageup")
        for y in range(0, 24, 6):
            await pilot.click(offset=(30, y))

    play(host, script)
    assert host.answers == []


def test_each_question_names_its_answers_and_says_what_is_kept() -> None:
    disk, kept, behind = seen(changed(), left(), RestoreDraft(draft(is_behind=True), 900.0))
    assert "r Reload o Overwrite = Difference Esc Later" in disk
    assert "[red]small\\x1b[2J.toml changed on disk" in disk
    assert "undo brings your edits back" in disk
    assert ".toml.bak" in disk
    assert "r Restore x Discard = Difference Esc Later" in kept
    assert "edits from 1h 6m ago" in kept
    assert "changed on disk since" not in kept
    assert "changed on disk since" in behind


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_screen_nor_reaches_the_terminal_as_it_is(size: tuple[int, int]) -> None:
    dialogs = iter([changed(), left(), DifferencePage("a \x1b b", difference(GRAPH, BROKEN))])
    for _, text in answered_in_turn(lambda _: next(dialogs), *[["j", "pagedown"]] * 3, size=size):
        assert all(cell_len(line) <= size[0] for line in text.splitlines())
        assert "\x1b" not in text


# What differs


def test_a_difference_begins_with_what_it_means() -> None:
    evil = TextDifference(("[red]\x1b[2J\u202e",), ("-[bold]\x1b[31m", "+\u202e", "line 1"), "")
    named, same, unread, none, data = seen(
        *(
            DifferencePage("On disk, and here", found)
            for found in (
                difference(GRAPH, GRAPH.replace("small", "large")),
                difference(GRAPH, with_note("mine")),
                difference(BROKEN, GRAPH),
                difference(GRAPH, GRAPH),
                evil,
            )
        )
    )
    assert 'What it means: · name: "small" became "large"' in named
    assert '-name = "small" +name = "large"' in named
    assert "It means the same: runs will not notice." in same
    assert '+note = "mine"' in same
    assert "Cannot show what it means: line 7: it is not valid TOML" in unread
    assert "There is no difference." in none
    assert "[red]\\x1b[2J\\u202e" in data
    assert "-[bold]\\x1b[31m +\\u202e" in data


def test_a_difference_of_many_lines_is_cut_and_can_be_copied() -> None:
    copied: list[str] = []
    many = TextDifference((), tuple(f"+line {number}" for number in range(6_000)))
    host = Asking(DifferencePage("x", many, copied.append))

    assert "… and 1,000 more lines" in answered(host, "y", "G")[1]
    assert copied[0].count("\n") > 5_000
