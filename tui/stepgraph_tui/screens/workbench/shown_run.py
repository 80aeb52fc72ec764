"""The run that the workbench shows, at the step that is viewed: read over the connection of the screens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.reviews import DueReviews
from stepgraph.stores import RunStatus
from stepgraph.values import StepgraphError, StoreError, StoreUnreachable, UnknownRun
from stepgraph_tui.run_view import RunSnapshot, RunView
from stepgraph_tui.store_look import LastSeen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stepgraph.nodes import SourceLines
    from stepgraph.runs import Run
    from stepgraph_tui.context import AppContext
    from stepgraph_tui.documents import OpenedGraph
    from stepgraph_tui.worker import SteppingThread

    from .surface import Surface


_LATEST = 100  # runs, among which those of a file are looked for


class ShownRun:
    """Reads a run, follows what anybody does to it, and goes back and forth in its time.

    Args:
        context: What the app shares.
        surface: The screen.
        file: The graph that runs are started of.
        thread: Drives the run: it tells by itself that the store is down.
    """

    def __init__(
        self, context: AppContext, surface: Surface, file: OpenedGraph, thread: SteppingThread
    ) -> None:
        self.moment: RunSnapshot | None = None
        """What is shown of the run; None without one."""
        self.reviews = WaitingReviews(context)
        """How many reviews wait, in all runs: it is read in the same look."""
        self._context, self._surface, self._file, self._thread = context, surface, file, thread
        self._known: tuple[str, str | None, tuple[str, ...]] = ("", None, ())
        self._unreachable = ""  # what is wrong with the store's server
        self._is_behind = True  # something could not be read at the last look
        self._seen = LastSeen(context.store_look.stamp)
        self._wanted = ""  # the run that could not be opened, for the server was down

    @property
    def view(self) -> RunView | None:
        """The run with all its steps."""
        return self.moment.view if self.moment is not None else None

    def masked(self, text: str) -> str:
        """Mask a text that may quote a secret of the run."""
        return self.moment.view.mask.text(text) if self.moment is not None else text

    @property
    def run(self) -> Run | None:
        """A handle of the run; for reading only."""
        return self.moment.view.run if self.moment is not None else None

    def open(self, run_id: str, *, missing_is_fine: bool = False) -> None:
        """Show a run where it stands; where the store's server is down, once it answers."""
        self._wanted = ""
        try:
            view = RunView(self._context.store, run_id, self._sources)
        except StepgraphError as error:
            if isinstance(error, StoreUnreachable):
                self._wanted = run_id
            if not missing_is_fine:
                self._surface.tell_error(error)
            return
        self.moment = RunSnapshot.now(view)
        self._surface.keep_place()
        self._surface.show()
        if (remark := self.outdated) is not None:
            self._surface.say(remark, "warning")

    def unfinished(self) -> str | None:
        """Find the run of the file that moved last and has not ended, whoever started it; None for none."""
        if self._file.path is None:
            return None
        source = str(self._file.path.absolute())
        try:
            runs = self._context.store.runs(limit=_LATEST)
        except StepgraphError:  # the first look reports it
            return None
        left = (run for run in runs if run.pointer.status is not RunStatus.ENDED)
        return next((run.head.id for run in left if run.head.source == source), None)

    def _sources(self, definition: str) -> Mapping[str | int, SourceLines]:
        """Return the lines of a graph's predicates, by the hash of its definition; none of another graph."""
        return self._file.sources if definition == self._file.checked.definition else {}

    # The version of its graph

    @property
    def changes(self) -> tuple[str, ...]:
        """How the file differs by meaning from the run's graph, a line each; none where it does not."""
        view, graph = self.view, self._file.checked.graph
        if view is None or graph is None or view.definition == self._file.checked.definition:
            return ()
        if self._known[:2] != (view.definition, self._file.checked.definition):
            from stepgraph.documents import differences

            found = tuple(differences(view.plan.document, graph.document))
            self._known = view.definition, self._file.checked.definition, found
        return self._known[2]

    @property
    def outdated(self) -> str | None:
        """Describe that the run uses an older version; None if it does not."""
        if not self.changes:
            return None
        return self._surface.hints("this run uses an older version: {debug.version} shows the differences")

    # What is new

    def look(self) -> bool:
        """Read what is new of the run, whoever made it, and how many reviews wait.

        Returns:
            Whether the run was changed since the last look.
        """
        moment = self.moment
        self._is_behind = True
        try:
            more_or_fewer = self.reviews.look()  # which may move the run: its review may be overdue
            changed = moment is not None and moment.view.refresh()
        except UnknownRun:
            self.moment = None
            self._surface.show()
            self._surface.say(f"{moment.view.run.id if moment is not None else 'it'} was deleted", "warning")
            return True
        except StoreUnreachable as error:
            self.tell_unreachable(error.what)
            return False
        except StepgraphError as error:
            self._surface.tell_error(error)
            return False
        self._is_behind = False
        self.tell_unreachable("")
        if moment is not None and changed:
            self.moment = (
                RunSnapshot.now(moment.view) if moment.live else RunSnapshot.at(moment.view, moment.step)
            )
        if changed or more_or_fewer:
            self._surface.show()
        return changed

    def look_again(self) -> None:
        """Look where the app's look at the store found something new, or where something is due."""
        try:
            is_current = self._seen.is_current()
        except StoreUnreachable as error:
            self._is_behind = True
            self.tell_unreachable(error.what)
            return
        except StoreError:
            is_current = False
        if self._is_behind or not is_current or self.reviews.is_due:
            self._seen.keep()
            self.look()
            if self._wanted and not self._is_behind:
                self.open(self._wanted)

    def tell_unreachable(self, what: str) -> None:
        """Show that the store's server does not answer, until it does."""
        if what and not self._thread.busy:
            self._surface.say(f"the store {what}; looking again", "warning")
        was, self._unreachable = self._unreachable, what
        if was and not what:
            self._surface.clear()
            self._surface.show()  # what could not be read meanwhile

    # Which step is viewed

    def view_step(self, step: int | None) -> None:
        """View a past step; None goes back to the latest step."""
        view = self.view
        if view is not None:
            self.moment = RunSnapshot.now(view) if step is None else RunSnapshot.at(view, step)
            self._surface.show()

    def walk(self, by: int) -> None:
        """View the step before or after the one that is viewed."""
        if self.moment is not None:
            step = self.moment.step + by
            self.view_step(step if step < self.moment.view.run.step else None)

    def go_live(self) -> bool:
        """Show where the run stands; False where that is shown already."""
        if self.moment is None or self.moment.live:
            return False
        self.view_step(None)
        return True


class WaitingReviews:
    """Counts the reviews that wait, once what is overdue was applied.

    Args:
        context: What the app shares.
    """

    def __init__(self, context: AppContext) -> None:
        self.count: int | None = None
        """How many reviews of the store wait for a person; None while nobody could read it."""
        self._store = context.store
        self._due = DueReviews(context.store, context.clock.time)

    @property
    def is_due(self) -> bool:
        """Whether a deadline or an escalation has passed since the last look: the store tells nobody."""
        return self._due.is_due

    def look(self) -> bool:
        """Count them again; return whether there are more or fewer than before.

        Raises:
            StepgraphError: The store cannot be read.
        """
        paused = self._store.runs(RunStatus.PAUSED)
        if self._due.look(paused):
            paused = self._store.runs(RunStatus.PAUSED)
        before = self.count
        ids = (run.pointer.review for run in paused)
        self.count = sum(id_ is not None and id_ not in self._due.timed for id_ in ids)
        return self.count != before
