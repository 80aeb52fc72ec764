"""A moment of a run: what all panes show together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .run_view import RunView

if TYPE_CHECKING:
    from stepgraph.runs.records import StepRecord
    from stepgraph.values.json_values import Json


@dataclass(frozen=True, slots=True)
class Moment:
    """A run after one of its steps, or where it stands now. Two are equal when they look the same."""

    view: RunView
    step: int
    """The step that is looked at, 0 for the start."""
    live: bool = True
    """Whether it is where the run stands; otherwise a past step is viewed."""
    version: int = field(default=-1)
    """The version of the run that was read."""

    @classmethod
    def now(cls, view: RunView) -> Moment:
        """Where the run stands."""
        return cls(view, view.run.step, True, view.version)

    @classmethod
    def at(cls, view: RunView, step: int) -> Moment:
        """A past step, as near as the run has one."""
        return cls(view, max(0, min(step, view.run.step)), False, view.version)

    @property
    def record(self) -> StepRecord | None:
        """The step; None at the start."""
        return self.view.record(self.step)

    @property
    def after(self) -> dict[str, Json]:
        """The masked state; not to be changed."""
        return self.view.state(None if self.live else self.step)

    @property
    def before(self) -> dict[str, Json]:
        """The masked state before the step; at the start, nothing."""
        return self.view.state_before(self.step)

    @property
    def next(self) -> str | None:
        """The node that comes next (END included), None where nothing does."""
        if self.live:
            run = self.view.run
            return run.current or (self.record.next if self.record is not None else None)
        return self.record.next if self.record is not None else self.view.plan.start
