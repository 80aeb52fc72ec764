"""A run that goes on in the app: its pace beside ``stepgraph run``, how fast it stops, what looking costs.

The app has a terminal of its own, as at a user's: its screen is painted, its keys are typed.
"""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import statistics
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from stepgraph import Executor, SqliteStore
from stepgraph.files import read_graph
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.remembered import Remembered, RememberedPlace
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.settings import Settings

from .graphs import LOOP
from .measure import ROOT, Rounds, work_folder
from .table import Line

SIZE = (120, 40)
_TURN = 1.5  # seconds
_TURNS = 7
_PACE_GOAL = 2  # times what a step of the shell takes
_STOP_GOAL = 0.05
_QUIET = 0.5  # seconds without a byte or a step: nothing goes on any more
_FRAME = 2_000  # bytes: what is less than that only prepares the terminal
_PATIENCE = 120.0
_LOOKS = 25


def lines() -> list[Line]:
    """Let a loop go on at the shell and in the app, stop it when it is short and when it is long."""
    with work_folder() as folder:
        paces = _paces(folder)
    with work_folder() as folder:
        loop = Loop(folder)
        stops = [(steps, loop.stop_at(steps)) for steps in (1_000, 50_000)]
        short, long = (loop.grown(f"of {steps}", steps).look() for steps in (10, 100_000))
    ratio = paces.ratio("app", "shell")
    goal = _PACE_GOAL * paces.median("app") / ratio
    return [
        Line("a step in the app, beside stepgraph run", paces.median("app"), "s", goal, ratio),
        *(Line(f"X to the last step, at {steps:,} steps", took, "s", _STOP_GOAL) for steps, took in stops),
        Line("a look at a run of 10 steps, painted", short, "s"),
        Line("a look at a run of 100,000 steps, painted", long, "s", 1.5 * short, long / short),
    ]


_rest = threading.Event().wait
"""Let so many seconds go by."""


class Terminal:
    """A command at a terminal of its own, which is read all the time.

    Args:
        folder: Where the graph, the runs and all that is remembered are.
        words: What follows ``stepgraph``.
        quiet: Whether what it writes goes nowhere instead: telling of each step takes time of its own.
    """

    def __init__(self, folder: Path, *words: str, quiet: bool = False) -> None:
        self._master, slave = pty.openpty()
        termios.tcsetwinsize(slave, (SIZE[1], SIZE[0]))
        self._process = subprocess.Popen(
            [Path(sys.executable).with_name("stepgraph"), *words],
            stdin=slave,
            stdout=subprocess.DEVNULL if quiet else slave,
            stderr=subprocess.DEVNULL if quiet else slave,
            cwd=ROOT,
            start_new_session=True,
            env=os.environ | {"TERM": "xterm-256color", "STEPGRAPH_HOME": str(folder), "HOME": str(folder)},
        )
        os.close(slave)
        self.read = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                self.read += len(os.read(self._master, 65536))
            except OSError:  # it is gone
                return

    def type(self, keys: str) -> float:
        """Type, and say when."""
        os.write(self._master, keys.encode())
        return time.time()

    def wait(self) -> None:
        """Wait until a frame is painted, and nothing more."""
        read = -1
        while read != self.read or read < _FRAME:
            read = self.read
            _rest(_QUIET)

    @property
    def memory(self) -> float:
        """The most bytes that it has had in memory; not a number where no file tells."""
        try:
            status = Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8")
        except OSError:
            return float("nan")
        return 1024.0 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))

    def freeze(self, frozen: bool) -> None:
        """Stand still, or go on."""
        os.kill(self._process.pid, signal.SIGSTOP if frozen else signal.SIGCONT)

    def ended(self) -> None:
        """Wait until the command is over.

        Raises:
            SystemExit: It failed.
        """
        if self._process.wait(_PATIENCE):
            raise SystemExit(f"a command left with {self._process.returncode}")
        os.close(self._master)

    def close(self) -> None:
        """Leave nothing behind."""
        self._process.kill()
        self._process.wait()
        os.close(self._master)


class Loop:
    """The loop of a folder, and one long run of it.

    Args:
        folder: Where to put graph and runs.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / "loop.toml"
        self._path.write_text(LOOP)
        self.store = SqliteStore(folder / "runs.db", durability="normal")
        self._executor = Executor(read_graph(self._path).compile(), self.store)
        self._run = self._executor.start({}, "r-long")

    @property
    def remembered(self) -> Remembered:
        """A memory in which the run was the last one that was looked at."""
        remembered = Remembered.load(self._folder / "remembered.json")
        remembered.note_opened(self._path)
        remembered.keep(self._path, RememberedPlace(run=self._run.id))
        return remembered

    def keep(self, *words: str) -> None:
        """Keep breakpoints and watches for the graph, as ``stepgraph breaks`` does."""
        Terminal(self._folder, "breaks", str(self._path), *words, quiet=True).ended()

    def grown(self, run_id: str, steps: int) -> Loop:
        """Let the run go on to so many steps, where they are not taken yet; or a fresh one."""
        if run_id != self._run.id:
            run_id = run_id.replace(" ", "-")
            self._run = self._executor.start({}, run_id)
        while self._run.step < steps:
            self._executor.step(self._run)
        return self

    def in_the_app(self, keys: str = "c") -> Terminal:
        """Open the app on the run, and let it go on there.

        Args:
            keys: What is typed; the last one lets it go on.
        """
        self.remembered.save()
        before = self.steps()
        terminal = Terminal(self._folder, str(self._path), "--store", self.store.url)
        terminal.wait()
        terminal.type(keys)
        end = time.time() + _PATIENCE
        while self.steps() == before:
            if time.time() > end:
                raise SystemExit("the run does not go on in the app")
            _rest(0.02)
        return terminal

    def workbench_memory(self) -> float:
        """Open the app on the run, and say how many bytes it has in memory, at most, when it is painted."""
        self.remembered.save()
        terminal = Terminal(self._folder, str(self._path), "--store", self.store.url)
        try:
            terminal.wait()
            return terminal.memory
        finally:
            terminal.close()

    def stop_at(self, steps: int) -> float:
        """Let the run go on in the app, and stop it there; returns the seconds from the key to the end."""
        self._run = self._executor.load(self._run.id)
        self.grown(self._run.id, steps)
        terminal = self.in_the_app()
        try:
            typed = terminal.type("X")
            ended, version = typed, self._version
            while time.time() - ended < _QUIET:
                if self._version != version:
                    ended, version = time.time(), self._version
                _rest(0.001)
            return ended - typed
        finally:
            terminal.close()

    def steps(self) -> int:
        """Tell how many steps the run has taken, as the store has it."""
        return self.store.load(self._run.id).pointer.step

    @property
    def _version(self) -> int:
        return self.store.load(self._run.id).pointer.version

    def look(self) -> float:
        """Let the app look at the run as it goes on; returns the seconds that one look takes its thread."""
        return asyncio.run(self._look())

    async def _look(self) -> float:
        settings = Settings()
        context = AppContext(self.store, lambda: self.store, settings, self.remembered)
        app = StepgraphApp(context, self._path)
        app.animation_level = "none"
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            costs = [await self._one_look(pilot) for _ in range(_LOOKS)]
        return statistics.median(costs)

    async def _one_look(self, pilot: Pilot[Any]) -> float:
        screen = pilot.app.screen
        if not isinstance(screen, Workbench):
            raise SystemExit(f"{screen} is on top, not the workbench")
        for _ in range(20):
            self._executor.step(self._run)
        began = time.thread_time()
        screen.runs.shown.look()
        await pilot.pause()
        return time.thread_time() - began


def _paces(folder: Path) -> Rounds:
    """Measure a step at the shell and in the app."""
    loop = Loop(folder)
    app = loop.in_the_app()
    store = SqliteStore(folder / "shell.db")
    shell = Terminal(folder, "run", str(folder / "loop.toml"), "--store", store.url, quiet=True)
    try:
        app.freeze(True)
        while not _steps(store):
            _rest(_QUIET)
        shell.freeze(True)
        return take_paces({"shell": (shell, lambda: _steps(store)), "app": (app, loop.steps)})
    finally:
        app.close()
        shell.close()


def take_paces(contenders: Mapping[str, tuple[Terminal, Callable[[], int]]]) -> Rounds:
    """Measure a step of some processes that stand still, and go on by turns.

    Args:
        contenders: The processes, each with what tells how many steps it has taken.
    """
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(_TURNS):
        for name, contender in contenders.items():
            costs[name].append(_pace(*contender))
    return Rounds(costs)


def _pace(terminal: Terminal, steps: Callable[[], int]) -> float:
    """Let a process go on for a while, and measure what a step takes it."""
    before = steps()
    terminal.freeze(False)
    _rest(_TURN)
    terminal.freeze(True)
    return _TURN / max(1, steps() - before)


def _steps(store: SqliteStore) -> int:
    runs = store.runs(limit=1)
    return runs[0].pointer.step if runs else 0
