"""The dialog of one review, as every screen opens it, and what follows its decision in this app."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from stepgraph.stores import RunStatus, driven
from stepgraph.values import GraphError, GraphFileError, StepgraphError

from ..dialogs.approval import Onward
from ..store_look import LastSeen
from ..text.characters import visible
from ..text.plain import place, plural
from ..text.run_list import whereabouts
from ..view.decided import decided_runs

if TYPE_CHECKING:
    from textual.screen import Screen

    from stepgraph.reviews import Review
    from stepgraph.stores import StoredRun

    from ..context import AppContext
    from ..dialogs.approval import ReviewScreen
    from ..worker import Decide, Underway


def review_dialog(
    context: AppContext,
    review_id: str,
    *,
    decide: Callable[[Decide], bool],
    onward: Callable[[Review], Onward],
    copy: Callable[[str], object],
    say: Callable[[str, Review], object],
) -> ReviewScreen:
    """Build the dialog in which a review is read and decided; it takes neither the graph nor trust.

    Args:
        context: What the app shares.
        review_id: The review.
        decide: Hands a decision to whoever records it; False when that must wait.
        onward: Tells what follows a decision of a review.
        copy: Copies a text for other programs.
        say: Says one line, once the dialog is closed, about a review that was decided here.
    """
    from stepgraph_tui.dialogs.approval import ReviewScreen

    return ReviewScreen(
        context.store,
        review_id,
        decide=decide,
        onward=onward,
        me=context.settings.name,
        drafts=context.drafts,
        copy=copy,
        say=say,
        hints=context.hints,
        time=context.clock.time,
        store_stamp=context.store_look.stamp,
    )


_MOST = 12  # runs that are listed before they continue
WORKERS = "Workers continue the run."
"""The message where nobody here is to continue a run."""


class Continuing:
    """Knows which runs can continue here, and how those stand that were decided.

    Args:
        context: What the app shares.
    """

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._refusals: dict[tuple[str, str | None], str] = {}  # by definition and source
        self._seen = LastSeen(context.store_look.stamp)
        self._decided: list[StoredRun] = []  # as they were read last

    @property
    def is_wanted(self) -> bool:
        """Whether runs continue by themselves after a decision."""
        return self._context.settings.auto_continue and self._context.answering is None

    def after(self, run_ids: Collection[str]) -> Onward:
        """Describe what follows a decision of reviews of runs."""
        if not self.is_wanted:
            return Onward()
        from stepgraph.runs import mode_of  # the runs' room, which no frame at the start needs

        store, kept = self._context.store, list[str]()
        try:
            theirs, is_live = driven(store), False
            self._refusals.clear()  # trust may have been given since
            for run_id in run_ids:
                if run_id in theirs:
                    kept.append(WORKERS)
                elif refusal := self.refusal(store.load(run_id)):
                    kept.append(f"The run will not continue here: {refusal}.")
                else:
                    is_live = is_live or mode_of(store, run_id).live
        except StepgraphError as error:
            return Onward(kept=f"The run will not continue here: {visible(error.message)}.")
        does = "" if len(kept) == len(run_ids) else "continue LIVE" if is_live else "continue"
        if kept and len(run_ids) > 1:
            return Onward(does, f"{len(kept)} of {len(run_ids)} runs stay as they are. {kept[0]}")
        return Onward(does, "".join(kept))

    def refusal(self, stored: StoredRun) -> str:
        """Explain why a run cannot continue here; empty where it can."""
        from stepgraph.runs import refuse_elsewhere

        at = stored.pointer.definition, stored.head.source
        if at not in self._refusals:
            try:
                refuse_elsewhere(self._context.store, stored)
                self._refusals[at] = ""
            except StepgraphError as error:
                self._refusals[at] = _why(error)
        return self._refusals[at]

    def ready(self) -> list[StoredRun]:
        """List the runs that are ready to continue after a decision, the oldest first.

        Raises:
            StoreError: The store cannot be read.
        """
        if self._context.answering is not None:
            return []
        if not self._seen.is_current():
            self._refusals.clear()
            self._decided = decided_runs(self._context.store)
            self._seen.keep()
        return [run for run in self._decided if run.head.id not in self._underway]

    @property
    def _underway(self) -> set[str]:
        return self._context.background.ids if self._context.has_background else set()

    @property
    def count(self) -> int:
        """How many runs are ready; 0 where the store cannot be read, which whoever lists it tells."""
        try:
            return len(self.ready())
        except StepgraphError:
            return 0

    def notice(self, command: str) -> str:
        """Describe how many runs are under way here, and by which command how many could be."""
        ready = self.count
        parts = [f"{plural(len(self._underway), 'run')} under way here"] if self._underway else []
        if ready:
            are = "is" if ready == 1 else "are"
            key = self._context.hints.key(command)
            parts.append(f"{plural(ready, 'decided run')} {are} ready to continue: {key}")
        return " · ".join(parts)

    def go_on(self, run_ids: Iterable[str]) -> None:
        """Continue runs in the background."""
        self._context.background.go_on(run_ids)

    def run_status(self, run_id: str) -> str:
        """Describe how the run of a decided review stands: ``step 7: notify``, ``ended at END``."""
        underway = self._context.background.of(run_id) if self._context.has_background else None
        try:
            run = self._context.store.load(run_id)
            is_ready = run.pointer.status is RunStatus.READY and run.pointer.review is not None
            if underway is None and is_ready and run_id in driven(self._context.store):
                return "workers continue it"
            if underway is None and is_ready and (refusal := self.refusal(run)):
                return f"not continued here: {refusal}"
            return standing_text(run, underway)
        except StepgraphError as error:
            return error.message

    def question(self, runs: Sequence[StoredRun]) -> str:
        """Ask whether runs are to continue, each on a line."""
        self._refusals.clear()
        lines = [
            f"{run.head.id}  {run.head.graph}, next {place(run.pointer.current)}"
            + (f": {refusal}" if (refusal := self.refusal(run)) else "")
            for run in runs[:_MOST]
        ]
        more = [f"and {len(runs) - _MOST:,} more"] if len(runs) > _MOST else []
        return "\n".join([f"Continue {plural(len(runs), 'decided run')} here?", *map(visible, lines), *more])


class Asks(Protocol):
    """A screen, as far as continuing what is decided needs it."""

    def look(self) -> None:
        """Read what has changed in the store."""

    async def ask(self, dialog: Screen[bool]) -> bool | None:
        """Open a dialog, and return its answer."""

    def say(self, text: str, *, warns: bool = False) -> None:
        """Show a message until the next key."""


async def continue_decided(continuing: Continuing, surface: Asks) -> None:
    """Continue all decided runs in the background; several are listed first."""
    from stepgraph_tui.dialogs.questions import Confirm

    try:
        runs = continuing.ready()
        can = [run.head.id for run in runs if not continuing.refusal(run)]
    except StepgraphError as error:
        surface.say(error.message, warns=True)
        return
    if runs and not can:
        which = runs[0].head.id if len(runs) == 1 else f"none of {len(runs)} decided runs"
        can_it = "cannot" if len(runs) == 1 else "can"
        surface.say(f"{which} {can_it} continue here: {continuing.refusal(runs[0])}", warns=True)
    elif len(runs) == 1 or (runs and await surface.ask(Confirm(continuing.question(runs), "Continue"))):
        continuing.go_on(can)
        surface.look()


def _why(error: StepgraphError) -> str:
    """Describe an error on one line: of a graph file the first thing that is wrong with it."""
    problems = error.problems if isinstance(error, GraphError | GraphFileError) else ()
    where = f" ({problems[0].place.file})" if problems and problems[0].place.file else ""
    return f"{problems[0].message}{where}" if problems else error.message


def standing_text(stored: StoredRun, underway: Underway | None) -> str:
    """Describe how the run of a decided review stands."""
    pointer = stored.pointer
    if pointer.status is RunStatus.READY:
        if underway is None:
            return "ready to continue" if pointer.review is not None else whereabouts(stored)
        if underway.kept:
            return f"not continued here: {underway.kept}"
        if underway.waits:
            return "waits for its turn"
        return f"running {place(pointer.current)}, step {pointer.step + 1}"
    if pointer.status is RunStatus.PAUSED:
        return f"{place(pointer.current)} asks now"
    return f"{pointer.status.value} {whereabouts(stored)}"
