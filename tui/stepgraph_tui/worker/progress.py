"""How far the work is. Nobody is told: a fast run moves on faster than anybody can look, so the app looks."""

from __future__ import annotations

from dataclasses import dataclass


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
        self.moves = 0
        """How often a run was moved on in the store."""
