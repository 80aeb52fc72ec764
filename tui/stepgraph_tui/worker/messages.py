"""What the thread tells the app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph.runs.debug.breakpoint import Breakpoint
    from stepgraph.runs.session import Halt
    from stepgraph.runs.trial import TrialResult
    from stepgraph.stores.outages import Outage
    from stepgraph.values.errors import StepgraphError
    from stepgraph_tui.graph_with_code import GraphWithCode

    from .work import Load, Try, Work


Source = Literal["output", "error", "model", "call"]
"""Who says something in the log: a node's standard output or error, a model, or we of its call."""


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
    """The breakpoint that the run stands at, whatever else halted it."""


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


@dataclass
class Printed(Message):
    """Something was written or said during a step: by node code, or by a model that it asked."""

    run_id: str
    """Empty for what a module writes while it is imported; then ``node`` is its name."""
    step: int
    """The step during which it was written."""
    node: str
    text: str
    """One or more lines, as they came; not made safe to show."""
    source: Source = "output"
