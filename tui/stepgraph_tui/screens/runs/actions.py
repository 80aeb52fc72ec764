"""What can be done with a run: go on with it, fork, stop, delete, compare, export it, copy its id."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Coroutine
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

from stepgraph.reviews import delete_runs
from stepgraph.runs import SAYING_MODE, SpendingReader, mode_word, modes_said
from stepgraph.stores import Outcome, RunStatus, is_served
from stepgraph.values import Conflict, StepgraphError, StoreError, UnknownRun

from ...cli_equivalents import Equivalents
from ...text.calls import spent_text
from ...text.plain import place, plural
from ...text.run_list import UNKNOWN, whereabouts
from ...text.system import command

if TYPE_CHECKING:
    from textual.screen import Screen

    from stepgraph.expressions import Changes
    from stepgraph.stores import Damage, StateStore, StoredRun

    from ...context import AppContext
    from ...dialogs.run_form import ForkWanted
    from ...run_view import RunView
    from ...widgets.run_list import RunList
    from .table import RunTable


_MOST = 5_000  # rows of a run that are read to add up what it cost


class RunAnswers:
    """Tells who answered in runs; of each run what was read last is kept.

    Args:
        store: Where they live.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._told: tuple[str, int, str] = ("", 0, "")
        self._outside: tuple[object, bool] = None, False  # a definition, and whether it reaches outside

    def describe(self, run: StoredRun) -> str:
        """Describe who answered, and what calls to models took: ``LIVE, 2 model calls, $0.0025``."""
        run_id, version = run.head.id, run.pointer.version
        if self._told[:2] != (run_id, version):
            try:
                self._told = run_id, version, self._read(run)
            except (StoreError, UnknownRun):
                return ""
        return self._told[2]

    def _read(self, run: StoredRun) -> str:
        pointer = run.pointer
        modes = modes_said(self._store.rows(run.head.id, upto=pointer.version, kinds=SAYING_MODE))
        word = mode_word(modes, pointer.step, ended=pointer.status is RunStatus.ENDED)
        if word == "SCRIPTED":
            return "CODE" if self._reaches_outside(run) else word
        if pointer.version > _MOST:
            return word
        spent = spent_text(SpendingReader(self._store, run.head.id).upto(pointer.version).total)
        return f"{word}, {spent}" if spent else word

    def _reaches_outside(self, run: StoredRun) -> bool:
        """Return whether the graph of a run runs more than what is scripted."""
        from stepgraph.files import reaches_outside  # with what reads definitions
        from stepgraph.runs import stored_graph

        at = run.pointer.definition, run.head.source
        if at != self._outside[0]:
            self._outside = at, reaches_outside(stored_graph(self._store, run))
        return self._outside[1]


def refused(action: str, run: StoredRun) -> str | None:
    """Explain why something cannot be done with a run, to go on after its name; None where it can be.

    Args:
        action: ``resume``, ``retry``, ``stop``, or anything that can always be done.
        run: The run.
    """
    pointer = run.pointer
    status, is_capped = pointer.status, pointer.outcome is Outcome.MAX_STEPS
    if is_capped and action in ("resume", "retry"):
        return (
            "it stopped at its step limit: {runs.open} opens it, and {debug.extend} there allows more steps"
        )
    if action == "resume":
        return {
            RunStatus.ENDED: "it has ended; {runs.fork} starts a new run from one of its steps",
            RunStatus.FAILED: "it has failed: {runs.retry} retries it",
        }.get(status)
    if action == "retry":
        return None if status is RunStatus.FAILED else "nothing has failed"
    if action == "stop" and status in (RunStatus.ENDED, RunStatus.FAILED):
        return (
            "it has ended already" if status is RunStatus.ENDED else "it has failed: there is nothing to end"
        )
    return None


def resume_question(run: StoredRun) -> str:
    """Ask whether a run is to go on."""
    return f"Continue run {run.head.id} in Debug? {place(run.pointer.current)} runs next."


def stop_question(run: StoredRun) -> str:
    """Ask whether a run is to be ended."""
    asked = " Its review is withdrawn." if run.pointer.status is RunStatus.PAUSED else ""
    return f"Stop run {run.head.id} where it is ({whereabouts(run)})? It cannot continue after that.{asked}"


def delete_question(run: StoredRun, forks: int) -> str:
    """Ask whether a run is to be deleted, and explain what becomes of what depends on it."""
    head, pointer = run
    stands = f"{pointer.status.value}, {whereabouts(run)}, {plural(pointer.step, 'step')}"
    lines = [
        f"Delete run {head.id}? ({head.graph}: {stands})",
        "All of its steps and decisions are deleted. This cannot be undone.",
    ]
    if pointer.status is RunStatus.PAUSED:
        lines.append("Its pending review is deleted with it.")
    if pointer.status is RunStatus.READY:
        lines.append("It has not ended: if another process drives it, that stops at its next step.")
    if forks:
        lines.append(
            "1 run was forked from it; that one is kept."
            if forks == 1
            else f"{forks:,} runs were forked from it; they stay as they are."
        )
    return "\n".join(lines)


def delete_damaged_question(damage: Damage, url: str) -> str:
    """Ask whether what is left of a damaged run in a store is to be deleted."""
    saves = "" if is_served(url) else " `stepgraph doctor --repair` first saves what can be saved."
    return (
        f"Delete run {damage.run}? ({damage.what})\n"
        f"All that is left of it is deleted. This cannot be undone.{saves}"
    )


Then = Literal["", "go", "retry"]
"""What is done with a run once it is open in Debug."""
Answer = TypeVar("Answer")
_TWO = "mark two runs with {runs.mark}, or one and go to the other"
_DRIVEN = "it is being driven in this window: stop it there first"
_DRIVEN_ALREADY = "it is being driven in this window already: {runs.open} shows it"
_REFUSED_WHILE_DRIVEN = {
    "delete": _DRIVEN,
    "stop": _DRIVEN,
    "resume": _DRIVEN_ALREADY,
    "retry": _DRIVEN_ALREADY,
}
_DAMAGED = "it is damaged: {runs.open} shows what to do"


Talk: TypeAlias = Coroutine[Any, Any, None]
"""Asks a person, and goes on with the answer."""


class RunsSurface(Protocol):
    """The screen, as far as what is done with its runs needs it."""

    def look(self) -> None:
        """Read what has changed in the store."""

    def open(self, run: StoredRun, then: Then = "") -> None:
        """Open a run in Debug, and perhaps go on with it there."""

    async def ask(self, dialog: Screen[Answer]) -> Answer | None:
        """Open a dialog, and return its answer; None where it was left without one."""

    def begin(self, talk: Coroutine[Any, Any, Any]) -> None:
        """Run what asks people, while the screen goes on."""

    def say(self, text: str, *, warns: bool = False) -> None:
        """Show a message until the next key; ``warns`` when it explains why something was not done."""

    def copy(self, text: str) -> None:
        """Copy a text, and say by which way."""

    def edit_text(self, text: str, suffix: str) -> str | None:
        """Edit a text in $EDITOR; None when it was left as it is."""


class RunActions:
    """Does what the keys of the list of runs do with the selected one; what cannot be undone is asked first.

    What is confirmed is done to the run as it was when it was asked about, wherever the cursor is by then.

    Args:
        context: What the app shares.
        table: The runs as they were read last.
        shown: The list of them, with the cursor and the marks.
        surface: The screen.
        driven: Names the runs that this app drives now.
    """

    def __init__(
        self,
        context: AppContext,
        table: RunTable,
        shown: RunList,
        surface: RunsSurface,
        driven: Callable[[], Collection[str]],
    ) -> None:
        self._context, self._table, self._list = context, table, shown
        self._surface, self._driven = surface, driven

    def refusal(self, verb: str) -> str | None:
        """Explain why something cannot be done with the selected run; None where it can be."""
        branch, damage, hints = self._list.selected, self._list.damage, self._context.hints
        if damage is not None:
            can = verb == "copy_command" or (verb in ("copy", "delete") and damage.run is not None)
            return None if can else f"{damage.run or UNKNOWN}: {hints(_DAMAGED)}"
        if branch is None:
            return "there is no run"
        run = branch.run
        if verb == "compare":
            return None if len(self._compared(run)) == 2 else hints(_TWO)
        why = (run.head.id in self._driven() and _REFUSED_WHILE_DRIVEN.get(verb)) or refused(verb, run)
        return None if why is None else f"{run.head.id}: {hints(why)}"

    @property
    def _run(self) -> StoredRun:
        branch = self._list.selected
        assert branch is not None  # else nothing is done with it: see ``refusal``  # noqa: S101
        return branch.run

    # In Debug, where it is seen

    def resume(self) -> Talk | None:
        """Continue with the run; one that waits for a person is opened at its review."""
        run = self._run
        if run.pointer.status is RunStatus.PAUSED:
            self._surface.open(run)
            return None
        return self._confirm(resume_question(run), "Continue", partial(self._surface.open, run, "go"))

    def retry(self) -> Talk:
        """Try again what has failed."""
        run = self._run
        question = f"Retry run {run.head.id} in Debug, at {run.pointer.current}?"
        return self._confirm(question, "Retry", partial(self._surface.open, run, "retry"))

    # In the store

    def fork(self) -> Talk:
        """Ask for the step after which a new run goes on, explain what runs again then, and make it."""
        return self._ask_for_fork(self._run)

    async def _ask_for_fork(self, run: StoredRun) -> None:
        from stepgraph_tui.dialogs.forms import FormDialog
        from stepgraph_tui.dialogs.run_form import ForkForm
        from stepgraph_tui.run_view import RunView

        try:
            view = RunView(self._context.store, run.head.id)
            last = view.run.step
            at = next((step for step in range(last, 0, -1) if view.dead_end(step) is None), 0)
            form = ForkForm(view, None if at == last else at, asks_step=True)
        except StepgraphError as error:
            self._tell(error)
            return
        wanted = await self._surface.ask(FormDialog(form, self._surface.edit_text))
        if wanted is not None:
            self._try(partial(self._fork, view, wanted))

    def _fork(self, view: RunView, wanted: ForkWanted) -> None:
        """Fork a step into a new run. Nothing runs, so nothing need be trusted."""
        from stepgraph.runs import forking, open_run, random_id

        context, at = self._context, wanted.at
        run, step = open_run(context.store, view.run_id), view.run.step if at is None else at
        if at is None and run.version != view.version:
            if view.seq_of(step) != view.version:  # what was edited after that step is lost among what came
                raise _conflict(view.run_id)
            at = step
        new_id = wanted.run_id or (context.ids or random_id)("r")
        made = forking.fork(
            run,
            at=at,
            values=wanted.values,
            new_id=new_id,
            now=context.clock.time(),
            by=context.settings.name,
        )
        changes: Changes = {(name,): value for name, value in wanted.values.items()}
        self._note(Equivalents(context.address, view.mask).fork(view.run_id, at, changes, made.id))
        self._surface.look()
        self._list.go_to(made.id)
        self._surface.say(f"{made.id} continues from {view.run_id} after step {step}: nothing has run yet")

    def stop(self) -> Talk:
        """Ask, then end the run where it stands."""
        return self._confirm(stop_question(self._run), "End it", partial(self._stop, self._run))

    def _stop(self, run: StoredRun) -> None:
        from stepgraph.runs import open_run, operations

        run_id = run.head.id
        opened = open_run(self._context.store, run_id)
        goes_on = opened.status is run.pointer.status is RunStatus.READY  # a step more or less is no matter
        if opened.version != run.pointer.version and not goes_on:
            raise _conflict(run_id)
        operations.stop(opened, self._context.settings.name, "", self._context.clock.time(), "app")
        self._note(Equivalents(self._context.address).stop(run_id))
        self._surface.look()
        self._surface.say(f"{run_id} was ended where it stood")

    def delete(self) -> Talk:
        """Ask, then delete the run."""
        damage = self._list.damage
        if damage is not None:
            return self._ask_to_delete_damaged(damage)
        run = self._run
        question = delete_question(run, len(self._table.forks_of(run.head.id)))
        return self._confirm(question, "Delete", partial(self._delete, run.head.id, run.pointer.version))

    async def _ask_to_delete_damaged(self, damage: Damage) -> None:
        """Ask about a run that is known by its name alone; how far it is only its version tells."""
        try:
            version = self._context.store.versions().get(damage.run or "")
        except StepgraphError as error:
            self._tell(error)
            return
        if damage.run is None or version is None:
            self._surface.say(f"{damage.run or UNKNOWN}: {self._context.hints(_DAMAGED)}", warns=True)
            return
        question = delete_damaged_question(damage, self._context.store.url)
        await self._confirm(question, "Delete", partial(self._delete, damage.run, version))

    def _delete(self, run_id: str, version: int) -> None:
        surface = self._surface
        context = self._context
        by, now = context.settings.name, context.clock.time()
        deleted = delete_runs(context.store, {run_id: version}, by=by, at=now, source="app")
        surface.look()
        if deleted:
            self._note(Equivalents(self._context.address).delete(run_id))
            surface.say(f"{run_id} is deleted")
        elif run_id in self._table:
            message = f"{run_id} advanced meanwhile, and was not deleted: look, then try again"
            surface.say(message, warns=True)
        else:
            surface.say(f"{run_id} was deleted elsewhere already", warns=True)

    # Beside each other, and elsewhere

    def _compared(self, run: StoredRun) -> list[str]:
        """Name the marked runs, and with one of them the run with the cursor."""
        marked = sorted(self._list.marked)
        return [*marked, run.head.id] if len(marked) == 1 and run.head.id not in marked else marked

    def compare(self) -> None:
        """Show where two runs part: the marked ones, or the marked one and the one with the cursor."""
        self._try(partial(self._compare, *self._compared(self._run)))

    def _compare(self, left: str, right: str) -> None:
        from stepgraph_tui.dialogs.run_pages import ComparisonPage

        self._note(Equivalents(self._context.address).compare(left, right))
        page = ComparisonPage(self._context.store, left, right, self._surface.copy)
        self._surface.begin(self._surface.ask(page))

    def copy(self) -> None:
        """Copy the id of the run."""
        damage = self._list.damage
        self._surface.copy(self._run.head.id if damage is None else damage.run or UNKNOWN)

    def copy_command(self) -> None:
        """Copy the command that shows the run; of a damaged one, the one that saves what is whole."""
        address = self._context.address
        is_damaged = self._list.damage is not None
        mends = () if is_served(self._context.store.url) else ("--repair",)
        repair = command("doctor", *mends, store=address)
        self._surface.copy(repair if is_damaged else Equivalents(address).show_run(self._run.head.id))

    def tell(self, damage: Damage) -> None:
        """Show what is known of a damaged run, and what to do."""
        from stepgraph_tui.dialogs.pages import DamagePage

        deletes = self._context.hints("In the list, {runs.delete} deletes what is left of it.")
        can_delete = damage.run is not None
        context, hint = self._context, deletes if can_delete else ""
        page = DamagePage(damage, context.address, context.store.url, hint, self._surface.copy)
        self._surface.begin(self._surface.ask(page))

    def export(self) -> Talk:
        """Ask in which format to write the run, and where to: beside its graph, where that is still there."""
        head = self._run.head
        folder = Path(head.source).parent if head.source is not None else Path()
        if not os.path.isdir(folder):  # noqa: PTH112  # Path.is_dir raises for one that may not be looked at
            folder = Path()
        return self._export(head.id, folder)

    async def _export(self, run_id: str, folder: Path) -> None:
        from stepgraph_tui.screens.run_export import export_command, exported, run_export

        work = await self._surface.ask(run_export(self._context, run_id, folder))
        if work is not None:
            self._note(export_command(self._context, run_id, work))
            self._surface.say(exported(work))

    async def _confirm(self, question: str, verb: str, then: Callable[[], None]) -> None:
        from stepgraph_tui.dialogs.questions import Confirm

        if await self._surface.ask(Confirm(question, verb)):
            self._try(then)

    def _try(self, what: Callable[[], None]) -> None:
        """Call a function on the store, and show what went wrong."""
        try:
            what()
        except StepgraphError as error:
            self._tell(error)

    def _tell(self, error: StepgraphError) -> None:
        self._surface.look()
        message = f"{error.message} ({error.hint})" if error.hint else error.message
        self._surface.say(message, warns=True)

    def _note(self, command: str) -> None:
        self._context.log.note(self._context.clock.time(), command)


def _conflict(run_id: str) -> Conflict:
    return Conflict(f"run {run_id!r} has advanced meanwhile", hint="look, then try again")
