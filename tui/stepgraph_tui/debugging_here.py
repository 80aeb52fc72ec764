"""The app, opened by a program on a graph and a run of its own, as ``breakpoint()`` opens a debugger.

The app has the terminal until it is left; then the program goes on. Nothing of the graph need be on disk:
what steps the run is made of the program's own executor, with its tools, its models and its listeners.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from stepgraph.runs import Answering
from stepgraph.stores import default_store_url
from stepgraph.values import StepgraphError, StoreError

from .store_look import is_in_memory, release, reopening
from .text.characters import visible
from .text.system import has_terminal, settings_file

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.models import LLMClient
    from stepgraph.runs import Executor, RunMode
    from stepgraph.stores import StateStore, StoredRun

    from .context import AppContext
    from .screens.workbench import Workbench
    from .worker.capture import Capture


def open_here(executor: Executor, run_id: str | None = None) -> str | None:
    """Open the app on the graph of an executor, and come back when it is left; the terminal is as it was.

    Nodes that run when it is left are waited for: nobody else is to drive the run meanwhile.

    Args:
        executor: What the program runs the graph with: its store, tools, models and listeners are used.
        run_id: The run to show; None asks for the inputs of a new one.

    Returns:
        The id of the run that was shown last; None where there is none.

    Raises:
        StepgraphError: There is no terminal; the program is not in its main thread, or in an event loop; an
            app has the terminal already; or the app ended with an error of its own.
        StoreError: The store cannot be opened once more; the app was not opened.
    """
    require_terminal()
    from .app import StepgraphApp
    from .documents import PythonGraph
    from .screens.workbench import Workbench
    from .worker.capture import own_terminal

    collects = gc.isenabled()
    with own_terminal() as capture:
        context = _context(executor, capture)
        graph = PythonGraph.made_here(executor.app, context.hints)
        screen = Workbench(context, None, run_id, file=graph)
        app = StepgraphApp(context, here=screen)
        words = app.run() or []
    if not collects:
        gc.disable()  # the app has switched it on for itself
    if not is_in_memory(executor.store.url):  # else there is no command for what waits
        for word in words:
            print(word, file=sys.stderr)
    _wait_for_nodes(screen)
    if app.return_code:
        hint = "what is above it says where: please report it; runs stand where their last step left them"
        raise StepgraphError("the app ended with an error of its own", hint=hint)
    run = screen.runs.shown.run
    return run.id if run is not None else None


def require_terminal() -> None:
    """Refuse to open the app where it has no terminal to itself.

    Raises:
        StepgraphError: There is no terminal; the program is not in its main thread, or in an event loop.
    """
    hint = "call it where the program has the terminal to itself: no thread, no async function, no node"
    if threading.current_thread() is not threading.main_thread():
        raise StepgraphError("the app opens only in the main thread of a program", hint=hint)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise StepgraphError("the app cannot open while an event loop runs in this thread", hint=hint)
    if not has_terminal():
        hint = "start the program at one, without redirecting what it reads and writes"
        raise StepgraphError("there is no terminal to open the app in", hint=hint)


def _context(executor: Executor, capture: Capture) -> AppContext:
    """Build what the screens share: the user's settings, and the program's means to run the graph."""
    import os

    from .context import AppContext
    from .drawing.picture.glyphs import ASCII, UNICODE
    from .remembered import Remembered
    from .settings import read_settings
    from .terminal import wants_ascii

    settings, _ = read_settings(settings_file())
    store = executor.store
    is_usual = store.url in (default_store_url(), "") or is_in_memory(store.url)
    return AppContext(
        store,
        _connect(store),
        settings,
        Remembered.load(),
        address=None if is_usual else store.url,
        glyphs=ASCII if wants_ascii(settings.ascii, os.environ, sys.stdout.encoding) else UNICODE,
        capture=capture,
        answering=_OfProgram(executor),
    )


def _connect(store: StateStore) -> Callable[[], StateStore]:
    """Return what opens a store once more, for the thread that steps.

    Raises:
        StoreError: It cannot be opened once more, which is reported here and not on a screen.
    """
    connect = reopening(store)
    try:
        release(connect())
    except StoreError as error:
        hint = error.hint or "the app reads over one connection and runs over another"
        raise StoreError(
            f"the app needs a second connection to the store: {error.message}", hint=hint
        ) from error
    return connect


def _wait_for_nodes(screen: Workbench) -> None:
    thread = screen.runs.thread
    node = thread.running
    if node is not None and not thread.idle.is_set():
        message = (
            f"waits for node {visible(node.node)}, which is still running; interrupt it to go on without it"
        )
        print(message, file=sys.stderr)
        thread.idle.wait()


class _OfProgram(Answering):
    """The models and tools of a program's executor, whatever the mode of a run; its listeners hear of steps.

    Args:
        executor: The executor.
    """

    def __init__(self, executor: Executor) -> None:
        super().__init__(None, executor.tools)
        self._executor, self.listeners = executor, executor.listeners

    def plan_of(self, store: StateStore, stored: StoredRun) -> CompiledGraph:
        """Bind the program's own graph to the runs that follow it."""
        app = self._executor.app
        return app if stored.pointer.definition == app.definition_hash else super().plan_of(store, stored)

    def models_in(self, mode: RunMode) -> Mapping[str, LLMClient]:
        """Return the program's models, as its own executor does in any mode."""
        return self._executor.models if self._executor.models is not None else {}

    def close(self) -> None:
        """Leave every connection open: the program goes on with them."""
