"""A small app that steps a run at a real terminal: the child process of test_terminal.py.

python at_a_terminal.py STORE REPORT {steps,crash,hang}
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.widgets import Static

from stepgraph import END, SqliteStore, State, StateGraph
from stepgraph_tui.worker import (
    Capture,
    Go,
    Printed,
    Start,
    SteppingThread,
    WorkDone,
    own_terminal,
)

log = logging.getLogger("nodes")
log.addHandler(logging.StreamHandler())  # holds sys.stderr as it is before the app begins


def prints(state: State) -> dict[str, Any]:
    print("NOISE of print")
    log.warning("NOISE of logging")
    os.write(1, b"NOISE of the number\n")
    subprocess.run([sys.executable, "-c", "print('NOISE of a process')"], check=True)
    return {}


def asks(state: State) -> dict[str, Any]:
    if os.environ.get("MODE") == "hang":
        threading.Event().wait()
    return {"name": input("NOISE of a question? ")}


def debugs(state: State) -> dict[str, Any]:
    breakpoint()
    return {}


class Small(App[None]):
    """Runs a graph, and writes a report of what it heard."""

    def __init__(self, store: Path, report: Path, mode: str, capture: Capture) -> None:
        super().__init__()
        self._report = report
        self._mode = mode
        self._printed: list[tuple[int, str]] = []
        self._thread = SteppingThread(lambda: SqliteStore(store), self.post_message, capture=capture)

    def compose(self) -> ComposeResult:
        yield Static("THE APP IS HERE")

    def on_mount(self) -> None:
        graph = StateGraph("noise", start="prints")
        graph.add_node("prints", prints)
        graph.add_node("asks", debugs if self._mode == "debug" else asks)
        graph.add_edge("prints", "asks")
        graph.add_edge("asks", END)
        self._thread.submit(Start(graph.compile(), {}, "r-1"))
        if self._mode == "hang":
            self.set_interval(0.05, self._end_while_a_node_hangs)

    def _end_while_a_node_hangs(self) -> None:
        running = self._thread.running
        if running is not None and running.node == "asks":
            self._end()

    def on_printed(self, message: Printed) -> None:
        self._printed.append((message.step, message.text))

    def on_work_done(self, message: WorkDone) -> None:
        if message.halt == "done":
            self._thread.submit(Go("r-1"))
        elif self._mode == "crash":
            raise ValueError("A BUG OF THE APP")
        else:
            self._end()

    def _end(self) -> None:
        self._thread.close()
        report = {"printed": self._printed, "size": list(self.size)}
        self._report.write_text(json.dumps(report), encoding="utf-8")
        self.exit()


if __name__ == "__main__":
    os.environ["MODE"] = sys.argv[3]
    with own_terminal() as capture:
        Small(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], capture).run()
    print("AFTER THE APP", sys.stdin.isatty(), sys.stdout.isatty(), flush=True)
