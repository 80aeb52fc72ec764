"""A run that goes by an older version of its file: what differs, and moving it to the file as it is here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph.values.errors import StepgraphError
from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.worker import Adopt, Work

if TYPE_CHECKING:
    from stepgraph_tui.documents import OpenedGraph
    from stepgraph_tui.run_view import RunView

    from .surface import Surface


class DefinitionController:
    """Tells how the file differs by meaning from what a run goes by, and lets the run adopt it.

    Args:
        file: The graph file.
        surface: The screen.
        submit: Gives the stepping thread work; it refuses, with a word, while it has some.
        shown: Gives the run that is shown.
    """

    def __init__(
        self,
        file: OpenedGraph,
        surface: Surface,
        submit: Callable[[Work], bool],
        shown: Callable[[], RunView | None],
    ) -> None:
        self._file = file
        self._surface = surface
        self._submit = submit
        self._shown = shown
        self._known: tuple[str, str | None, tuple[str, ...]] = ("", None, ())

    @property
    def changes(self) -> tuple[str, ...]:
        """How the file differs, a line for each difference; none where both mean the same."""
        view, graph = self._shown(), self._file.checked.graph
        if view is None or graph is None or view.definition == self._file.checked.definition:
            return ()
        if self._known[:2] != (view.definition, self._file.checked.definition):
            from stepgraph.documents.differences import differences

            found = tuple(differences(view.plan.document, graph.document))
            self._known = view.definition, self._file.checked.definition, found
        return self._known[2]

    @property
    def told(self) -> str | None:
        """Say that the run goes by an older version; None where it does not."""
        if not self.changes:
            return None
        return self._surface.hints("this run goes by an older version: {debug.version} shows what differs")

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Tell whether there is anything to show."""
        if self._shown() is None:
            return self._surface.hints("there is no run yet: {debug.go} starts one")
        if not self.changes and not self._file.readable:
            return self._surface.hints("the file cannot be read: {workbench.problems} tells why")
        return bool(self.changes) or "the run goes by the file as it is here"

    def action_show(self) -> None:
        """Show what differs, and offer to adopt it."""
        view = self._shown()
        if view is None:
            return
        from stepgraph_tui.dialogs.adopt import AdoptQuestion

        def answered(adopt: bool | None) -> None:
            if adopt:
                self._adopt(view.run_id)

        path = self._file.path
        name = path.name if path is not None else view.run.head.graph
        self._surface.ask(AdoptQuestion(view.run_id, name, self.changes, self._refusal(view)), answered)

    def _adopt(self, run_id: str) -> None:
        try:
            app = self._file.compiled()
        except StepgraphError as error:
            self._surface.tell_error(error)
            return
        self._submit(Adopt(run_id, app))

    def _refusal(self, view: RunView) -> str | None:
        """Say why the run cannot be moved to the file; None when it can."""
        run, graph = view.run, self._file.checked.graph
        if run.status is RunStatus.ENDED and run.outcome is not Outcome.MAX_STEPS:
            return self._surface.hints("it has ended: {debug.start_over} starts over with the file")
        if self._file.checked.errors or not self._file.readable or graph is None:
            return f"the file has {plural(self._file.checked.errors, 'error')} to fix first"
        node = run.current if run.current is not None else view.steps[-1].next
        if node not in graph.nodes:
            there = f"it stands at {visible(node or '')}, a node that the file no longer has"
            return f"{there}. {self._surface.hints('Put it back there, or {debug.start_over} starts over')}"
        return None
