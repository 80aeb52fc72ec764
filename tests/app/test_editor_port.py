"""The user's own editor: how it is called, and that the terminal is lent to it and taken back."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from stepgraph import StepgraphError
from stepgraph_tui.documents import SuspendingEditor, chosen_editor, editor_command, suspending
from tests.app.playing import play

FILE = Path("/graphs/a b.toml")


@pytest.fixture(autouse=True)
def no_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    """None but those of the test."""
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)


# Which command


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


# Where the terminal cannot be lent


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


@pytest.mark.parametrize("left", [b"\xff\xfe", b"x" * 10_000_001])
def test_what_is_no_text_is_refused(tmp_path: Path, left: bytes) -> None:
    file = tmp_path / "text.txt"
    file.write_bytes(left)
    with pytest.raises(StepgraphError, match="the editor saved"):
        suspending._edited(file, "one")


# At a real terminal
