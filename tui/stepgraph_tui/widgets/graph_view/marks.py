"""The marks of nodes and edges: how much is wrong with them, and what a moment of a run says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal, NamedTuple

from stepgraph.graphs import END

from ...drawing.picture.run_marks import (
    NO_BREAKS,
    PLACE_STATES,
    BreakMarks,
    LastVisit,
    Part,
    Trail,
    share,
    visit_of,
)
from ...view.runs import StepStory

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from stepgraph.graphs import Edge
    from stepgraph.runs import Mask
    from stepgraph.values import Problem

    from ...drawing.picture.glyphs import Glyphs, State
    from ...run_view import RunSnapshot


class Badge(NamedTuple):
    """The problems of a node or an edge; a node answers for the edges that leave it, too."""

    errors: int = 0
    warnings: int = 0

    def mark(self, glyphs: Glyphs) -> str:
        """Choose the mark of the worst of them, in one character."""
        return glyphs.error if self.errors else glyphs.warning if self.warnings else ""

    def counts(self, glyphs: Glyphs) -> str:
        """Count them in a few characters without a blank; empty for a single one, or for none."""
        if self.errors + self.warnings < 2:
            return ""
        pairs = ((glyphs.error, self.errors), (glyphs.warning, self.warnings))
        return "".join(f"{mark}{count}" for mark, count in pairs if count)


NO_PROBLEMS = Badge()


def badges_of(
    problems: Iterable[Problem], edges: Sequence[Edge], position: Callable[[int], int | None]
) -> dict[Part, Badge]:
    """Count the problems of those nodes and edges that have any.

    Args:
        problems: What is wrong with the graph.
        edges: Its edges.
        position: Where among them the edge is that a problem names by its own count.
    """
    errors: dict[Part, int] = {}
    warnings: dict[Part, int] = {}
    for problem in problems:
        place, counts = problem.place, errors if problem.is_error else warnings
        edge = position(place.edge) if place.edge is not None else None
        source = edges[edge].source if edge is not None else None
        if edge is not None:
            counts[edge] = counts.get(edge, 0) + 1
        if source is not None and source != place.node:
            counts[source] = counts.get(source, 0) + 1
        if place.node is not None:
            counts[place.node] = counts.get(place.node, 0) + 1
    parts = errors.keys() | warnings.keys()
    return {part: Badge(errors.get(part, 0), warnings.get(part, 0)) for part in parts}


@dataclass(frozen=True, slots=True)
class RunMarks:
    """The marks of one moment; making them costs the same however long the run is."""

    trail: Trail
    step: int = -1
    """The step that is looked at; -1 without a run."""
    place: str | None = None
    """The node that the run is at, or is about to go to."""
    place_state: State | None = None
    """What is said of that node."""
    taken: int | None = None
    """The edge that the step took."""
    mask: Mask | None = None
    """Hides the secrets of the run."""

    @classmethod
    def without_a_run(cls, trail: Trail, start: str) -> RunMarks:
        """Mark where a run would begin."""
        return cls(trail, place=start, place_state="start")

    @classmethod
    def of(cls, trail: Trail, moment: RunSnapshot) -> RunMarks:
        """Read the marks of a moment."""
        run, record = moment.view.run, moment.record
        trail.read(moment.view.steps, moment.view.departures)
        taken = trail.edge_of(record) if record is not None else None
        if moment.live:
            place, place_state = trail.drawn_at(run.current), PLACE_STATES.get(run.status)
            return cls(trail, moment.step, place, place_state, taken, moment.view.mask)
        if record is not None and record.row.error is not None:
            return cls(trail, moment.step, trail.drawn_at(record.node), "failed", taken, moment.view.mask)
        return cls(trail, moment.step, trail.drawn_at(moment.next), "next", taken, moment.view.mask)

    def state(self, node: str) -> State | None:
        """Return the state that a node is painted in; None when there is nothing to say."""
        if node == self.place and self.place_state is not None and not self._ended(node):
            return self.place_state
        return "done" if self.trail.reached(node, self.step) else None

    def _ended(self, node: str) -> bool:
        return self.place_state == "next" and node == END and self.trail.reached(END, self.step)

    def fired(self, edge: int) -> bool:
        """Check whether the run had taken an edge."""
        return self.trail.reached(edge, self.step)

    def visits(self, node: str) -> int:
        """Count how often the run had come to a node."""
        record = self.trail.last_at(node, self.step) if node != END else None
        return record.visit if record is not None else 0

    def visit(self, node: str) -> LastVisit | None:
        """Return the last visit of a node; None if the run had not been there."""
        record = self.trail.last_at(node, self.step) if node != END else None
        if record is None or self.mask is None:
            return None
        return visit_of(StepStory(record, self.mask))

    def share(self, edge: int, source: str, room: int) -> str:
        """Write how many visits of its node an edge was taken on: ``2/3``; empty where it had none."""
        visits = self.trail.times(source, self.step)
        return share(self.trail.times(edge, self.step), visits, room) if visits else ""

    def changed(self, before: RunMarks) -> set[Part]:
        """Find the nodes and edges that other things are said of than before."""
        named = {self.place, before.place, self.taken, before.taken}
        parts: set[Part] = {part for part in named if part is not None}
        parts.update(self.trail.between(self.step, before.step))
        if self.trail is not before.trail:
            parts.update(before.trail.between(-1, before.step))
            parts.update(self.trail.between(-1, self.step))
        return parts


Tone = Literal["faint", "edge", "back", "wrong", "fired", "taken", "chosen"]
"""How an edge stands out, from the least to the most."""
TONES: tuple[Tone, ...] = ("faint", "edge", "back", "wrong", "fired", "taken", "chosen")


@dataclass(slots=True)
class Scene:
    """What a painter of the graph looks up."""

    marks: RunMarks
    running: str | None = None
    """The node that runs now."""
    node: str | None = None
    """The selected node."""
    edge: int | None = None
    """The selected edge, one of the node's."""
    hits: frozenset[Part] = frozenset()
    """What was found."""
    badges: Mapping[Part, Badge] = field(default_factory=dict)
    """The problems of those nodes and edges that have any."""
    picked: Collection[str] = ()
    """The nodes that somebody has marked."""
    pauses: Collection[str] = ()
    """The nodes after which a continued run pauses."""
    breaks: BreakMarks = NO_BREAKS
    """The breakpoints; edges by their position in the graph, as all parts here."""
    faint: Mapping[int, str] = field(default_factory=dict)
    """The edges that are never taken, each with the reason."""

    def state(self, node: str) -> State | None:
        """Return the state that a node is painted in."""
        return "runs" if node == self.running else self.marks.state(node)

    def first(self, node: str | None, glyphs: Glyphs) -> str:
        """Choose what somebody's mark on a node looks like; nothing where it has none."""
        return glyphs.picked if node in self.picked else glyphs.pause if node in self.pauses else ""

    def breaks_at(self, part: Part | None, glyphs: Glyphs) -> str:
        """Choose the sign of the breakpoint at a node or an edge; nothing where there is none."""
        sign = self.breaks.signs.get(part) if part is not None else None
        return glyphs.breaks[sign] if sign is not None else ""

    def stop(self, edges: Sequence[int]) -> int | None:
        """Find the edge of a line that has a breakpoint: the one that was hit, else the first."""
        signs = self.breaks.signs
        found = [edge for edge in edges if edge in signs] if signs else []
        return next((edge for edge in found if edge == self.breaks.hit), found[0] if found else None)

    def badge(self, part: Part | None) -> Badge:
        """Count what is wrong with a node or an edge."""
        return self.badges.get(part, NO_PROBLEMS) if part is not None else NO_PROBLEMS

    def tone(self, edge: int | None, *, back: bool = False) -> Tone:
        """Choose how an edge stands out; one of which nothing is known does not."""
        if edge is None:
            return "back" if back else "edge"
        if edge == self.edge:
            return "chosen"
        if edge == self.marks.taken:
            return "taken"
        if self.marks.fired(edge):
            return "fired"
        if self.badge(edge).errors:
            return "wrong"
        if edge in self.faint:
            return "faint"
        return "back" if back else "edge"

    def speaker(self, edges: Sequence[int]) -> int | None:
        """Choose the edge of a line that says how the line stands out: of several the loudest."""
        if len(edges) < 2:
            return edges[0] if edges else None
        for edge in (self.edge, self.marks.taken):
            if edge is not None and edge in edges:
                return edge
        fired = (edge for edge in edges if self.marks.fired(edge))
        wrong = (edge for edge in edges if self.badge(edge).errors)
        plain = (edge for edge in edges if edge not in self.faint)
        return next(chain(fired, wrong, plain), edges[0])

    @property
    def selected(self) -> Part | None:
        """What is selected: the edge if there is one, else the node."""
        return self.node if self.edge is None else self.edge
