"""Copying, by whichever way there is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.app import App

from stepgraph_tui.terminal import copy, run_tool


class Machine:
    """A machine with some tools, and an app that can ask its terminal."""

    def __init__(self, *tools: str, works: bool = True) -> None:
        self.tools, self.works = tools, works
        self.app: App[None] = App()
        self.ran: list[tuple[Sequence[str], bytes]] = []

    def copy(self, text: str, environment: dict[str, str] | None = None) -> str:
        return copy(self.app, text, run=self.run, find=self.find, environment=environment or {})

    def find(self, name: str) -> str | None:
        return f"/usr/bin/{name}" if name in self.tools else None

    def run(self, words: Sequence[str], data: bytes) -> bool:
        self.ran.append((words, data))
        return self.works


def test_half_of_a_character_is_copied_as_an_escape() -> None:
    machine = Machine("pbcopy")
    assert machine.copy("a\ud800") == "copied by pbcopy"
    assert machine.ran[0][1] == rb"a\ud800"


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("STEPGRAPH_HOME", str(tmp_path / "file" / "home"))
    machine = Machine()
    assert machine.copy("text") == "copied by the terminal, if it can (OSC 52)"
    assert machine.copy("x" * 100_000).startswith("could not be copied: ")


def test_a_program_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph_tui.terminal._SECONDS", 0.05)
    forever = "import threading; threading.Event().wait()"
    assert not run_tool([sys.executable, "-c", forever], b"")
