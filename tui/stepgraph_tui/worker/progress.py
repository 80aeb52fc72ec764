"""How far the work is. Nobody is told: a fast run moves on faster than anybody can look, so the app looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .calls import VisitCalls


@dataclass(frozen=True, slots=True)
class NodeBegan:
    """A node that runs."""

    run_id: str
    node: str
    step: int
    at: float
    """When it began, in seconds of the monotonic clock."""


class Progress:
    """What the stepping thread writes down as it goes, at next to no cost, for another thread to read."""

    def __init__(self) -> None:
        self.running: NodeBegan | None = None
        """The node that runs now."""
        self.calls: Callable[[], VisitCalls] | None = None
        """Gives the calls of the visit that runs; None before the first work."""
        self.moves = 0
        """How often a run was moved on in the store."""
