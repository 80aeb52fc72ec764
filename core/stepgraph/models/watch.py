"""Watching a call to a model or a tool while it lasts, and stopping it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..values.errors import NodeFailed
from ..values.json_values import Json

CallKind = Literal["model", "tool"]


@dataclass(frozen=True, slots=True)
class CallPlace:
    """Where a call comes from."""

    run_id: str
    node: str
    step: int
    kind: CallKind
    name: str
    """The alias of the model, or the name of the tool."""


@dataclass(frozen=True, slots=True)
class CallBegan:
    """A call has begun."""

    place: CallPlace


@dataclass(frozen=True, slots=True)
class TextCame:
    """The next piece of a reply has come."""

    place: CallPlace
    text: str


@dataclass(frozen=True, slots=True)
class CallWaits:
    """A call was refused for now, and is made again."""

    place: CallPlace
    seconds: float
    why: str


@dataclass(frozen=True, slots=True)
class CallEnded:
    """A call is over."""

    place: CallPlace
    call: dict[str, Json]
    """What the ledger keeps of it (see ``stepgraph.nodes.calls``)."""


CallEvent: TypeAlias = CallBegan | TextCame | CallWaits | CallEnded
CallListener: TypeAlias = Callable[[CallEvent], object]


class CallStopped(NodeFailed):
    """A person stopped a call before its answer was whole.

    ``spent`` is what the ledger keeps of the answer so far: the tokens that it took, what they cost.
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.spent: dict[str, Json] = {}


class CallWatch:
    """What a client is given to tell of its call, and to ask whether to go on.

    Args:
        place: Where the call comes from.
        tell: Who listens; None for nobody.
        stopped: Whether somebody has asked to stop; None where nobody can.
        time_left: How many seconds the node has left; None for any time.
    """

    def __init__(
        self,
        place: CallPlace,
        tell: CallListener | None = None,
        stopped: Callable[[], bool] | None = None,
        time_left: Callable[[], float | None] | None = None,
    ) -> None:
        self.place = place
        self._tell = tell
        self._stopped = stopped
        self._time_left = time_left

    def text(self, piece: str) -> None:
        """Tell of the next piece of the reply."""
        if self._tell is not None:
            self._tell(TextCame(self.place, piece))

    def waits(self, seconds: float, why: str) -> None:
        """Tell that the call is made again after so many seconds."""
        if self._tell is not None:
            self._tell(CallWaits(self.place, seconds, why))

    def tell(self, event: CallEvent) -> None:
        """Tell of anything else."""
        if self._tell is not None:
            self._tell(event)

    @property
    def stopped(self) -> bool:
        """Whether somebody has asked to stop."""
        return self._stopped is not None and self._stopped()

    @property
    def time_left(self) -> float | None:
        """How many seconds the node has left; None for any time."""
        return self._time_left() if self._time_left is not None else None

    def check(self) -> None:
        """Stop here where somebody has asked to.

        Raises:
            CallStopped: Somebody has.
        """
        if self.stopped:
            raise CallStopped(
                f"the {self.place.kind} {self.place.name!r} was stopped before its answer was whole",
                hint="retry the run to call it again",
            )
