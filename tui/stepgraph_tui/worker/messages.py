"""What the thread tells the app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph.runs.session import Halt
    from stepgraph.runs.trial import TrialResult
    from stepgraph.values.errors import StepgraphError

    from .work import Try, Work


@dataclass
class RunStarted(Message):
    """A run was created."""

    run_id: str


@dataclass
class NodeBegan(Message):
    """A node is about to run. Of many that are over in a moment only some are told."""

    run_id: str
    node: str
    step: int
    at: float
    """When, in seconds of the monotonic clock."""


@dataclass
class StepTaken(Message):
    """A run was moved on in the store. Of many, only the last need be heard."""

    run_id: str

    def can_replace(self, message: Message) -> bool:
        """Say whether the later message says all that the earlier one said."""
        return isinstance(message, StepTaken) and message.run_id == self.run_id


@dataclass
class WorkDone(Message):
    """The work is over; the thread is idle again."""

    work: Work
    run_id: str
    halt: Halt


@dataclass
class Decided(Message):
    """A decision is recorded; the thread is idle again."""

    review: Review


@dataclass
class NodeTried(Message):
    """A node was tried, whatever came of it; the thread is idle again."""

    work: Try
    tried: TrialResult


@dataclass
class WorkFailed(Message):
    """The work could not be done, and changed nothing; the thread is idle again."""

    work: Work
    error: StepgraphError


@dataclass
class Printed(Message):
    """Node code wrote something to its standard output or error."""

    run_id: str
    step: int
    """The step during which it was written."""
    node: str
    text: str
    """One or more lines, as they came; not made safe to show."""
    is_error: bool = False
    """Whether it was written to the standard error."""
