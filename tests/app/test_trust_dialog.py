"""Asking yes or no, and asking for trust: nothing but one deliberate key says yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from stepgraph.files.agreed import FileChange
from stepgraph.files.sources import Sources
from stepgraph.files.trust import Covered, TrustQuestion
from stepgraph_tui.dialogs.questions import Confirm, TrustDialog
from stepgraph_tui.text.trust import file_changes
from tests.app.asking import Asking, answered, answered_in_turn
from tests.app.playing import play

FILES = ["/home/ana/refund.toml", "/home/ana/[red]tools\x1b[31m.py", "module os, for os:system"]
CHANGED = FileChange("/home/ana/tools.py", "a\nb\n\tc\n", "a\nB\x1b[2J\u202e\n\tc\n", "has changed")
QUESTION = "Run r-7 is unfinished. Start a new one?"


def one_line(text: str) -> str:
    """What a dialog shows, without its frame."""
    return " ".join(text.replace("┃", " ").split())


def stamp_of(host: Asking) -> Callable[[events.Event], float]:
    """The clock of a host."""
    return lambda event: host.now


def trust(host: Asking) -> TrustDialog:
    """Asks for trust by the clock of a host."""
    return TrustDialog("refund", question(folder=Path("/home/ana")), stamp=stamp_of(host))


def question(
    files: Sequence[str] = FILES, changes: Sequence[FileChange] = (), folder: Path | None = None
) -> TrustQuestion:
    """A question about files that nobody has read."""
    return TrustQuestion(tuple(files), tuple(changes), folder, Covered(None, {}, (), Sources()))


def trusted(*cases: Sequence[str | float]) -> list[list[str | None]]:
    """The answer after some keys, one dialog a case; a number lets so many seconds pass."""
    return [answers for answers, _ in answered_in_turn(trust, *cases)]


def test_y_after_a_moment_of_quiet_trusts_and_does_nothing_while_keys_still_come() -> None:
    assert trusted([0.6, "y"], [0.1, "y", 0.6, "y"]) == [["files"], ["files"]]
    assert trusted([0.6, "f"], ["f"], [0.1, "f", 0.6, "f"]) == [["folder"], [], ["folder"]]
    assert trusted(["y"], [0.4, "y"], [0.6, "x", "y"], [0.6, "j", 0.3, "y"]) == [[]] * 4


def test_a_yes_that_came_too_early_is_asked_for_again() -> None:
    ((_, text),) = answered_in_turn(trust, [0.1, "y"])
    assert "Press it again, after a moment: y Trust and run" in one_line(text)


@pytest.mark.parametrize("wait", [0.0, 5.0])
def test_every_other_key_that_answers_means_no(wait: float) -> None:
    cases: list[list[str | float]] = [[wait, key] for key in ("enter", "escape", "n", "q", "ctrl+c")]
    assert trusted(*cases) == [[""]] * len(cases)


def test_other_keys_answer_nothing() -> None:
    assert trusted([5.0, "space", "tab", "Y", "a", "1", "ctrl+j"]) == [[]]


@pytest.mark.parametrize("size", [(80, 24), (20, 5)])
def test_a_click_answers_nothing_and_ends_the_quiet(size: tuple[int, int]) -> None:
    host = Asking()

    async def click_everywhere(pilot: Pilot[None]) -> None:
        host.push_screen(trust(host), host.answers.append)
        await pilot.pause()
        host.now += 5
        for y in range(0, size[1], 3):
            await pilot.click(offset=(size[0] // 4, y))
        await pilot.press("y")

    play(host, click_everywhere, size)
    assert host.answers == []


def test_it_lists_the_files_and_says_what_is_covered() -> None:
    _, text = answered(Asking(TrustDialog("refund", question())))
    for words in (
        "'refund'",
        "/home/ana/refund.toml",
        "[red]tools\\x1b[31m.py",
        "module os, for os:system",
        "any change",
        "import is not checked",
        "y Trust",
    ):
        assert words in one_line(text)
    assert "f Trust" not in text
    assert "\x1b" not in text


def test_in_a_browser_nothing_is_trusted_and_it_names_the_command_that_asks() -> None:
    def elsewhere(host: Asking) -> TrustDialog:
        return TrustDialog(
            "refund",
            question(folder=Path("/home/ana")),
            elsewhere="stepgraph run a.toml",
            stamp=stamp_of(host),
        )

    cases = answered_in_turn(elsewhere, [5.0, "y", "f"], [5.0, "y", "escape"])
    assert [answers for answers, _ in cases] == [[], [""]]
    said = one_line(cases[0][1])
    assert "/home/ana/refund.toml" in said
    assert "`stepgraph run a.toml` asks" in said
    assert "Trust and run" not in said
    assert "Trust the folder" not in said


def test_what_a_command_reads_is_quoted_and_scrolled_to_its_end() -> None:
    reads = "\n".join(f"echo {number}\x1b[2J" for number in range(60))
    asked = question([f"command of tool fmt: sh; it reads:\n{reads}"])
    _, text = answered(Asking(TrustDialog("refund", asked)))
    assert "command of tool fmt: sh; it reads:" in text
    assert "| echo 0\\x1b[2J" in text
    assert "echo 59" not in text
    _, text = answered(Asking(TrustDialog("refund", asked)), *["pagedown"] * 4)
    assert "| echo 59\\x1b[2J" in text
    assert "y Trust and run" in text


def test_it_names_the_servers_any_tool_of_which_may_be_called() -> None:
    asked = replace(question(["node a: any tool of your servers"]), any_tool=True)
    _, text = answered(Asking(TrustDialog("refund", asked, ["files", "search"])))
    assert "any tool of your servers (now: files, search), also of those that you add later" in one_line(text)


def test_it_shows_what_changed_since_it_was_answered_and_the_text_is_data() -> None:
    _, text = answered(Asking(TrustDialog("refund", question(["/home/ana/tools.py"], [CHANGED]))))
    said = one_line(text)
    assert "'refund' names Python code that has changed since you trusted it" in said
    for words in ("/home/ana/tools.py has changed", "line 1 a -b +B\\x1b[2J\\u202e c"):
        assert words in said
    assert "\x1b" not in text


def test_of_much_that_changed_a_part_is_shown_and_nothing_is_compared_for_ever() -> None:
    old, new = ("\n".join(f"{sign}{number % 7}" for number in range(9_000)) for sign in "ab")
    changes = [FileChange(f"/home/ana/{number}.py", old, new, "has changed") for number in range(99)]
    told = list(file_changes(changes))
    assert len(told) == 21
    assert told[0][1][-1] == "… and 17,700 more lines"
    assert told[-1] == ("… and 79 more files", [])


def test_the_folder_is_offered_where_there_is_one() -> None:
    ((_, text),) = answered_in_turn(trust, [0.6])
    assert "Or trust the folder /home/ana until you quit" in one_line(text)
    assert "y Trust and run f Trust the folder until you quit Enter Esc Cancel" in one_line(text)


def test_many_files_can_be_scrolled_through() -> None:
    host = Asking(TrustDialog("many", question([f"/home/ana/file{number}.py" for number in range(60)])))

    async def scroll(pilot: Pilot[None]) -> tuple[str, str]:
        top = host.text
        await pilot.press("j", "k", "pageup", *["pagedown"] * 6)
        await pilot.pause()
        return top, host.text

    top, bottom = play(host, scroll)
    assert "file0.py" in top
    assert "y Trust" in top
    assert "is not checked" in bottom


def test_a_question_names_its_verb_and_only_y_says_yes() -> None:
    keys = ("y", "n", "enter", "escape", "x")
    told = answered_in_turn(lambda _: Confirm(QUESTION, "Start over"), *([key] for key in keys))
    assert [answers for answers, _ in told] == [[True], [False], [False], [False], []]
    _, text = told[-1]
    assert QUESTION in text
    assert "y Start over   Enter Esc Cancel" in text


def test_a_hostile_question_is_data() -> None:
    assert "Forget [red]\\x1b[2J\\u202e?" in answered(Asking(Confirm("Forget [red]\x1b[2J\u202e?")))[1]
