"""What can be done with a run: go on with it in Debug, fork, stop, delete, compare it, copy its name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import Conflict, StepgraphError
from stepgraph_tui import cli_equivalents
from stepgraph_tui.text.plain import visible

from .questions import delete_question, refused, stop_question

if TYPE_CHECKING:
    from textual.screen import Screen

    from stepgraph.stores.base import StoredRun
    from stepgraph_tui.context import AppContext

    from .table import RunTable

Then = Literal["", "go", "retry"]
"""What is done with a run once it is open in Debug."""
Answer = TypeVar("Answer")
_DIGITS = 9
_TWO = "mark two runs with {runs.mark}, or one and go to the other"
_DRIVEN = "it is being driven in this window: stop it there first"


class RunsSurface(Protocol):
    """The screen, as far as what is done with its runs needs it."""

    @property
    def selected(self) -> StoredRun | None:
        """The run with the cursor."""

    @property
    def marked(self) -> list[str]:
        """The runs that are marked."""

    def look(self) -> None:
        """Read what has changed in the store."""

    def go_to(self, run_id: str) -> None:
        """Put the cursor on a run."""

    def open(self, run: StoredRun, then: Then = "") -> None:
        """Open a run in Debug, and perhaps go on with it there."""

    def ask(self, dialog: Screen[Answer], then: Callable[[Answer | None], None] | None = None) -> None:
        """Open a dialog, and go on with its answer."""

    def say(self, text: str) -> None:
        """Say something until the next key."""

    def warn(self, text: str) -> None:
        """Say until the next key why something was not done."""

    def copy(self, text: str) -> None:
        """Copy a text, and say by which way."""


class RunActions:
    """Does what the keys of the list of runs do with the selected one; what cannot be undone is asked first.

    What is confirmed is done to the run as it was when it was asked about, wherever the cursor is by then.

    Args:
        context: What the app shares.
        table: The runs as they were read last.
        surface: The screen.
        driven: Names the runs that this app drives now.
    """

    def __init__(
        self,
        context: AppContext,
        table: RunTable,
        surface: RunsSurface,
        driven: Callable[[], Collection[str]],
    ) -> None:
        self._context, self._table, self._surface, self._driven = context, table, surface, driven

    def refusal(self, verb: str) -> str | None:
        """Say why something cannot be done with the selected run; None where it can be."""
        run, hints = self._surface.selected, self._context.hints
        if run is None:
            return "there is no run"
        if verb == "compare":
            return None if len(self._compared(run)) == 2 else hints(_TWO)
        is_driven = verb in ("delete", "stop") and run.head.id in self._driven()
        why = _DRIVEN if is_driven else refused(verb, run)
        return None if why is None else f"{visible(run.head.id)}: {hints(why)}"

    @property
    def _run(self) -> StoredRun:
        run = self._surface.selected
        assert run is not None  # else nothing is done with it: see ``refusal``  # noqa: S101
        return run

    # In Debug, where it is seen

    def resume(self) -> None:
        """Go on with the run; one that waits for a person is opened at its review."""
        run = self._run
        if run.pointer.status is RunStatus.PAUSED:
            self._surface.open(run)
            return
        question = f"Continue run {run.head.id} in Debug? {run.pointer.current} runs next."
        self._confirm(question, "Continue", partial(self._surface.open, run, "go"))

    def retry(self) -> None:
        """Try again what has failed."""
        run = self._run
        question = f"Retry run {run.head.id} in Debug, at {run.pointer.current}?"
        self._confirm(question, "Retry", partial(self._surface.open, run, "retry"))

    # In the store

    def fork(self) -> None:
        """Ask for the step after which a new run goes on, and make it."""
        from stepgraph_tui.dialogs.pick import NamePrompt

        run_id, last = self._run.head.id, self._run.pointer.step

        def wrong(text: str) -> str | None:
            is_step = text.isdecimal() and len(text) <= _DIGITS and int(text) <= last
            return None if is_step else f"Write a step from 0, the start, to {last}."

        def answered(step: str | None) -> None:
            if step is not None:
                self._try(partial(self._fork, run_id, int(step)))

        title = f"Fork run {run_id} after step"
        self._surface.ask(NamePrompt(title, str(last), wrong, verb="Fork"), answered)

    def _fork(self, run_id: str, at: int) -> None:
        """Make a new run from a step of another one. Nothing runs, so nothing need be trusted."""
        from stepgraph.runs import forking
        from stepgraph.runs.executor import random_id
        from stepgraph.runs.views import open_run

        context = self._context
        run, new_id = open_run(context.store, run_id), (context.ids or random_id)("r")
        made = forking.fork(run, at=at, values=None, new_id=new_id, now=context.clock.time())
        self._note(cli_equivalents.fork(run_id, at, {}, made.id, context.address))
        self._surface.look()
        self._surface.go_to(made.id)
        self._surface.say(f"{made.id} goes on from {visible(run_id)} after step {at}: nothing has run yet")

    def stop(self) -> None:
        """Ask, then end the run where it stands."""
        self._confirm(stop_question(self._run), "End it", partial(self._stop, self._run))

    def _stop(self, run: StoredRun) -> None:
        from stepgraph.runs import operations
        from stepgraph.runs.views import open_run

        run_id = run.head.id
        opened = open_run(self._context.store, run_id)
        if opened.version != run.pointer.version:
            raise Conflict(f"run {run_id!r} has moved on meanwhile", hint="look, then try again")
        operations.stop(opened, self._context.settings.name, "", self._context.clock.time())
        self._note(cli_equivalents.stop(run_id, self._context.address))
        self._surface.look()
        self._surface.say(f"{visible(run_id)} was ended where it stood")

    def delete(self) -> None:
        """Ask, then delete the run."""
        run = self._run
        question = delete_question(run, len(self._table.forks_of(run.head.id)))
        self._confirm(question, "Delete", partial(self._delete, run))

    def _delete(self, run: StoredRun) -> None:
        run_id, surface = run.head.id, self._surface
        deleted = self._context.store.delete_runs({run_id: run.pointer.version})
        surface.look()
        if deleted:
            self._note(cli_equivalents.delete(run_id, self._context.address))
            surface.say(f"{visible(run_id)} is deleted")
        elif run_id in self._table:
            surface.warn(f"{visible(run_id)} moved on meanwhile, and was not deleted: look, then try again")
        else:
            surface.warn(f"{visible(run_id)} was deleted elsewhere already")

    # Beside each other, and elsewhere

    def _compared(self, run: StoredRun) -> list[str]:
        """Name the marked runs, and with one of them the run with the cursor."""
        marked = self._surface.marked
        return [*marked, run.head.id] if len(marked) == 1 and run.head.id not in marked else marked

    def compare(self) -> None:
        """Show where two runs part: the marked ones, or the marked one and the one with the cursor."""
        self._try(partial(self._compare, *self._compared(self._run)))

    def _compare(self, left: str, right: str) -> None:
        from stepgraph_tui.dialogs.comparison import ComparisonPage

        self._note(cli_equivalents.compare(left, right, self._context.address))
        self._surface.ask(ComparisonPage(self._context.store, left, right, self._surface.copy))

    def copy(self) -> None:
        """Copy the id of the run."""
        self._surface.copy(self._run.head.id)

    def copy_command(self) -> None:
        """Copy the command that shows the run."""
        self._surface.copy(cli_equivalents.show_run(self._run.head.id, self._context.address))

    def _confirm(self, question: str, verb: str, then: Callable[[], None]) -> None:
        from stepgraph_tui.dialogs.questions import Confirm

        def answered(yes: bool | None) -> None:
            if yes:
                self._try(then)

        self._surface.ask(Confirm(question, verb), answered)

    def _try(self, what: Callable[[], None]) -> None:
        """Do something with the store, and say what went wrong."""
        try:
            what()
        except StepgraphError as error:
            self._surface.look()
            self._surface.warn(visible(f"{error.message} ({error.hint})" if error.hint else error.message))

    def _note(self, command: str) -> None:
        self._context.log.note(self._context.clock.time(), command)
