"""What the app hands to its screens: store, engine, settings, what is remembered, time and ids."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

from stepgraph.stores import engines_at, may_be_driven
from stepgraph.values import StoreError

from .commands.hints import Hints
from .dialogs.approval import ReviewDrafts
from .dialogs.pages import CommandLog
from .documents import Editor, GraphDrafts, SuspendingEditor, lent_terminal
from .drawing.picture.glyphs import UNICODE, Glyphs
from .store_look import StoreLook, release

if TYPE_CHECKING:
    from textual.app import App

    from stepgraph.runs import Answering, Clock
    from stepgraph.stores import DrivenRun, StateStore

    from .connections import Connections
    from .remembered import Remembered
    from .settings import Settings
    from .worker import BackgroundRuns
    from .worker.capture import Capture


ENGINE_EVERY = 2.0
"""Seconds between two looks at the engines."""


class EngineLook:
    """Reads who drives which run, in a thread of its own: an engine that is away takes its time to say so.

    Args:
        store: The store; only its address is used.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._runs: Mapping[str, DrivenRun] = {}
        self._thread: Thread | None = None
        self._after = 0.0

    def look(self) -> None:
        """Read it again, unless that was done a moment ago, or lasts."""
        if monotonic() < self._after or (self._thread is not None and self._thread.is_alive()):
            return
        self._after = monotonic() + ENGINE_EVERY
        if may_be_driven(self._store.url):
            self._thread = Thread(target=self._read, name="engines", daemon=True)
            self._thread.start()

    def _read(self) -> None:
        try:
            engines = engines_at(self._store)  # which loads their libraries
            self._runs = {run: stands for engine in engines for run, stands in engine.runs().items()}
        except StoreError:  # handing a run over reports it
            self._runs = {}

    def words(self, run_id: str) -> str:
        """Describe how workers are at a run, as it was read last; empty where they do not drive it."""
        run = self._runs.get(run_id)
        return "" if run is None else run.words or "driven by workers"


@dataclass(slots=True)
class AppContext:
    """The things that all screens share."""

    store: StateStore
    """The connection that screens read through."""
    connect: Callable[[], StateStore]
    """Opens another connection to the same store, for a stepping thread."""
    settings: Settings
    remembered: Remembered
    address: str | None = None
    """The store's address where commands must name it."""
    glyphs: Glyphs = UNICODE
    """What graphs are drawn with."""
    capture: Capture | None = None
    """Catches what node code prints; None leaves it alone."""
    connections: Connections | None = None
    """The models and tools of the user's settings; there are none when None."""
    answering: Answering | None = None
    """Who answers the calls of nodes, where that is somebody else than the user's settings."""
    clock: Clock = time
    ids: Callable[[str], str] | None = None
    """Makes an id from a prefix; random ones when None."""
    log: CommandLog = field(default_factory=CommandLog)
    drafts: ReviewDrafts = field(default_factory=ReviewDrafts)
    """What was written for reviews and not sent yet."""
    edits: GraphDrafts | None = None
    """Where edits of graphs are kept until they are saved; nowhere when None."""
    cut: str = ""
    """The nodes that were copied or cut last, as the tables of a graph file."""
    editor: Callable[[App[Any]], Editor] = SuspendingEditor
    """What texts are edited in outside of the app."""
    in_browser: bool = False
    """Whether whoever has the keys may be elsewhere: then nothing is trusted, and no setting is changed."""
    terminal: Callable[[App[Any]], AbstractContextManager[None]] = lent_terminal
    """Gives the terminal to the thread that enters it, such as one whose node is debugged."""

    store_look: StoreLook = field(init=False)
    """The look at the store that all screens share."""
    engine_look: EngineLook = field(init=False)
    """Who drives which run, beside this app."""
    _background: BackgroundRuns | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.store_look = StoreLook(self.store)
        self.engine_look = EngineLook(self.store)

    @property
    def has_background(self) -> bool:
        """Whether any run was continued in the background yet."""
        return self._background is not None

    @property
    def background(self) -> BackgroundRuns:
        """The runs that continue while something else is shown."""
        if self._background is None:
            from stepgraph_tui.worker import BackgroundRuns  # no frame at the start shows any

            self._background = BackgroundRuns(
                self.connect,
                answering=self.answering if self.answering is not None else self.connections,
                capture=self.capture,
                clock=self.clock,
                ids=self.ids,
            )
        return self._background

    @contextmanager
    def connected(self) -> Iterator[StateStore]:
        """Lend a connection to a thread of its own."""
        store = self.connect()
        try:
            yield store
        finally:
            release(store)

    @property
    def hints(self) -> Hints:
        """What names keys in sentences, as the user has mapped them."""
        return Hints(self.settings.keys)
