"""What is told of the breakpoints that a run meets: lines for the log, and where it halts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

from stepgraph.runs import GrowingMask

from ..text.state_diff import halted, looked_at
from ..view.hits import HitStory
from .printed import Printed

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.runs import DebugSession, Halt, Mask, Run, TrialResult
    from stepgraph.runs.debug import Breakpoint
    from stepgraph.stores import Outage
    from stepgraph.values import StepgraphError

    from ..graph_with_code import GraphWithCode
    from .work import Load, Try, Work


@dataclass
class GraphLoaded(Message):
    """A module was imported, and this is its graph; the thread is idle again."""

    work: Load
    loaded: GraphWithCode


@dataclass
class RunStarted(Message):
    """A run was created."""

    run_id: str


@dataclass(frozen=True, slots=True)
class Halted:
    """A breakpoint that a run halts at."""

    breakpoint: Breakpoint
    text: str
    """Which, where, and the values that it looked at; masked, and safe to show."""


@dataclass
class WorkDone(Message):
    """The work is over; the thread is idle again."""

    work: Work
    run_id: str
    halt: Halt
    hit: Halted | None = None
    """The breakpoint that the run is at, whatever else halted it."""


@dataclass
class Decided(Message):
    """A decision is recorded; the thread is idle again."""

    review: Review
    workers_go_on: bool = False
    """Whether the run goes on by itself: then nobody here is to drive it."""
    asked_to_go_on: bool = False
    """Whether the run was to continue here once it is decided."""

    @property
    def goes_on(self) -> bool:
        """Whether the run is to continue here now."""
        return self.asked_to_go_on and self.review.decision is not None and not self.workers_go_on


@dataclass
class NodeTried(Message):
    """A node was tried, whatever came of it; the thread is idle again."""

    work: Try
    tried: TrialResult


@dataclass
class StoreWaits(Message):
    """The thread waits for the store's server, or goes on because it answers again."""

    outage: Outage


@dataclass
class WorkFailed(Message):
    """The work could not be done, and changed nothing; the thread is idle again."""

    work: Work
    error: StepgraphError


class HitTeller:
    """Writes what breakpoints met to the log, with the secrets of the run masked.

    It works where the run is driven: a hit reads the run's ledger over the connection of that thread.

    Args:
        post: Tells the app.
    """

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self._known: tuple[str, GrowingMask] | None = None  # of the run that was driven last

    def tell(self, session: DebugSession) -> Halted | None:
        """Log what the last step met.

        Returns:
            Where the run halts; None when nothing halts it.
        """
        named = [hit for hit in session.hits if hit.breakpoint.id]  # what has none is a node to pause after
        if not named:
            return None
        mask = self._mask_of(session.run)
        hits = [HitStory(hit, mask) for hit in named]
        for hit in hits:
            self._log(session.run.id, hit)
        met = next((hit for hit in hits if hit.hit.halts), None)
        return Halted(met.hit.breakpoint, halted(met)) if met is not None else None

    def _log(self, run_id: str, story: HitStory) -> None:
        hit = story.hit
        if hit.halts:
            text = "\n".join((halted(story), *(f"  {line}" for line in looked_at(story, arrow="→"))))
        else:
            text = f"{hit.breakpoint.id}: {story.line}"
        self._post(Printed(run_id, hit.step, hit.node, f"{text}\n"))

    def _mask_of(self, run: Run) -> Mask:
        """Hide what is secret in the run now, and was before."""
        if self._known is None or self._known[0] != run.id:
            self._known = run.id, GrowingMask(run.store, run.id)
        return self._known[1].at(run.plan, run.version)
