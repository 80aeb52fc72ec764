"""Looking at breakpoints while a run is driven, and finding in its ledger those that it met."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ...stores.ledger import READY

if TYPE_CHECKING:
    from ..records import StepRecord
    from ..run import Run
    from .breakpoint import Breakpoint
    from .compiled import BreakpointHit, CompiledBreakpoints


class BreakpointMonitor:
    """Finds after each step of a run which breakpoints it met, and decides whether to halt.

    Hits are counted from the start of the run, whoever drove it until now.

    Args:
        live: The breakpoints; they are compiled again when they are replaced.
    """

    def __init__(self, live: LiveBreakpoints) -> None:
        self.hits: tuple[BreakpointHit, ...] = ()
        """What the last step met, log points too, in the order of the breakpoints; those before the node that
        comes next are last."""
        self._live = live
        self._items: tuple[Breakpoint, ...] = ()
        self._compiled: CompiledBreakpoints | None = None
        self._counts: dict[int, int] = {}

    @property
    def halt(self) -> BreakpointHit | None:
        """The breakpoint that the run halts at; None when it may go on."""
        return next((hit for hit in self.hits if hit.halts), None) if self.hits else None

    def compiled(self, run: Run, upto: int | None = None) -> CompiledBreakpoints:
        """Return the breakpoints as they are now, ready for the graph of a run.

        Args:
            run: The run.
            upto: The row up to which the hits count so far; where the run stands when None.
        """
        items = self._live.items
        found = self._compiled
        if found is None or items is not self._items or found.plan is not run.plan:
            from .compiled import CompiledBreakpoints

            found = CompiledBreakpoints(items, run.plan)
            self._compiled, self._items = found, items
            self._counts = BreakpointHistory(found).read(run, upto).counts if found.is_counted else {}
        return found

    def arrive(self, run: Run) -> tuple[BreakpointHit, ...]:
        """Look at the breakpoints before the node that a run is about to run, before its first step."""
        self.hits = self.standing(run)
        return self.hits

    def standing(self, run: Run) -> tuple[BreakpointHit, ...]:
        """Find the breakpoints before the node where a run is already; nothing is counted by it."""
        if not self._live.items:
            return ()
        compiled = self.compiled(run)
        pointer, values, _ = run._image
        if pointer.status is not READY or not compiled.waits_before(pointer.current):
            return ()
        past, node = run._history, pointer.current or ""
        return tuple(
            compiled.before_next(
                node, pointer.step, pointer.version, values, past, self._counts, past, again=True
            )
        )

    def over(self, run: Run, move: Callable[[Run], StepRecord]) -> StepRecord:
        """Move a run by one step, and look at what that met.

        Args:
            run: The run.
            move: What moves it: ``Executor.step``, say.
        """
        before = run._image
        record = move(run)
        if not self._live.items:
            self._compiled, self.hits = None, ()  # what is set later is counted from the start of the run
            return record
        compiled = self._compiled
        if compiled is None or self._live.items is not self._items or compiled.plan is not run.plan:
            compiled = self.compiled(run, before[0].version)  # those that were set while the node ran count
        self.hits = ()
        pointer, values, _ = run._image
        past, row = run._history, record.row
        if not compiled.concern(row, pointer.current):
            return record
        if row.seq <= before[0].version:  # the edges of an earlier step were tried again
            row = past.row(pointer.version)
        from .compiled import Happening

        happened = Happening(row, before[1], values, None)
        hits = list(compiled.after_row(happened, past, self._counts, past))
        if pointer.status is READY and compiled.waits_before(pointer.current):
            hits += compiled.before_next(
                pointer.current or "", pointer.step, pointer.version, values, past, self._counts, past
            )
        self.hits = tuple(hits)
        return record


class BreakpointHistory:
    """The breakpoints that a run met, read from its ledger; each reading costs what is new.

    Args:
        compiled: The breakpoints.
    """

    def __init__(self, compiled: CompiledBreakpoints) -> None:
        from .watches import LedgerWalk

        self.compiled = compiled
        self.hits: list[BreakpointHit] = []
        """What was met so far, in order."""
        self.counts: dict[int, int] = {}
        """How often each breakpoint was met, by its place; of those whose hits must be counted."""
        self._positions = array("Q")
        self._walk = LedgerWalk(compiled.reads)

    @property
    def positions(self) -> Sequence[int]:
        """The step to look at of each hit."""
        return self._positions

    def read(self, run: Run, upto: int | None = None) -> BreakpointHistory:
        """Advance to a row of a run's ledger, to where its handle stands when None; returns itself."""
        walk, compiled, history = self._walk, self.compiled, run._history
        if not compiled:
            return self
        for happened in walk.rows(run, upto):
            row = happened.row
            found = list(compiled.after_row(happened, walk, self.counts, history))
            walk.took(row)
            if happened.comes is not None and compiled.waits_before(happened.comes):
                found += compiled.before_next(
                    happened.comes, row.step, row.seq, happened.after, walk, self.counts, history
                )
            self.hits += found
            self._positions.extend(hit.position for hit in found)
        return self


class LiveBreakpoints:
    """The breakpoints that somebody sets while a run may be under way: the next step goes by the new ones."""

    def __init__(self, breakpoints: Iterable[Breakpoint] = ()) -> None:
        self.items: tuple[Breakpoint, ...] = tuple(breakpoints)
        """The breakpoints; any thread may put others in their place at any time."""
