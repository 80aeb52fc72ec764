"""Breakpoints that a run has met, with secrets masked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stepgraph.conditions import Explanation
    from stepgraph.runs import Mask
    from stepgraph.runs.debug import BreakpointHit
    from stepgraph.values import Json


class HitStory:
    """A breakpoint that was met, secrets masked.

    Args:
        hit: How it was met; its texts and values are not masked.
        mask: Hides the secrets of the run.
    """

    def __init__(self, hit: BreakpointHit, mask: Mask) -> None:
        self.hit = hit
        self._mask = mask

    @property
    def description(self) -> str:
        """Which breakpoint was met, and where."""
        return self._mask.text(self.hit.describe())

    @property
    def node(self) -> str:
        """The node of the step."""
        return self._mask.text(self.hit.node)

    @property
    def place(self) -> str:
        """Where in the graph the breakpoint is."""
        return self._mask.text(self.hit.breakpoint.place())

    @property
    def path(self) -> str:
        """The part of the state that it is about; empty for another kind."""
        return self._mask.text(self.hit.breakpoint.path)

    @property
    def line(self) -> str:
        """The line of a log point."""
        return self._mask.text(self.hit.line(self._mask.values(self.hit.values)))

    @property
    def explanation(self) -> Explanation | None:
        """Its condition with the values of the operands; None for a breakpoint without one."""
        explanation = self.hit.explanation
        return None if explanation is None else self._mask.explanation(explanation)

    def change(self) -> tuple[Json, Json] | None:
        """Return what a breakpoint on the state saw before and after; None for a value that is not there."""
        changed = self.hit.change()
        if changed is None:
            return None
        key, before, after = changed
        return self._mask.value(key, before), self._mask.value(key, after)

    def breakpoint_text(self) -> str:
        """Write the breakpoint as the command line takes it."""
        from stepgraph.runs.debug import format_breakpoint

        return self._mask.text(format_breakpoint(self.hit.breakpoint))
