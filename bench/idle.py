"""Screens that nobody touches: what they write to the terminal, and how much of a processor they take.

All screens are opened at once, each in a process at a terminal of its own, and then left alone together: what
is counted in ``_SECONDS`` is told for a minute. The floor is a bare Textual app that shows one word.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from stepgraph import Executor
from stepgraph.files import read_graph
from stepgraph.stores import open_store
from stepgraph.testing import FakeClock

from .graphs import FAILS
from .measure import ROOT, work_folder
from .table import Line

_SECONDS, _SETTLED = 20, 12  # of counting; before it, until passing words are gone
_PATIENCE = 120.0
_CLOCK = 20 * 60  # bytes a minute that a clock may write: it says something else once in that time
_PROCESSOR = 0.3  # seconds a minute: half a percent of one core
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]P][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")
_REFUND, _ROUTER = ROOT / "graphs/refund_triage.toml", ROOT / "graphs/threshold_router.toml"
_HOURS = 2
_BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("bare")
Bare().run()
"""


@dataclass(frozen=True, slots=True)
class Scene:
    """A screen, and how one comes there."""

    name: str
    file: Path | None
    keys: Sequence[tuple[str, str]]
    """What is typed, each once the text behind the one before has come; the first is awaited, not typed."""
    clock: bool = False
    """Whether it shows how long something has waited."""
    waited: bool = False
    """Whether a review waits that was asked for two hours ago."""
    is_floor: bool = False
    """Whether it is the bare app."""


_READY = (("", "c Run"), ("c", "Cancel"), ("\n", "READY"))
_ASKS = (*_READY, ("c", "Esc Later"))
_REVIEW = (("", "Enter opens"), ("\r", "y Approve"))
_EDIT = ("e", "Go on")


def _scenes(fails: Path) -> list[Scene]:
    return [
        Scene("a bare Textual app", None, [("", "bare")], is_floor=True),
        Scene("home", None, [("", "RECENT")]),
        Scene("home, a review waits", None, [("", "Enter opens")], clock=True, waited=True),
        Scene("Design", _REFUND, [("", "c Run"), ("m", "NODE")]),
        Scene("READY", _REFUND, _READY),
        Scene("PAUSED", _REFUND, [*_ASKS, ("\x1b", "WAITS")], clock=True),
        Scene("ENDED", _ROUTER, [*_READY, ("c", "ENDED")]),
        Scene("FAILED", fails, [*_READY, ("c", "FAILED")]),
        Scene("approval", _REFUND, _ASKS, clock=True),
        Scene(f"approval after {_HOURS} hours", None, _REVIEW, clock=True, waited=True),
        Scene("approval's edit form", _REFUND, [*_ASKS, ("", "y Approve"), _EDIT], clock=True),
        Scene(f"its edit form after {_HOURS} hours", None, [*_REVIEW, _EDIT], clock=True, waited=True),
        Scene(
            "approval's confirm line", _REFUND, [*_ASKS, ("", "y Approve"), ("y", "Approve only")], clock=True
        ),
        Scene("run form", _REFUND, _READY[:2]),
        Scene("node form", _REFUND, [("", "c Run"), ("m", "NODE"), ("\r", "Esc Cancel")]),
        Scene("picker", _REFUND, [("", "c Run"), ("m", "NODE"), ("C", "Esc Cancel")]),
        Scene("search", _REFUND, [("", "c Run"), ("/", "Enter next")]),
        Scene("help", _REFUND, [("", "c Run"), ("?", "Close")]),
        Scene("palette", _REFUND, [("", "c Run"), (":", "Part of a command")]),
    ]


def lines() -> list[Line]:
    """Open all screens, and leave them alone."""
    with work_folder() as folder, ExitStack() as stack:
        fails = folder / "fails.toml"
        fails.write_text(FAILS, encoding="utf-8")
        screens = [
            stack.enter_context(_Screen(scene, folder / str(number)))
            for number, scene in enumerate(_scenes(fails))
        ]
        for screen in screens:
            screen.reach()
        time.sleep(_SETTLED)  # noqa: TID251  # it is time itself that must pass
        before = [(screen.written, screen.processor_time) for screen in screens]
        time.sleep(_SECONDS)  # noqa: TID251  # the same
        after = [(screen.written, screen.processor_time) for screen in screens]
    a_minute = 60 / _SECONDS
    bytes_of = [(then[0] - now[0]) * a_minute for now, then in zip(before, after, strict=True)]
    time_of = [(then[1] - now[1]) * a_minute for now, then in zip(before, after, strict=True)]
    floor = time_of[0]
    lines = []
    for screen, wrote, took in zip(screens, bytes_of, time_of, strict=True):
        scene = screen.scene
        goal = None if scene.is_floor else _CLOCK if scene.clock else 0
        lines.append(Line(f"idle, {scene.name}: written in a minute (of {_SECONDS} s)", wrote, "bytes", goal))
        if floor:  # the system tells it
            limit = None if scene.is_floor else _PROCESSOR
            lines.append(Line("  and time of a processor", took, "s", limit, took / floor))
    return lines


class _Screen:
    """The app at a terminal that is read as fast as it writes.

    Args:
        scene: What it is brought to.
        home: A folder of its own.
    """

    def __init__(self, scene: Scene, home: Path) -> None:
        self.scene = scene
        self.written = 0
        self._seen = b""
        self._stirred = threading.Condition()
        home.mkdir()
        store = f"sqlite:///{home / 'runs.db'}"
        if scene.waited:
            with open_store(store) as opened:
                clock = FakeClock(time.time() - _HOURS * 3600)
                executor = Executor(read_graph(_REFUND).compile(), opened, clock=clock)
                executor.run(executor.start({}))
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (24, 80))
        words = ["-c", _BARE] if scene.is_floor else ["-m", "stepgraph_tui", "--store", store]
        words += [] if scene.file is None else [str(scene.file)]
        self._process = subprocess.Popen(
            [sys.executable, *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=ROOT,
            start_new_session=True,
            env={
                **os.environ,
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "STEPGRAPH_HOME": str(home),
            },
        )
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> _Screen:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65_536)
            except OSError:  # the process is gone
                return
            with self._stirred:
                self.written += len(data)
                self._seen += data
                self._stirred.notify_all()

    def reach(self) -> None:
        """Type the keys of the scene.

        Raises:
            SystemExit: What should come does not.
        """
        for keys, text in self.scene.keys:
            with self._stirred:
                if keys:
                    self._seen = b""
                    os.write(self._master, keys.encode())
                there = self._stirred.wait_for(lambda: text.encode() in self._plain, _PATIENCE)  # noqa: B023
            if not there:
                raise SystemExit(f"{self.scene.name}: no {text!r} in {self._plain[-2000:]!r}")

    @property
    def _plain(self) -> bytes:
        return _ESCAPES.sub(b"", self._seen)

    @property
    def processor_time(self) -> float:
        """How many seconds its threads have run; 0 where the system does not tell."""
        try:
            tasks = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
            return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9
        except (OSError, ValueError, IndexError):
            return 0.0
