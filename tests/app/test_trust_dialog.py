"""Asking yes or no, and asking for trust: nothing but one deliberate key says yes."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from stepgraph_tui.dialogs.questions import Confirm, QuestionDialog, TrustDialog
from stepgraph_tui.themes import DARK
from tests.app.playing import play, screen_lines

FILES = ["/home/ana/refund.toml", "/home/ana/[red]tools\x1b[31m.py", "module os, for os:system"]
QUESTION = "Run r-7 is unfinished. Start a new one?"


class Host(App[None]):
    """Shows one dialog, and keeps its answer. Time stands still until it is told to move."""

    def __init__(self, dialog: QuestionDialog[bool] | None = None) -> None:
        super().__init__()
        self.now = 100.0
        self.dialog = dialog or TrustDialog("refund", FILES, stamp=self.stamp)
        self.answers: list[bool | None] = []

    def stamp(self, event: events.Event) -> float:
        return self.now

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.push_screen(self.dialog, self.answers.append)

    @property
    def text(self) -> str:
        return "\n".join(screen_lines(self))


def answer(host: Host, *presses: str | float) -> list[bool | None]:
    """The answer after some keys; a number lets so many seconds pass."""

    async def press(pilot: Pilot[None]) -> None:
        for one in presses:
            if isinstance(one, float):
                host.now += one
            else:
                await pilot.press(one)
        await pilot.pause()

    play(host, press)
    return host.answers


def test_y_after_a_moment_of_quiet_trusts() -> None:
    assert answer(Host(), 0.6, "y") == [True]


@pytest.mark.parametrize("presses", [("y",), (0.4, "y"), (0.6, "x", "y"), (0.6, "j", 0.3, "y")])
def test_y_does_nothing_while_keys_still_come(presses: tuple[str | float, ...]) -> None:
    assert answer(Host(), *presses) == []


def test_y_counts_again_after_the_next_moment_of_quiet() -> None:
    assert answer(Host(), 0.1, "y", 0.6, "y") == [True]


@pytest.mark.parametrize("key", ["enter", "escape", "n", "q", "ctrl+c"])
@pytest.mark.parametrize("wait", [0.0, 5.0])
def test_every_other_key_that_answers_means_no(key: str, wait: float) -> None:
    assert answer(Host(), wait, key) == [False]


@pytest.mark.parametrize("key", ["space", "tab", "Y", "a", "1", "ctrl+j"])
def test_other_keys_answer_nothing(key: str) -> None:
    assert answer(Host(), 5.0, key) == []


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (20, 5)])
def test_a_click_answers_nothing_and_ends_the_quiet(size: tuple[int, int]) -> None:
    host = Host()

    async def click_everywhere(pilot: Pilot[None]) -> None:
        host.now += 5
        for y in range(0, size[1], 3):
            await pilot.click(offset=(size[0] // 4, y))
        await pilot.press("y")

    play(host, click_everywhere, size)
    assert host.answers == []


def test_it_lists_the_files_and_says_what_is_covered() -> None:
    host = Host()

    async def look(pilot: Pilot[None]) -> str:
        return host.text

    text = play(host, look)
    for words in (
        "'refund'",
        "/home/ana/refund.toml",
        "[red]tools\\x1b[31m.py",
        "module os, for os:system",
        "any change",
        "import is not looked at and not covered",
        "y Trust",
    ):
        assert words in " ".join(text.replace("┃", " ").split())
    assert "\x1b" not in text


def test_many_files_can_be_scrolled_through() -> None:
    dialog = TrustDialog("many", [f"/home/ana/file{number}.py" for number in range(200)])
    host = Host(dialog)

    async def scroll(pilot: Pilot[None]) -> tuple[str, str]:
        top = host.text
        await pilot.press("j", "k", "pageup", *["pagedown"] * 20)
        await pilot.pause()
        return top, host.text

    top, bottom = play(host, scroll)
    assert "file0.py" in top
    assert "y Trust" in top
    assert "not covered" in bottom


def test_a_question_names_its_verb() -> None:
    host = Host(Confirm(QUESTION, "Start over"))

    async def look(pilot: Pilot[None]) -> str:
        return host.text

    text = play(host, look)
    assert QUESTION in text
    assert "y Start over" in text


@pytest.mark.parametrize(
    ("key", "said"), [("y", [True]), ("n", [False]), ("enter", [False]), ("escape", [False]), ("x", [])]
)
def test_only_y_says_yes_to_a_question(key: str, said: list[bool]) -> None:
    assert answer(Host(Confirm(QUESTION)), key) == said


def test_a_hostile_question_is_data() -> None:
    host = Host(Confirm("Forget [red]\x1b[2J\u202e?"))

    async def look(pilot: Pilot[None]) -> str:
        return host.text

    assert "Forget [red]\\x1b[2J\\u202e?" in play(host, look)
