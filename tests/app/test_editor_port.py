"""The user's own editor: how it is called, and that the terminal is lent to it and taken back."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from stepgraph import StepgraphError
from stepgraph_tui.documents import Editor, SuspendingEditor, chosen_editor, editor_command, suspending
from tests.app.editing import GRAPH, graph_file
from tests.app.playing import play
from tests.app.terminals import at_a_terminal
from tests.app.writing_editor import WritingEditor

CHILD = Path(__file__).with_name("editing_at_a_terminal.py")
FILE = Path("/graphs/a b.toml")


@pytest.fixture(autouse=True)
def no_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    """None but those of the test."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)


# Which command


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ({"VISUAL": "code -w", "EDITOR": "vi"}, ["code", "-w"]),
        ({"VISUAL": "  ", "EDITOR": "vi"}, ["vi"]),
        ({"EDITOR": "'/opt/my editor/ed' --quiet"}, ["/opt/my editor/ed", "--quiet"]),
    ],
)
def test_visual_comes_before_editor_and_is_split_like_a_command(
    environment: dict[str, str], words: list[str]
) -> None:
    assert chosen_editor(environment) == words


def test_without_an_editor_both_names_are_told() -> None:
    with pytest.raises(StepgraphError, match=r"neither \$VISUAL nor \$EDITOR is set"):
        chosen_editor({})


def test_a_command_that_cannot_be_split_is_told_by_its_name() -> None:
    with pytest.raises(StepgraphError, match=r"\$EDITOR is not a command: No closing quotation"):
        chosen_editor({"EDITOR": "vi '"})


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        (["vi"], ["vi", "+7", str(FILE)]),
        (["/usr/bin/nvim", "-u", "NONE"], ["/usr/bin/nvim", "-u", "NONE", "+7", str(FILE)]),
        (["nano"], ["nano", "+7", str(FILE)]),
        (["emacs", "-nw"], ["emacs", "-nw", "+7", str(FILE)]),
        (["hx"], ["hx", f"{FILE}:7"]),
        (["code"], ["code", "--wait", "--goto", f"{FILE}:7"]),
        (["codium", "-w"], ["codium", "-w", "--goto", f"{FILE}:7"]),
        (["gedit"], ["gedit", str(FILE)]),
    ],
)
def test_each_editor_is_told_the_line_in_its_own_way(editor: list[str], command: list[str]) -> None:
    assert editor_command(editor, FILE, 7) == command


@pytest.mark.parametrize(
    ("editor", "command"),
    [
        (["vi"], ["vi", str(FILE)]),
        (["hx"], ["hx", str(FILE)]),
        (["code"], ["code", "--wait", str(FILE)]),
        (["code", "--wait"], ["code", "--wait", str(FILE)]),
    ],
)
def test_without_a_line_the_file_is_just_opened(editor: list[str], command: list[str]) -> None:
    assert editor_command(editor, FILE) == command


def test_a_file_is_never_taken_for_an_option() -> None:
    assert editor_command(["vi"], Path("-c.toml"))[-1] == str(Path.cwd() / "-c.toml")


# Where the terminal cannot be lent


def said(editor: str, monkeypatch: pytest.MonkeyPatch, path: Path) -> str:
    """What is told when a file is to be edited in an app without a terminal."""
    monkeypatch.setenv("EDITOR", editor)

    async def script(pilot: Pilot[Any]) -> str:
        with pytest.raises(StepgraphError) as refused:
            SuspendingEditor(pilot.app).edit(path)
        return str(refused.value)

    return play(App[None](), script)


def test_where_the_terminal_cannot_be_lent_the_path_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = graph_file(tmp_path)
    assert said("vi", monkeypatch, path) == (
        f"an editor cannot use this terminal (open {path} in an editor yourself)"
    )


def test_a_text_leaves_no_file_behind_where_it_cannot_be_edited(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EDITOR", "vi")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    async def script(pilot: Pilot[Any]) -> None:
        with pytest.raises(StepgraphError):
            SuspendingEditor(pilot.app).edit_text("text")

    play(App[None](), script)
    assert list(tmp_path.iterdir()) == []


# What comes back


@pytest.mark.parametrize(
    ("before", "left", "text"),
    [
        ("one", b"one", None),
        ("one", b"one\n", None),
        ("one", b"two\n", "two"),
        ("one\n", b"two\n", "two\n"),
        ("one", b"", ""),
        ("one", "zwei ü\r\n".encode(), "zwei ü\r"),
        ("one", None, None),
    ],
)
def test_a_text_comes_back_as_it_was_meant(
    tmp_path: Path, before: str, left: bytes | None, text: str
) -> None:
    file = tmp_path / "text.txt"
    if left is not None:
        file.write_bytes(left)
    assert suspending._edited(file, before) == text


@pytest.mark.parametrize("left", [b"\xff\xfe", b"x" * 10_000_001])
def test_what_is_no_text_is_refused(tmp_path: Path, left: bytes) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(left)
    with pytest.raises(StepgraphError, match="the editor saved"):
        suspending._edited(file, "one")


def test_the_editor_of_tests_is_one_too(tmp_path: Path) -> None:
    path = graph_file(tmp_path)
    editor: Editor = WritingEditor(str.upper)
    editor.edit(path, 3)
    assert path.read_text(encoding="utf-8") == GRAPH.upper()
    assert editor.edit_text("a") == "A"
    assert editor.edit_text("A") is None


# At a real terminal


class Lent:
    """What came of lending a terminal to an editor that is a shell script."""

    def __init__(self, folder: Path, script: str, mode: str = "file", editor: str = "") -> None:
        self.path = graph_file(folder)
        program, report, notes = folder / "vi", folder / "report.json", folder / "notes"
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        environment = {"EDITOR": editor or str(program), "NOTES": str(notes)}
        with at_a_terminal(sys.executable, CHILD, self.path, report, mode, env=environment) as terminal:
            self.code = terminal.end()
            self.screen = terminal.screen
            self.same_modes = terminal.modes_after == terminal.modes_before
        self.report: Any = json.loads(report.read_text(encoding="utf-8"))
        self.notes = notes.read_text(encoding="utf-8") if notes.exists() else ""


def test_the_editor_gets_the_terminal_and_the_app_comes_back(tmp_path: Path) -> None:
    lent = Lent(
        tmp_path,
        'test -t 0 && test -t 1 && test -t 2 && echo "# edited" >> "$2"\n'
        'echo "HERE IS THE EDITOR"\necho "$@" > "$NOTES"',
    )
    assert lent.report == {"error": None, "interrupts": True}
    assert lent.path.read_text(encoding="utf-8") == GRAPH + "# edited\n"
    assert lent.notes == f"+3 {lent.path}\n"
    before, between, after = (
        lent.screen.find(words) for words in ("THE APP IS HERE", "HERE IS THE EDITOR", "THE APP IS BACK")
    )
    assert -1 < before < between < after
    assert "\x1b[?1049l" in lent.screen[before:between]  # the app had left its screen
    assert (lent.code, lent.same_modes) == (0, True)


def test_an_interrupt_belongs_to_the_editor(tmp_path: Path) -> None:
    lent = Lent(tmp_path, 'trap "echo interrupted > \\"$NOTES\\"" INT\nkill -INT 0')
    assert (lent.report["error"], lent.notes, lent.code) == (None, "interrupted\n", 0)


def test_an_editor_that_fails_is_told(tmp_path: Path) -> None:
    lent = Lent(tmp_path, "exit 3")
    assert lent.report["error"].endswith("vi failed with exit code 3")
    assert "THE APP IS BACK" in lent.screen


def test_an_editor_that_is_killed_is_told(tmp_path: Path) -> None:
    assert "was ended by signal 9" in Lent(tmp_path, "kill -9 $$").report["error"]


def test_an_editor_that_is_not_there_is_told(tmp_path: Path) -> None:
    lent = Lent(tmp_path, "", editor="no-such-editor -x")
    assert lent.report["error"] == (
        "the editor no-such-editor cannot be started: No such file or directory "
        "($VISUAL, or else $EDITOR, names it)"
    )
    assert "THE APP IS BACK" in lent.screen


def test_a_text_is_edited_in_a_private_file_that_is_gone_afterwards(tmp_path: Path) -> None:
    lent = Lent(
        tmp_path, 'ls -ld "$1" | cut -c1-10 > "$NOTES"\necho "$1" >> "$NOTES"\necho three >> "$1"', "text"
    )
    assert lent.report["text"] == "one\ntwothree"
    mode, file = lent.notes.split()
    assert mode == "-rw-------"
    assert file.endswith(".txt")
    assert not Path(file).parent.exists()


def test_a_text_that_is_left_as_it_was_is_none(tmp_path: Path) -> None:
    assert Lent(tmp_path, "true", "text").report["text"] is None
