"""What the stepping thread tells the app."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from textual.message import Message

if TYPE_CHECKING:
    from stepgraph.reviews.model import Review
    from stepgraph.runs.trial import Tried
    from stepgraph.values.errors import StepgraphError

    from .work import Try, Work

Halt = Literal["done", "paused", "failed", "ended", "stopped", "reached", "marked"]
"""Why work is over: it was one step; a review waits; the run failed or ended; somebody asked to stop; the
node to run to comes next; a node was run that the run pauses after."""


class RunStarted(Message):
    """A run was created."""

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self.run_id = run_id


class NodeBegan(Message):
    """A node is about to run. Of many that are over in a moment only some are told."""

    def __init__(self, run_id: str, node: str, step: int, at: float) -> None:
        super().__init__()
        self.run_id = run_id
        self.node = node
        self.step = step
        self.at = at
        """When, in seconds of the monotonic clock."""


class StepTaken(Message):
    """A run was moved on in the store. Of many, only the last need be heard."""

    def __init__(self, run_id: str) -> None:
        super().__init__()
        self.run_id = run_id

    def can_replace(self, message: Message) -> bool:
        """Whether the later message says all that the earlier one said."""
        return isinstance(message, StepTaken) and message.run_id == self.run_id


class WorkDone(Message):
    """The work is over; the thread is idle again."""

    def __init__(self, work: Work, run_id: str, halt: Halt) -> None:
        super().__init__()
        self.work = work
        self.run_id = run_id
        self.halt = halt


class Decided(Message):
    """A decision is recorded; the thread is idle again."""

    def __init__(self, review: Review) -> None:
        super().__init__()
        self.review = review


class NodeTried(Message):
    """A node was tried, whatever came of it; the thread is idle again."""

    def __init__(self, work: Try, tried: Tried) -> None:
        super().__init__()
        self.work = work
        self.tried = tried


class WorkFailed(Message):
    """The work could not be done, and changed nothing; the thread is idle again."""

    def __init__(self, work: Work, error: StepgraphError) -> None:
        super().__init__()
        self.work = work
        self.error = error


class Printed(Message):
    """Node code wrote something to its standard output or error."""

    def __init__(self, run_id: str, step: int, node: str, text: str) -> None:
        super().__init__()
        self.run_id = run_id
        self.step = step
        """The step during which it was written."""
        self.node = node
        self.text = text
        """One or more lines, as they came; not made safe to show."""
