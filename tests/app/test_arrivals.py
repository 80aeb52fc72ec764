"""Being told that a review has come: title, bell, desktop notification, and the user's own command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from stepgraph_tui.review_calls import PauseCommand
from stepgraph_tui.settings import Notify, TerminalSignals
from tests.app.hearing import PATIENCE


def signals(kind: Notify, **environment: str) -> tuple[TerminalSignals, list[str]]:
    written: list[str] = []
    return TerminalSignals(kind, written.append, environment), written


def test_tmux_hands_a_notification_through() -> None:
    terminal, written = signals("osc9", TMUX="socket,1,0")
    terminal.call("x")
    assert written == ["\x1bPtmux;\x1b\x1b]9;Stepgraph: x\x07\x1b\\"]


# The user's own command

PYTHON = sys.executable


def command(tmp_path: Path, code: str) -> list[str]:
    script = tmp_path / "told.py"
    script.write_text(f"import json, os, sys, time\nfrom pathlib import Path\n{code}\n", encoding="utf-8")
    return [PYTHON, str(script), str(tmp_path / "told; $(touch pwned)")]


def failures(words: list[str], *reviews: dict[str, Any], **limits: float) -> list[str]:
    """What is said of a command that fails for some reviews."""
    said: list[str] = []
    calls = PauseCommand(words, said.append, **limits)
    for review in reviews:
        calls.tell(review)
    calls.close(PATIENCE)
    return said


def test_one_that_does_not_read_is_no_failure(tmp_path: Path) -> None:
    assert failures(command(tmp_path, "sys.stdin.close()"), {"prompt": "x" * 1_000_000}) == []


def test_one_that_takes_too_long_is_killed_and_told(tmp_path: Path) -> None:
    (told,) = failures(command(tmp_path, "time.sleep(600)"), {"id": "a-1"}, limit=0.01)
    assert told.endswith("took longer than 0.01 seconds, and was killed")


# In the app
