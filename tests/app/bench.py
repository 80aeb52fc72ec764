"""The whole app on a store of a test's own: driven by keys, and waited for without sleeping."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import OptionList

from stepgraph import Executor
from stepgraph.files import grant, read_graph
from stepgraph.runs.run import Run
from stepgraph.stores import open_store
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.app import StepgraphApp
from stepgraph_tui.connections import Connections
from stepgraph_tui.context import AppContext
from stepgraph_tui.dialogs.approval import ReviewScreen
from stepgraph_tui.documents import GraphDrafts
from stepgraph_tui.palette import StepgraphPalette
from stepgraph_tui.remembered import Remembered, RememberedPlace
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.screens.workbench import Workbench
from stepgraph_tui.settings import Settings
from stepgraph_tui.worker import Capture
from tests.app.hearing import PATIENCE
from tests.app.playing import Script, play, screen_lines
from tests.app.turning import rest
from tests.app.writing_editor import WritingEditor

Answer = TypeVar("Answer")
Kind = TypeVar("Kind", bound=Screen[Any])
P = Pilot[Any]

GRAPHS = Path(__file__).parents[2] / "graphs"
REFUND = GRAPHS / "refund_triage.toml"
SMALL, LARGE = (80, 24), (120, 40)
_A_MOMENT = 0.01
SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
"""A test at a terminal of each size, which it takes as ``size``."""


class Bench:
    """A folder with a store, graph files, drafts and what the app remembers.

    Args:
        folder: The test's own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder / 'runs.db'}"
        self.store = open_store(self.url)
        self.settings = Settings(name="ana")
        self.ids = sequential_ids()
        self.connections: Connections | None = None
        """What live runs ask."""
        self.capture: Capture | None = None
        """What takes the prints of node code; they are left alone when None."""
        self.editor = WritingEditor(lambda text: text)
        """What opens as the user's own editor."""
        self.in_browser = False
        """Whether the app is served to a browser."""

    def app(self, path: Path | None = None, remarks: tuple[str, ...] = ()) -> StepgraphApp:
        """The app, over connections of its own."""
        context = AppContext(
            open_store(self.url),
            lambda: open_store(self.url),
            self.settings,
            Remembered.load(self.folder / "remembered.json"),
            capture=self.capture,
            connections=self.connections,
            clock=FakeClock(),
            ids=self.ids,
            edits=GraphDrafts(self.folder / "drafts"),
            editor=lambda app: self.editor,
            in_browser=self.in_browser,
        )
        return StepgraphApp(context, path, remarks)

    def play(
        self,
        script: Script[Answer],
        path: Path | None = None,
        *,
        run: str | None = None,
        design: bool = False,
        size: tuple[int, int] = SMALL,
    ) -> Answer:
        """Open the app, on a file or at home, and play a script in it.

        Args:
            script: The keys and looks.
            path: The file.
            run: The run of the file that was looked at last.
            design: Whether the file is to be drawn.
            size: Of the terminal.
        """
        app = self.app(None if design else path)
        if path is not None and run is not None:
            app.context.remembered.keep(path, RememberedPlace(run=run))

        async def opened(pilot: P) -> Answer:
            await rest(pilot)
            if design:
                app.screen.post_message(HomeScreen.GraphChosen(path, design=True))
                await until(pilot, lambda: _workbenches(pilot))
                await rest(pilot)
            return await script(pilot)

        try:
            return play(app, opened, size)
        finally:
            app.context.store.close()
            edits = app.context.edits
            assert edits is None or edits.flush(PATIENCE)

    def graph(self, text: str, name: str = "graph.toml", **modules: str) -> Path:
        """A graph file, with the handler modules that it names beside it."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        for module, code in modules.items():
            (self.folder / f"{module}.py").write_text(code, encoding="utf-8")
        return path

    def trusted(self, text: str, name: str = "graph.toml", **modules: str) -> Path:
        """A graph file whose code may run."""
        path = self.graph(text, name, **modules)
        grant(read_graph(path))
        return path

    def run(self, path: Path, values: Mapping[str, Any] | None = None, *, steps: int = 0) -> Run:
        """A run that somebody else has started and stepped."""
        executor = self.executor(path)
        run = executor.start(values or {})
        for _ in range(steps):
            executor.step(run)
        return run

    def executor(self, path: Path) -> Executor:
        """Drives runs of a file as another process would."""
        return Executor(read_graph(path).compile(), self.store, clock=FakeClock(), ids=self.ids)

    def load(self, run_id: str = "r-1") -> Run:
        """A run as the store has it."""
        stored = self.store.load(run_id)
        assert stored.head.source is not None
        return self.executor(Path(stored.head.source)).load(run_id)

    def nodes(self, run_id: str = "r-1") -> list[str]:
        """The nodes that a run has taken, in order."""
        return [record.node for record in self.load(run_id).history]


def workbench(pilot: P) -> Workbench:
    """The workbench that is on top, whatever dialog lies above it."""
    return _workbenches(pilot)[0]


def text(pilot: P) -> str:
    """What a person sees."""
    return "\n".join(screen_lines(pilot.app))


def header(pilot: P) -> str:
    """The first line of the screen."""
    return screen_lines(pilot.app)[0]


def said(pilot: P) -> str:
    """What the NEXT line says."""
    line = workbench(pilot).next_line
    return line.line(line.size.width).plain.strip()


def shown(pilot: P) -> str:
    """The tab that keys go to."""
    return workbench(pilot).grid.current.active


def dialog(pilot: P, kind: type[Kind]) -> Kind:
    """The dialog on top, which is of this kind."""
    screen = pilot.app.screen
    assert isinstance(screen, kind), f"{screen} is on top, not {kind.__name__}:\n{text(pilot)}"
    return screen


async def press(pilot: P, *keys: str) -> None:
    """Press keys, each as soon as what the one before has begun is over."""
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


async def choose(pilot: P, command: str) -> None:
    """Take a command that has no key: by its name, from the palette."""
    below = pilot.app.screen
    await press(pilot, ":")
    palette = pilot.app.screen
    assert isinstance(palette, StepgraphPalette)
    await press(pilot, *command)
    await until(pilot, lambda: _first(palette.query_one(OptionList)).startswith(command))
    await press(pilot, "enter")
    await until(pilot, lambda: pilot.app.screen is below)
    await settle(pilot)


def _first(found: OptionList) -> str:
    """The first of what the palette has found."""
    return str(found.get_option_at_index(0).prompt) if found.option_count else ""


async def settle(pilot: P) -> None:
    """Wait until all keys are answered, no thread has work, and all that it told is shown, and painted."""
    while isinstance(pilot.app, StepgraphApp) and pilot.app.is_running and not pilot.app.typed.is_idle:
        await pilot.pause()
    while screens := [
        screen for screen in _workbenches(pilot) if screen.runs.busy or screen.runs.thread.busy
    ]:
        for screen in screens:
            assert await asyncio.to_thread(screen.runs.thread.idle.wait, PATIENCE)
        await pilot.pause()
    await rest(pilot)
    if isinstance(pilot.app.screen, ReviewScreen):
        screen_lines(pilot.app)  # a person sees it before the next key; what was not painted is not approved
        await pilot.pause()


def _workbenches(pilot: P) -> list[Workbench]:
    return [screen for screen in reversed(pilot.app.screen_stack) if isinstance(screen, Workbench)]


async def until(pilot: P, holds: Callable[[], object]) -> None:
    """Let the app go on until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, f"still not so:\n{text(pilot)}"
        await asyncio.sleep(_A_MOMENT)  # for threads, which have a processor then
        await pilot.pause()


async def start(pilot: P) -> None:
    """Start a run with the inputs as the form has them."""
    await press(pilot, "c", "ctrl+j")
