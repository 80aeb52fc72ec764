"""The first screen, and what stands on it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from textual import on
from textual.app import App
from textual.pilot import Pilot

from stepgraph import Executor, MemoryStore, StateGraph
from stepgraph.files import examples_dir
from stepgraph.stores.base import StateStore
from stepgraph.testing import FakeClock, sequential_ids
from stepgraph_tui.remembered import Remembered
from stepgraph_tui.screens.home import HomeScreen
from stepgraph_tui.themes import DARK
from stepgraph_tui.widgets.lines.page import EntryList, ListEntry
from tests.app.playing import play, screen_lines
from tests.app.turning import rest

Answer = TypeVar("Answer")


REFUND = examples_dir() / "refund_triage.toml"


class Host(App[None]):
    """Has the home screen, and keeps what was chosen on it."""

    def __init__(
        self, folder: Path, store: StateStore | None = None, *recent: Path, examples: Path | None = None
    ) -> None:
        super().__init__()
        self.remembered = Remembered.load(folder / "remembered.json")
        for path in reversed(recent):
            self.remembered.note_opened(path)
        self.home = HomeScreen(store or MemoryStore(), self.remembered, examples or examples_dir())
        self.chosen: list[tuple[Path | None, str | None]] = []

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.theme = DARK.name
        self.push_screen(self.home)

    @on(HomeScreen.GraphChosen)
    def keep(self, message: HomeScreen.GraphChosen) -> None:
        self.chosen.append((message.path, message.run_id))

    @property
    def list(self) -> EntryList:
        return self.home.query_one(EntryList)

    @property
    def selected(self) -> ListEntry:
        entry = self.list.selected
        assert entry is not None
        return entry

    @property
    def text(self) -> str:
        return "\n".join(screen_lines(self))


def at_home(
    host: Host, script: Callable[[Pilot[None]], Awaitable[Answer]], size: tuple[int, int] = (80, 24)
) -> Answer:
    """Play a script once all notes are there."""

    async def settled(pilot: Pilot[None]) -> Answer:
        await rest(pilot)
        return await script(pilot)

    return play(host, settled, size)


def pressed(host: Host, *keys: str, size: tuple[int, int] = (80, 24)) -> str:
    """The screen after some keys."""

    async def press(pilot: Pilot[None]) -> str:
        await pilot.press(*keys)
        await pilot.pause()
        return host.text

    return at_home(host, press, size)


def waiting(store: StateStore, count: int = 1) -> Executor:
    """Refund runs that wait for a person."""
    executor = Executor(
        StateGraph.from_file(REFUND).compile(), store, clock=FakeClock(), ids=sequential_ids()
    )
    for _ in range(count):
        executor.run(executor.start({}))
    return executor
