"""A small app that lends its terminal to an editor: the child process of test_editor_port.py.

python editing_at_a_terminal.py FILE REPORT {file,text}
"""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.widgets import Static

from stepgraph import StepgraphError
from stepgraph_tui.documents import SuspendingEditor
from stepgraph_tui.worker import own_terminal


class Small(App[None]):
    """Has a file or a text edited, and writes a report of what came of it."""

    def __init__(self, file: Path, report: Path, mode: str) -> None:
        super().__init__()
        self._file, self._report, self._mode = file, report, mode

    def compose(self) -> ComposeResult:
        yield Static("THE APP IS HERE")

    def on_mount(self) -> None:
        self.call_after_refresh(self._edit)

    def _edit(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        editor = SuspendingEditor(self)
        outcome: dict[str, object] = {"error": None}
        try:
            if self._mode == "text":
                outcome["text"] = editor.edit_text("one\ntwo", ".txt")
            else:
                editor.edit(self._file, 3)
        except StepgraphError as error:
            outcome["error"] = str(error)
        outcome["interrupts"] = signal.getsignal(signal.SIGINT) == before
        self._report.write_text(json.dumps(outcome), encoding="utf-8")
        self.query_one(Static).update("THE APP IS BACK")
        self.set_timer(0.05, self.exit)


if __name__ == "__main__":
    with own_terminal():
        Small(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]).run()
