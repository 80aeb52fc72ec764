"""A long node shows how long it has been running, on a terminal only."""

from __future__ import annotations

import re
import threading
from io import StringIO

import pytest

from stepgraph_tui.cli import driving as progress
from stepgraph_tui.cli.output import Output
from stepgraph_tui.cli.streams import Stream


class Watched(StringIO):
    """Tells when the time a node has taken was written."""

    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal
        self.ticked = threading.Event()

    def isatty(self) -> bool:
        return self.is_terminal

    def write(self, text: str) -> int:
        written = super().write(text)
        if "runs," in text:
            self.ticked.set()
        return written


def test_a_long_node_is_seen_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.001)
    monkeypatch.setenv("TERM", "xterm")
    output, watched = Output(), Watched(is_terminal=True)
    output.told_stream = Stream(watched)
    with progress.waiting(output)("r-1", "work", 1):
        assert watched.ticked.wait(30)
    assert re.search(r"work runs, \d+ s", watched.getvalue())
    assert watched.getvalue().endswith("\r\x1b[K")
