"""Trying a node: asked for by a form, done beside the run, and shown; nothing else takes notice of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.graphs import END
from stepgraph.runs import Mask
from stepgraph.values import StepgraphError
from stepgraph_tui.text.calls import callers
from stepgraph_tui.worker import Try

from .refusals import NO_NODE, STILL_RUNS

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.reviews import Verb
    from stepgraph.values import Json
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.run_view import RunView
    from stepgraph_tui.view.trials import TrialStory
    from stepgraph_tui.worker import NodeTried

    from .design_controller import DesignController
    from .run_controller import RunController
    from .run_starter import LiveController
    from .surface import Surface


@dataclass(frozen=True, slots=True)
class LogMask:
    """Hides the secrets of a run and of trials in what nodes print."""

    view: RunView | None
    trials: tuple[Mask, ...]

    def __call__(self, text: str) -> str:
        """Hide them in a text."""
        for mask in self.trials:
            text = mask.text(text)
        return self.view.mask.text(text) if self.view is not None else text


class TrialController:
    """Runs one node by itself.

    Args:
        context: What the app shares.
        surface: The screen.
        runs: The run that a trial may begin from, and whose thread makes it.
        design: Tells whether the graph of the file is tried, or that of the run.
        live: Asks before models are called.
    """

    def __init__(
        self,
        context: AppContext,
        surface: Surface,
        runs: RunController,
        design: DesignController,
        live: LiveController,
    ) -> None:
        self._context = context
        self._surface = surface
        self._runs = runs
        self._design, self._live = design, live
        self._masks: tuple[Mask, ...] = ()  # of the secrets of trials
        self._tried: tuple[NodeTried, Mask] | None = None  # what came of a trial and was not shown yet

    @property
    def is_running(self) -> bool:
        """Whether what the thread was given last is a trial."""
        return isinstance(self._runs.work, Try)

    @property
    def mask(self) -> LogMask:
        """What hides secrets in the log."""
        return LogMask(self._runs.shown.view, self._masks)

    def availability(self, verb: str, *arguments: object) -> bool:
        """Check whether a key works: all of these do."""
        return True

    async def action_ask(self) -> None:
        """Ask with which state to try the selected node."""
        node = self._surface.selected
        if self._runs.busy:
            self._surface.say(self._surface.hints(STILL_RUNS), "warning")
        elif node is None or node == END:
            self._surface.say(NO_NODE, "warning")
        else:
            app = self._graph_on_screen()
            if app is not None and node in app.nodes:
                await self._ask_how(app, node)

    def _graph_on_screen(self) -> CompiledGraph | None:
        """Compile the graph that is drawn; None, with a message, when it cannot be."""
        from stepgraph.runs import runnable_plan

        view = self._runs.shown.view
        file = self._design.file  # of one that is Python, other versions are nowhere any more
        if self._design.is_on or file.is_python or view is None or view.definition == file.checked.definition:
            return self._runs.compiled()
        try:
            return runnable_plan(self._context.store, self._context.store.load(view.run_id))
        except StepgraphError as error:
            self._surface.tell_error(error)
            return None

    async def _ask_how(
        self, app: CompiledGraph, node: str, before: Try | None = None, verbs: tuple[Verb, ...] = ()
    ) -> None:
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.dialogs.try_node import TryForm, beginnings, verbs_offered

        view = self._runs.shown.view
        form = TryForm(
            app,
            node,
            beginnings(app, node, self._runs.shown.moment, before),
            masked=view.mask.value if view is not None else lambda _, value: value,
            verbs=verbs or verbs_offered(app, node),
            by=self._context.settings.name,
            live=self._is_live(app, node, before),
        )
        work = await self._surface.ask(FormDialog(form))
        if work is None or (work.live and not await self._live.agree_to_trial(work.app, work.node)):
            return
        self._hide(work)
        self._runs.submit(work)

    def _is_live(self, app: CompiledGraph, node: str, before: Try | None) -> bool | None:
        """Check whether models answer at first: as in the trial before, else as in the run; None for none."""
        if not callers(app, node):
            return None
        return before.live if before is not None else self._live.next_mode.live

    def _hide(self, work: Try, *states: Mapping[str, Json]) -> Mask:
        """Hide the secrets of a trial in what was and what will be printed."""
        view = self._runs.shown.view
        rows = view.rows if view is not None else []
        mask = Mask(work.app, work.values, *states, *(row.updates for row in rows if row.updates))
        if any(key.secret for key in work.app.keys.values()):
            self._masks = (*self._masks, mask)
            self._surface.show()
        return mask

    # What came of it

    def take(self, message: NodeTried) -> None:
        """Handle the result of a trial; it is shown once no dialog has the keys."""
        tried = message.tried
        self._tried = message, self._hide(message.work, tried.after, tried.updates)
        if self._surface.is_on_top:
            self.show()
        else:
            self._surface.ring()

    def show(self) -> None:
        """Show what came of a trial, if it was not shown yet."""
        if self._tried is not None:
            from stepgraph_tui.view.trials import TrialStory

            (message, mask), self._tried = self._tried, None
            self._surface.begin(self._show(message, TrialStory(message.tried, mask)))

    async def _show(self, message: NodeTried, story: TrialStory) -> None:
        from stepgraph_tui.dialogs.try_node import TriedDialog

        work, request = message.work, message.tried.request
        verbs = request.verbs if request is not None else ()
        if await self._surface.ask(TriedDialog(work, story, self._surface.copy, self._surface.hints)):
            await self._ask_how(work.app, work.node, work, verbs)
