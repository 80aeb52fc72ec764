"""Trying a node: asked for by a form, done beside the run, and shown; nothing else takes notice of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import on

from stepgraph.errors import StepgraphError
from stepgraph.graph_parts import END
from stepgraph_tui.dialogs.forms import FormDialog
from stepgraph_tui.dialogs.try_node import TriedDialog, TryForm, beginnings, verbs_offered
from stepgraph_tui.stepping import NodeTried, Try
from stepgraph_tui.stored import runnable
from stepgraph_tui.viewing.standing import said_of_trying
from stepgraph_tui.words.masks import Mask

from .editing import WorkbenchEdits

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph
    from stepgraph.json_values import Json
    from stepgraph.review import Verb
    from stepgraph_tui.stepping import NodeBegan, Work
    from stepgraph_tui.viewing import RunView


class WorkbenchTry(WorkbenchEdits):
    """A workbench in which one node can be run by itself."""

    _tries = False  # whether what the thread was given last is a trial
    _tried: tuple[NodeTried, Mask] | None = None  # what came of a trial and was not shown yet
    _hiding: tuple[Mask, ...] = ()  # the secrets of trials

    def action_try_node(self) -> None:
        """Ask with which state to try the selected node."""
        node = self.graph_view.selected
        if self.busy:
            self.say("a node still runs: X stops after it", "warning")
        elif node is None or node == END:
            self.say("select a node in the graph first", "warning")
        else:
            app = self._graph_on_screen()
            if app is not None and node in app.nodes:
                self._ask_how(app, node)

    def _graph_on_screen(self) -> CompiledGraph | None:
        """The graph that is drawn, ready to run; None, and a word about it, when it cannot."""
        view = self.view
        if self.designing or view is None or self.graph is not view.plan:
            return self.compiled()
        try:
            return runnable(self.desk.store, self.desk.store.load(view.run_id))
        except StepgraphError as error:
            self.tell_error(error)
            return None

    def _ask_how(
        self, app: CompiledGraph, node: str, before: Try | None = None, verbs: tuple[Verb, ...] = ()
    ) -> None:
        form = TryForm(
            app,
            node,
            beginnings(app, node, self.moment, before),
            masked=self.view.mask.value if self.view is not None else lambda _, value: value,
            verbs=verbs or verbs_offered(app, node),
            by=self.desk.settings.name,
        )
        self.app.push_screen(FormDialog(form), lambda work: self._try_it(work) if work is not None else None)

    def _try_it(self, work: Try) -> None:
        self._hide(work)
        self.submit(work)

    def submit(self, work: Work) -> bool:
        """Take note of what the thread does."""
        taken = super().submit(work)
        if taken:
            self._tries = isinstance(work, Try)
        return taken

    # While it runs

    def show_running(self, running: NodeBegan | None) -> None:
        """The steps of the run have nothing to do with a trial."""
        super().show_running(running)
        if self._tries:
            self.trace_pane.running = None

    def say_standing(self) -> None:
        """Say that it is a trial that runs."""
        super().say_standing()
        running = self._runs
        if running is not None and self._tries:
            said = said_of_trying(running.node, self._seconds())
            self.header.standing = "TRYING"
            self.next_line.what, self.next_line.text, self.next_line.twin = said.word, said.text, ""

    def show_run(self, view: RunView) -> None:
        """Hide in the log what trials were given, too."""
        super().show_run(view)
        self._mask_log()

    def _hide(self, work: Try, *states: Mapping[str, Json]) -> Mask:
        """Hide the secrets of a trial in what was and what will be printed."""
        rows = self.view.rows if self.view is not None else []
        mask = Mask(work.app, work.values, *states, *(row.updates for row in rows if row.updates))
        if any(key.secret for key in work.app.keys.values()):
            self._hiding = (*self._hiding, mask)
            self._mask_log()
        return mask

    def _mask_log(self) -> None:
        run = self.view.mask.text if self.view is not None else str
        masks = self._hiding

        def masked(text: str) -> str:
            for mask in masks:
                text = mask.text(text)
            return run(text)

        self.log_pane.mask = masked

    # What came of it

    @on(NodeTried)
    def _take_tried(self, message: NodeTried) -> None:
        tried = message.tried
        self._tried = message, self._hide(message.work, tried.after, tried.updates)
        self.tick()
        if self.app.screen is self:
            self._show_tried()
        else:
            self.app.bell()

    def on_screen_resume(self) -> None:
        """What came of a trial waits until no dialog has the keys."""
        self._show_tried()

    def _show_tried(self) -> None:
        if self._tried is None:
            return
        (message, mask), self._tried = self._tried, None
        work, tried = message.work, message.tried
        verbs = tried.request.verbs if tried.request is not None else ()

        def again() -> None:
            self._ask_how(work.app, work.node, work, verbs)

        self.app.push_screen(TriedDialog(work, tried, mask, again, self.copy_text))
