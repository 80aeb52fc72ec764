"""A place where the app always looks the same: its time, ids, person and folders are made up."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from unittest.mock import patch

from stepgraph import Decision, Executor, RunStatus
from stepgraph.files import examples_dir, grant, read_graph
from stepgraph.runs.run import Run
from stepgraph.stores import open_store
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.context import AppContext
from stepgraph_tui.dialogs import questions
from stepgraph_tui.dialogs.approval import arming
from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE
from stepgraph_tui.remembered import Remembered, RememberedPlace
from stepgraph_tui.settings import Settings
from stepgraph_tui.widgets.chrome import status_lines as next_line

_PATIENCE = 60.0  # seconds
_MACHINE = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES", "STEPGRAPH_STORE")
"""What a terminal or a user may have set, and the app would show."""


class SteadyClock(FakeClock):
    """A clock by which each node takes a little time, and the same each time."""

    def __init__(self) -> None:
        super().__init__()
        self._ticks = cycle((0.0003, 0.0011, 0.0002, 0.0004, 0.0007))

    def perf_counter(self) -> float:
        """Seconds since the clock was made; each look at it takes some."""
        self.advance(next(self._ticks))
        return super().perf_counter()


class Stage:
    """A home folder with graphs, a store, and the app in front of them.

    Args:
        home: The folder, empty.
    """

    def __init__(self, home: Path) -> None:
        self.clock = SteadyClock()
        self._home = home
        self._ids = sequential_ids()
        self._url = f"sqlite:///{home / 'runs.db'}"
        self._remembered = Remembered(home / "remembered.json")

    def app(
        self, path: Path | None = None, *, theme: str = "stepgraph-dark", plain: bool = False
    ) -> StepgraphApp:
        """The app, with nothing in it that moves by itself.

        Args:
            path: The graph that is opened at once.
            theme: Its colors, by their name.
            plain: Whether everything is drawn in ASCII.
        """
        context = AppContext(
            open_store(self._url),
            lambda: open_store(self._url),
            Settings(theme=theme, name="ana"),
            self._remembered,
            glyphs=ASCII if plain else UNICODE,
            clock=self.clock,
            ids=self._ids,
        )
        app = StepgraphApp(context, path)
        app.animation_level = "none"
        return app

    def release(self, app: StepgraphApp) -> None:
        """Let nodes end that wait in the background, and wait until they have."""
        if app.context.has_background:
            (self._home / "graphs" / "released").touch()
            app.context.background.idle.wait(_PATIENCE)

    def graph(self, name: str, text: str, **modules: str) -> Path:
        """A graph file of the user's own, with Python modules beside it that are trusted."""
        folder = self._home / "graphs"
        folder.mkdir(exist_ok=True)
        for module, code in modules.items():
            (folder / f"{module}.py").write_text(code, encoding="utf-8")
        path = folder / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        grant(read_graph(path))
        return path

    def example(self, name: str) -> Path:
        """A shipped graph, in a folder of the user's own."""
        folder = self._home / "graphs"
        shutil.copytree(examples_dir(), folder, ignore=shutil.ignore_patterns("__pycache__"))
        return folder / f"{name}.toml"

    def opened(self, path: Path, run: Run | None = None) -> Path:
        """Let a file be one that was opened before, and a run the one that was looked at last in it."""
        self._remembered.note_opened(path)
        if run is not None:
            self._remembered.keep(path, RememberedPlace(run=run.id))
        return path

    def run(
        self,
        path: Path,
        steps: int = 30,
        *,
        decide: Decision | None = None,
        inputs: Mapping[str, object] | None = None,
    ) -> Run:
        """A run from before the app is started.

        Args:
            path: Its graph.
            steps: How many steps it takes, unless something stops it earlier.
            decide: What a person has decided at its first pause.
            inputs: What it is given over the graph's defaults.
        """
        with open_store(self._url) as store:
            executor = Executor(read_graph(path).compile(), store, clock=self.clock, ids=self._ids)
            run = executor.start(inputs or {}, by="kim")
            while run.step < steps and run.status is RunStatus.READY:
                executor.step(run)
            return executor.resume(run.id, decide) if decide is not None else run


@contextmanager
def on_stage(home: Path) -> Iterator[Stage]:
    """A stage in a folder; meanwhile nothing of the machine, its user or its terminal is seen.

    The keys of dialogs count at once there, and no passing word goes by itself.
    """
    folders = {"HOME": str(home), "USERPROFILE": str(home), "STEPGRAPH_HOME": str(home / ".stepgraph")}
    with (
        patch.dict(os.environ, {**folders, "TZ": "UTC"}),
        patch.object(arming, "QUIET", 0.0),
        patch.object(questions, "QUIET", 0.0),
        patch.dict(next_line._SECONDS, dict.fromkeys(next_line._SECONDS, 3600.0)),
    ):
        for name in _MACHINE:
            os.environ.pop(name, None)
        _heed_time_zone()
        yield Stage(home)
    _heed_time_zone()


def _heed_time_zone() -> None:
    if hasattr(time, "tzset"):  # Windows asks each time
        time.tzset()
