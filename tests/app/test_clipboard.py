"""Copying, by whichever way there is."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from textual.app import App

from stepgraph.values.folders import data_folder
from stepgraph_tui.clipboard import copy, run_tool

WAYLAND = {"WAYLAND_DISPLAY": "wayland-0"}


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


def test_a_tool_of_the_system_and_the_terminal_are_both_asked() -> None:
    machine = Machine("wl-copy", "xclip")
    assert machine.copy("grün", WAYLAND) == "copied by wl-copy"
    assert machine.ran == [(["/usr/bin/wl-copy"], "grün".encode())]
    assert machine.app.clipboard == "grün"


def test_a_browser_elsewhere_copies_nothing_to_the_clipboard_of_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(App, "is_web", True)
    machine = Machine("wl-copy")
    assert machine.copy("a", WAYLAND).startswith("copied by the terminal")
    assert machine.ran == []


def test_a_tool_without_its_display_is_not_tried() -> None:
    machine = Machine("wl-copy", "xclip", "xsel")
    assert machine.copy("a", {"DISPLAY": ":0"}) == "copied by xclip"
    assert [words[0] for words, _ in machine.ran] == ["/usr/bin/xclip"]


def test_windows_reads_its_own_encoding() -> None:
    machine = Machine("clip.exe")
    assert machine.copy("ü") == "copied by clip.exe"
    assert machine.ran[0][1] == "ü".encode("utf-16")


def test_without_a_tool_the_text_is_in_a_file_that_is_named() -> None:
    machine = Machine()
    file = data_folder() / "copied.txt"
    assert machine.copy("text\n") == f"copied by the terminal, if it can (OSC 52), and to {file}"
    assert file.read_text("utf-8") == "text\n"
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_tool_that_fails_leads_to_the_next_then_to_the_file() -> None:
    machine = Machine("wl-copy", "xclip", works=False)
    assert str(data_folder()) in machine.copy("text", WAYLAND | {"DISPLAY": ":0"})
    assert len(machine.ran) == 2


def test_a_long_text_is_not_sent_to_the_terminal() -> None:
    machine = Machine()
    assert machine.copy("x" * 10_000_000) == f"copied to {data_folder() / 'copied.txt'}"
    assert machine.app.clipboard == ""


def test_a_shorter_text_replaces_the_longer_one_in_the_file() -> None:
    machine = Machine()
    machine.copy("a long text")
    machine.copy("short")
    assert (data_folder() / "copied.txt").read_text("utf-8") == "short"


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


def test_a_program_is_given_the_text_and_says_whether_it_went_well(tmp_path: Path) -> None:
    file = tmp_path / "got"
    keep = f"import sys, pathlib; pathlib.Path({str(file)!r}).write_bytes(sys.stdin.buffer.read())"
    assert run_tool([sys.executable, "-c", keep], b"text")
    assert file.read_bytes() == b"text"
    assert not run_tool([sys.executable, "-c", "raise SystemExit(1)"], b"")
    assert not run_tool([str(tmp_path / "no such program")], b"")


def test_a_program_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stepgraph_tui.clipboard._SECONDS", 0.05)
    forever = "import threading; threading.Event().wait()"
    assert not run_tool([sys.executable, "-c", forever], b"")
