"""Going through the past of a run from stop to stop: changes of watches, hits of breakpoints."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...values.messages import some_of
from .compiled import CompiledBreakpoints
from .monitor import BreakpointHistory
from .watches import Watch, WatchHistory, WatchStrip

if TYPE_CHECKING:
    from ...graphs.plan import CompiledGraph
    from ..run import Run
    from .breakpoint import Breakpoint
    from .compiled import BreakpointHit
    from .watches import Hide

_LONG = 24  # characters of a name among several
_NAMED = 3  # watches and breakpoints that are named


class Stop(NamedTuple):
    """A step to look at, and why."""

    step: int
    """How many steps were completed then."""
    changed: Sequence[Watch]
    """The watches whose values the step itself changed."""
    hits: Sequence[BreakpointHit]
    """The breakpoints that were met there."""
    edited: Sequence[Watch] = ()
    """The watches whose values an edit changed, between the step before and this one."""

    def describe(self) -> str:
        """Describe where it is, and why: ``step 7: draft changed; b1 hit: before review``."""
        parts = []
        if self.changed:
            parts.append(f"{_first_names([watch.text for watch in self.changed])} changed")
        if self.edited:
            after = f"step {self.step - 1}" if self.step > 1 else "the start"
            parts.append(f"{_first_names([watch.text for watch in self.edited])} edited after {after}")
        met = [hit.breakpoint for hit in self.hits]
        if len(met) == 1:
            parts.append(f"{met[0].id or 'breakpoint'} hit: {met[0].describe()}")
        elif met:
            parts.append(f"{_first_names([each.id or each.describe() for each in met])} hit")
        return f"{f'step {self.step}' if self.step else 'the start'}: {'; '.join(parts)}"


class RunStops:
    """The changes of some watches, and the hits of some breakpoints, read from a run's ledger.

    Each reading costs what is new; to find a stop costs next to nothing, however long the run is. What was
    read only ever grows at its end, so it may be looked at while one thread reads on.

    Args:
        watches: The watches.
        breakpoints: The breakpoints.
        plan: The run's graph.
    """

    def __init__(
        self, watches: Sequence[Watch], breakpoints: Sequence[Breakpoint], plan: CompiledGraph
    ) -> None:
        self.version = 0
        """The last row of the ledger that was read."""
        self._watched = WatchHistory(watches)
        self._met = BreakpointHistory(CompiledBreakpoints(breakpoints, plan))

    @property
    def strips(self) -> Sequence[WatchStrip]:
        """The values of the watches over the steps, in the order of the watches."""
        return self._watched.strips

    def read(self, run: Run, hide: Hide | None = None) -> RunStops:
        """Advance to where a run stands, as its handle has it; returns itself.

        Args:
            run: The run.
            hide: Gives what may be shown of a value that is new; all of it when None.
        """
        self._watched.hide = hide
        self._watched.read(run)
        self._met.read(run)
        self.version = max(self.version, run.version)
        return self

    def find(
        self, viewed: int, by: int, watches: Collection[Watch] | None = None, *, breakpoints: bool = True
    ) -> Stop | None:
        """Find the first stop after a step, or the last one before it; None when there is none.

        Args:
            viewed: The step.
            by: 1 for what comes after it, -1 for what was before.
            watches: The watches whose changes count; all of them when None.
            breakpoints: Whether the hits of breakpoints count.
        """
        strips = [strip for strip in self.strips if watches is None or strip.watch in watches]
        steps = [strip.changes for strip in strips]
        if breakpoints:
            steps.append(self._met.positions)
        find, first = (_after, min) if by > 0 else (_before, max)
        found = [step for step in (find(each, viewed) for each in steps) if step is not None]
        if not found:
            return None
        step = first(found)
        here = [strip for strip in strips if _has(strip.changes, step)]
        edited = [strip.watch for strip in here if step in strip.edited]
        changed = [strip.watch for strip in here if step not in strip.edited]
        return Stop(step, changed, self._hits_at(step) if breakpoints else (), edited)

    def _hits_at(self, step: int) -> Sequence[BreakpointHit]:
        positions = self._met.positions
        return self._met.hits[bisect_left(positions, step) : bisect_right(positions, step)]


def _after(steps: Sequence[int], viewed: int) -> int | None:
    place = bisect_right(steps, viewed)
    return steps[place] if place < len(steps) else None


def _before(steps: Sequence[int], viewed: int) -> int | None:
    place = bisect_left(steps, viewed)
    return steps[place - 1] if place else None


def _has(steps: Sequence[int], step: int) -> bool:
    place = bisect_left(steps, step)
    return place < len(steps) and steps[place] == step


def _first_names(names: Sequence[str]) -> str:
    """Name the first few, each cut where others are to be seen beside it."""
    alone = len(names) == 1
    shown = [name if alone or len(name) <= _LONG else f"{name[: _LONG - 1]}…" for name in names]
    return some_of(shown, _NAMED)
