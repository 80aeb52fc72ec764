"""What the controllers may ask of the screen that they belong to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from textual.screen import Screen
from textual.worker import WorkerCancelled

from stepgraph.stores import RescuableStore
from stepgraph.values import GraphFileError, StepgraphError, StoreLost, StoreUnreachable

from ... import terminal
from ...dialogs.dialog import TALKS, close
from ...text.characters import visible
from ...text.plain import with_arrows
from ...text.system import command, people_path
from ...widgets.chrome.status_lines import NextLine
from .grid import PaneGrid
from .panes import WorkbenchPanes

if TYPE_CHECKING:
    from pathlib import Path

    from textual.worker import Worker

    from stepgraph.graphs import CompiledGraph, Edge, StateGraph
    from stepgraph.stores import Salvage
    from stepgraph.values import KeyPath

    from ...context import AppContext
    from ...widgets.chrome.status_lines import Severity


T = TypeVar("T")


def _rescued(store: RescuableStore) -> Salvage | StepgraphError:
    try:
        return store.rescue()
    except StepgraphError as error:
        return error


def _words(saved: Salvage | StepgraphError) -> tuple[str, Severity]:
    """Describe what came of saving what a lost store had."""
    if isinstance(saved, StepgraphError):
        return f"nothing could be saved: {saved}", "error"
    if not saved.whole:
        return "the store is gone, and none of its runs can still be read", "error"
    odd = len(saved.left)
    some = f" but for {odd} that are not whole" if odd else ""
    path = people_path(saved.path)
    return f"saved to {path}{some}: leave, and open it with --store", "warning"


def _error_text(error: StepgraphError) -> str:
    """Describe what went wrong and what to do; of a graph that cannot be read the first reason."""
    message, hint = error.message, error.hint
    if isinstance(error, GraphFileError) and error.problems:
        first = error.problems[0]
        hint = hint or first.hint
        if first.message not in message:
            message = f"{message}: {first.message}"
    return f"{message} ({hint})" if hint else message


class Surface(Screen[None]):
    """The screen as controllers see it: it says words, asks, copies, selects, and shows things again.

    Args:
        context: What the app shares.
    """

    dismiss = close

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self.context, self.hints = context, context.hints
        self.panes = WorkbenchPanes(context)
        """What it shows."""
        self.grid = PaneGrid(self.panes)
        """Where it shows that."""
        self.next_line = NextLine()
        """Says passing words."""
        self._lost: tuple[str, Severity] | None = None  # the message about a store that was taken away

    def show(self, renamed: Mapping[str, str] = {}) -> None:
        """Show what the controllers have; called once after each change.

        Args:
            renamed: The new names of nodes that were drawn under other ones.
        """
        raise NotImplementedError

    def show_work(self) -> None:
        """Show that the thread is at work, unless it is done in a moment."""
        raise NotImplementedError

    def keep_place(self) -> None:
        """Remember how the file is left, and its run: an app that is killed finds it again."""
        raise NotImplementedError

    # Words and questions

    def say(self, text: str, severity: Severity = "information") -> None:
        """Show a passing message."""
        self.next_line.say(with_arrows(text), severity)

    def clear(self) -> None:
        """Clear the last message."""
        self.next_line.clear()

    def tell_error(self, error: StepgraphError) -> None:
        """Show what went wrong and what to do. If the store was taken away, offer to save what it had."""
        store = self.context.store
        if not isinstance(error, StoreLost) or not isinstance(store, RescuableStore):
            self.say(_error_text(error), "error")
        elif self._lost is not None:
            self.say(*self._lost)
        else:
            self._lost = error.message, "error"
            self.begin(self._offer_rescue(store, error))

    async def _offer_rescue(self, store: RescuableStore, error: StoreLost) -> None:
        from stepgraph_tui.dialogs.questions import Confirm

        question = f"{visible(error.message)}.\n\nSave what it had to a new file?"
        if not await self.ask(Confirm(question, "Save")):
            self.say(error.message, "error")
            return
        saved = await self.work(partial(_rescued, store))
        self._lost = _words(saved)
        if not isinstance(saved, StepgraphError) and saved.whole:
            self.note(command(store=str(saved.path)))
        self.say(*self._lost)

    def note(self, command: str) -> None:
        """Keep an action as the command that does the same."""
        self.context.log.note(self.context.clock.time(), command)

    async def ask(self, dialog: Screen[T]) -> T | None:
        """Open a dialog, and return its answer; None where it was left without one."""
        answer: T | None = await self.app.push_screen_wait(dialog)
        return answer

    def begin(self, talk: Coroutine[Any, Any, Any]) -> None:
        """Run what asks people or waits for a thread, while the screen goes on."""
        self.run_worker(self._heeding_outages(talk), group=TALKS)

    async def _heeding_outages(self, talk: Coroutine[Any, Any, Any]) -> None:
        try:
            await talk
        except StoreUnreachable as error:
            self.tell_error(error)

    def copy(self, text: str, *, silently: bool = False) -> None:
        """Copy a text, and say by which way; the programs that do it may take their time."""
        terminal.copy_and_say(self, text, (lambda said: None) if silently else self.say)

    @property
    def inside(self) -> str:
        """The subgraph whose inside is drawn; empty for the graph itself."""
        return self.panes.inside

    def draw_inside(self, node: str) -> None:
        """Draw the inside of a subgraph, for as long as the run is in it; empty for the graph itself."""
        self.panes.inside = node
        self.show()

    def ring(self) -> None:
        """Ring the bell: something waits behind a dialog."""
        self.app.bell()

    def copy_selected(self, text: str | None) -> None:
        """Copy what a pane says is selected; None where nothing is."""
        if text is None:
            self.say("nothing is selected here")
        else:
            self.copy(text)

    def edit_text(self, text: str, suffix: str) -> str | None:
        """Edit a text in $EDITOR; None when it was left as it is."""
        return self.context.editor(self.app).edit_text(text, suffix)

    def lend_terminal(self) -> AbstractContextManager[None]:
        """Lend the terminal to the current thread until it leaves; the app stands still meanwhile."""
        return self.context.terminal(self.app)

    def edit_file(self, path: Path, line: int | None) -> None:
        """Edit a file in $EDITOR."""
        self.context.editor(self.app).edit(path, line)

    async def work(self, work: Callable[[], T]) -> T:
        """Run work in a thread after the next frame, and return its result."""
        # A thread at work would hold up the frame that answers the key. The screen knows of a change in that
        # line only once the line itself has told it: asked without it, it would take no frame to be due.
        painted = asyncio.Event()
        self.next_line.call_after_refresh(painted.set)
        await painted.wait()
        worker: Worker[T] = self.run_worker(work, thread=True, group="checking")
        try:
            return await worker.wait()
        except WorkerCancelled:  # the screen is left, and so is what waits: an error would end the app
            raise asyncio.CancelledError from None

    # What is shown

    @property
    def is_on_top(self) -> bool:
        """Whether no dialog lies above the screen."""
        return self.is_active

    @property
    def selected(self) -> str | None:
        """The selected node, END included."""
        return self.panes.graph_view.selection.node

    @property
    def selected_edge(self) -> int | None:
        """The position of the selected edge, if it is one that is selected."""
        return self.panes.graph_view.selection.edge

    @property
    def selected_path(self) -> KeyPath:
        """Where what is selected is in the document of the graph."""
        edge, node = self.selected_edge, self.selected
        if edge is not None:
            return ("edges", edge)
        return ("nodes", node) if node is not None else ()

    @property
    def graph(self) -> StateGraph | CompiledGraph | None:
        """The graph that is drawn."""
        return self.panes.graph

    @property
    def is_in_trace(self) -> bool:
        """Whether the trace has the keys: then its step is what is pointed at."""
        return self.grid.pane is self.panes.trace_pane

    @property
    def asked_edge(self) -> Edge | None:
        """The edge of the run's graph that the Why pane points at, while that has the keys."""
        pane = self.panes.why_pane
        return pane.chosen_edge if self.grid.pane is pane else None

    @property
    def marked(self) -> frozenset[str]:
        """The nodes that were marked."""
        return self.panes.graph_view.marked

    @property
    def pointed_at(self) -> str | None:
        """The node of the step in the trace while that has the keys, else the selected one."""
        return self.panes.trace_pane.node if self.is_in_trace else self.selected

    def select(self, node: str | None, edge: int | None = None) -> None:
        """Select a node or an edge."""
        self.panes.select(node, edge)
        self.show()

    def mark(self, nodes: frozenset[str]) -> None:
        """Mark nodes, and no others."""
        self.panes.mark(nodes)
        self.show()

    def show_pane(self, tab: str, *, focus: bool = True) -> None:
        """Bring a pane to the front."""
        self.grid.show_pane(tab, focus=focus)
