"""What a moment of a run has to say of the nodes and edges of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.graphs.parts import END
from stepgraph_tui.drawing.run_marks import STANDING
from stepgraph_tui.drawing.trail import Part, Trail

if TYPE_CHECKING:
    from stepgraph_tui.drawing.glyphs import State
    from stepgraph_tui.run_view import RunSnapshot


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one moment; making them costs the same however long the run is."""

    trail: Trail
    step: int = -1
    """The step that is looked at; -1 without a run."""
    place: str | None = None
    """The node that the run stands at, or is about to go to."""
    standing: State | None = None
    """What is said of that node."""
    taken: int | None = None
    """The edge that the step took."""

    @classmethod
    def without_a_run(cls, trail: Trail, start: str) -> Marks:
        """Where a run would begin."""
        return cls(trail, place=start, standing="start")

    @classmethod
    def of(cls, trail: Trail, moment: RunSnapshot) -> Marks:
        """The marks as they were then."""
        run, record = moment.view.run, moment.record
        trail.read(moment.view.steps)
        taken = trail.edge_of(record) if record is not None else None
        if moment.live:
            return cls(trail, moment.step, run.current, STANDING.get(run.status), taken)
        if record is not None and record.row.error is not None:
            return cls(trail, moment.step, record.node, "failed", taken)
        return cls(trail, moment.step, moment.next, "next", taken)

    def state(self, node: str) -> State | None:
        """What is said of a node; None when there is nothing to say."""
        if node == self.place and self.standing is not None and not self._ended(node):
            return self.standing
        return "done" if self.trail.reached(node, self.step) else None

    def _ended(self, node: str) -> bool:
        return self.standing == "next" and node == END and self.trail.reached(END, self.step)

    def fired(self, edge: int) -> bool:
        """Whether the run had taken an edge."""
        return self.trail.reached(edge, self.step)

    def changed(self, before: Marks) -> set[Part]:
        """The nodes and edges that other things are said of than before."""
        named = {self.place, before.place, self.taken, before.taken}
        parts: set[Part] = {part for part in named if part is not None}
        parts.update(self.trail.between(self.step, before.step))
        if self.trail is not before.trail:
            parts.update(before.trail.between(-1, before.step))
            parts.update(self.trail.between(-1, self.step))
        return parts
