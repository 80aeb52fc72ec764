"""A graph with all marks of its nodes and edges: problems, breakpoints, a moment of a run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar, cast

from stepgraph.graphs import END

from ...drawing.outline import Wiring
from ...drawing.picture.graph_drawing import GraphDrawing
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
    from collections.abc import Collection

    from textual.widget import Widget

    from stepgraph.graphs import CompiledGraph, Edge, StateGraph
    from stepgraph.runs import Mask
    from stepgraph.values import Problem

    from ...drawing.picture.glyphs import Glyphs, State
    from ...run_view import RunSnapshot, RunView


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
    """The state of that node."""
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
        """Find the nodes and edges whose marks have changed."""
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
        """Choose the edge of a line that decides how the line stands out: of several the loudest."""
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


Kind = TypeVar("Kind", bound=Part)  # a node stays a node, and an edge an edge
Names = Mapping[str, str]
"""The nodes that have another name now: the old ones with the new ones."""


class PartMapping:
    """Maps the parts of a graph before an edit to those after it.

    Edges are known by their positions, which an edit moves. Those before and behind the edited ones are
    told apart from them by their ends and labels; for the few in between, nobody knows.

    Args:
        before: The edges as they were.
        now: The edges as they are.
        names: The nodes that have another name now.
    """

    def __init__(self, before: Sequence[Edge], now: Sequence[Edge], names: Names) -> None:
        self.before = before
        self._names = names
        self._former = {new: old for old, new in names.items()}
        self._grown = len(now) - len(before)
        self._same = _alike(before, now, names)  # this many at the beginning stayed where they were
        others = min(len(before), len(now)) - self._same
        moved = _alike(islice(reversed(before), others), reversed(now), names)
        self._rest = len(before) - moved  # from here on, they all moved

    def now(self, part: Kind) -> Kind | None:
        """Map a part of then to what it is now; None when that is not known."""
        found = self._node(part, self._names, self._former) if isinstance(part, str) else self._edge_now(part)
        return cast("Kind | None", found)

    def then(self, part: Kind) -> Kind | None:
        """Map a part of now to what it was then; None when it was not there, or that is not known."""
        found = (
            self._node(part, self._former, self._names) if isinstance(part, str) else self._edge_then(part)
        )
        return cast("Kind | None", found)

    @staticmethod
    def _node(name: str, names: Names, back: Names) -> str | None:
        return names.get(name, None if name in back else name)  # else another node has taken the name

    def _edge_now(self, edge: int) -> int | None:
        if edge < self._same:
            return edge
        return edge + self._grown if edge >= self._rest else None

    def _edge_then(self, edge: int) -> int | None:
        if edge < self._same:
            return edge
        return edge - self._grown if edge >= self._rest + self._grown else None


def join_renamings(first: Names, second: Names) -> dict[str, str]:
    """Join two renamings, one after the other, into one."""
    names = {old: second.get(new, new) for old, new in first.items()}
    taken = set(first.values())
    names |= {old: new for old, new in second.items() if old not in taken}
    return {old: new for old, new in names.items() if old != new}


def _alike(before: Iterable[Edge], now: Iterable[Edge], names: Names) -> int:
    """Count the edges at the beginning that are the same."""
    count = 0
    for old, new in zip(before, now, strict=False):
        if old is not new and (
            old.label != new.label
            or names.get(old.source, old.source) != new.source
            or names.get(old.target, old.target) != new.target
        ):
            break
        count += 1
    return count


Said = TypeVar("Said")


class GraphDisplay(Protocol):
    """Draws a marked graph: as a picture, or as a list."""

    def touch(self, parts: Iterable[Part]) -> None:
        """Repaint these nodes and edges: their marks have changed."""

    def reveal(self, part: Part) -> None:
        """Bring a node or an edge into view."""


class MarkedGraph:
    """A graph with the marks of a run and of its problems; what changes, its display repaints.

    Its parts are nodes by their names and edges by their positions in the graph. Others count edges as the
    graph file does, which may have some that could not be built.

    Args:
        glyphs: The characters to draw with.
        beside: One that is always told to draw the same graph, and before this one; what it has found out of
            the graph is used here, too.
    """

    display: GraphDisplay
    """What draws it."""

    def __init__(self, glyphs: Glyphs, beside: MarkedGraph | None = None) -> None:
        self.glyphs = glyphs
        self.graph: StateGraph | CompiledGraph | None = None
        self.drawing: GraphDrawing
        self.scene = Scene(RunMarks(Trail(())))
        self.wiring = Wiring(())
        self._beside = beside
        self._mapping = PartMapping((), (), {})  # from the graph before
        self._problems: Iterable[Problem] = ()
        self._run: RunView | None = None
        self._follow = True

    # The graph

    def take(
        self,
        graph: StateGraph | CompiledGraph,
        problems: Iterable[Problem] | None,
        names: Names,
        moment: RunSnapshot | None,
    ) -> None:
        """Replace the graph; the marks of its parts stay as far as the graph still has them."""
        near = self._near_selected()
        self.graph = graph
        known = self._beside if self._beside is not None and self._beside.graph is graph else None
        self._take_over(known or GraphDrawing(graph, glyphs=self.glyphs, shares=True), names)
        self._carry_over(near)
        if problems is not None:
            self.scene.badges = self._badges(problems)
        elif known is not None:
            self.scene.badges = known.scene.badges
        else:
            self.scene.badges = self._carried(self.scene.badges)
        self._run = None
        self.scene.marks = self._marks(moment)

    def _take_over(self, known: MarkedGraph | GraphDrawing, names: Names) -> None:
        """Know the graph, from one beside that knows it already or from itself."""
        before = self.wiring.edges
        if isinstance(known, GraphDrawing):
            self.drawing, self.wiring = known, Wiring(known.edges)
        else:
            self.drawing, self.wiring, self._mapping = known.drawing, known.wiring, known._mapping
        if self._mapping.before is not before or isinstance(known, GraphDrawing):
            self._mapping = PartMapping(before, self.wiring.edges, names)

    def _near_selected(self) -> list[str]:
        """List the selected node and its neighbors, the nearest in the graph's own order first."""
        node = self.scene.node
        if node is None:
            return []
        place = {name: at for at, name in enumerate(self.drawing.names)}
        others = [other for other in self.wiring.neighbors(node) if other not in (node, END)]
        near = sorted(others, key=lambda other: abs(place[other] - place[node]))
        return [node, *near]

    def _carry_over(self, near: Iterable[str]) -> None:
        """Carry marks over an edit; select a neighbor of a node that is gone."""
        scene, mapping = self.scene, self._mapping
        scene.hits = frozenset()
        there = (mapping.now(node) for node in near)
        scene.node = next((node for node in there if node is not None and self.has(node)), None)
        if scene.edge is not None:
            edge = mapping.now(scene.edge)
            scene.edge = edge if edge is not None and scene.node in self.ends(edge) else None
        scene.faint = self._carried(scene.faint)

    def _carried(self, words: Mapping[Kind, Said]) -> dict[Kind, Said]:
        """Map the marks of the parts of the graph before to what these are now."""
        pairs = ((self._mapping.now(part), word) for part, word in words.items())
        return {part: word for part, word in pairs if part is not None and self.has(part)}

    def has(self, part: Part) -> bool:
        """Check whether the graph has a node or an edge; a picture may still be that of another graph."""
        if isinstance(part, str):
            return self.graph is not None and part in self.drawing.names
        return 0 <= part < len(self.wiring.edges)

    def position_of(self, count: int) -> int | None:
        """Find the position of the edge that a file counts so."""
        edges = self.wiring.edges
        if 0 <= count < len(edges) and edges[count].index == count:
            return count
        position = bisect_left(edges, count, key=attrgetter("index"))
        return position if position < len(edges) and edges[position].index == count else None

    def ends(self, edge: int) -> tuple[str, str]:
        """Look up the two nodes of an edge."""
        return self.wiring.edges[edge].source, self.wiring.edges[edge].target

    # What is wrong with it

    def _badges(self, problems: Iterable[Problem]) -> Mapping[Part, Badge]:
        self._problems = problems
        other = self._beside
        if other is not None and other._problems is problems and other.drawing is self.drawing:
            return other.scene.badges
        return badges_of(problems, self.wiring.edges, self.position_of)

    def dim(self, dimmed: Mapping[int, str]) -> None:
        """Draw edges that are never taken fainter than others.

        Args:
            dimmed: The edges by their count in the file, each with the reason in words.
        """
        before, self.scene.faint = (
            self.scene.faint,
            {edge: why for count, why in dimmed.items() if (edge := self.position_of(count)) is not None},
        )
        self.display.touch(before.keys() ^ self.scene.faint.keys())

    def reason_of(self, count: int) -> str | None:
        """Explain why an edge, by its count in the file, is never taken; None when it may be."""
        position = self.position_of(count)
        return self.scene.faint.get(position) if position is not None else None

    # What somebody has marked, and the run

    def watch(self, pane: Widget) -> None:
        """Show what a pane's attributes say: ``running``, ``dimmed``, ``marked`` and the like."""
        pane.watch(pane, "running", self._run_node, init=False)
        pane.watch(pane, "dimmed", self.dim, init=False)
        pane.watch(pane, "marked", self.pick, init=False)
        pane.watch(pane, "pause_after", self._pause_after, init=False)
        pane.watch(pane, "breaks", self._put_breaks, init=False)
        pane.watch(pane, "follow", self._set_follow, init=False)

    def surviving(self, nodes: Iterable[str], names: Names) -> frozenset[str]:
        """Keep those of some nodes of the graph before that there are still, by their names now."""
        return frozenset(filter(self.has, (names.get(node, node) for node in nodes)))

    def pick(self, before: frozenset[str], picked: frozenset[str]) -> None:
        """Mark the nodes that somebody has chosen, to do something with all of them."""
        self.scene.picked = picked
        self.display.touch(before ^ picked)

    def _pause_after(self, before: frozenset[str], pauses: frozenset[str]) -> None:
        self.scene.pauses = pauses
        self.display.touch(filter(self.has, before ^ pauses))

    def _put_breaks(self, _: BreakMarks, breaks: BreakMarks) -> None:
        """Mark the breakpoints; of the file's edges those that the graph has."""
        before = self.scene.breaks
        signs = {part: sign for each, sign in breaks.signs.items() if (part := self._part(each)) is not None}
        hit = self._part(breaks.hit) if breaks.hit is not None else None
        now = self.scene.breaks = BreakMarks(signs, hit)
        changed = {part for part, _ in before.signs.items() ^ signs.items()}
        changed |= {part for part in (before.hit, now.hit) if part is not None and before.hit != now.hit}
        self.display.touch(filter(self.has, changed))

    def _part(self, counted: Part) -> Part | None:
        """Find a part by its name, or an edge by its count in the file."""
        return counted if isinstance(counted, str) else self.position_of(counted)

    def _marks(self, moment: RunSnapshot | None) -> RunMarks:
        trail = self.scene.marks.trail
        if self._run is not (moment.view if moment is not None else None) or self._run is None:
            trail = Trail(self.wiring.edges)
        self._run = moment.view if moment is not None else None
        if moment is not None:
            return RunMarks.of(trail, moment)
        return RunMarks.without_a_run(trail, self.graph.settings.start if self.graph is not None else "")

    def show(self, moment: RunSnapshot | None) -> None:
        """Show the marks of a moment of a run."""
        before, self.scene.marks = self.scene.marks, self._marks(moment)
        self.display.touch(self.scene.marks.changed(before))
        self.follow_run()

    def _set_follow(self, follow: bool) -> None:
        self._follow = follow
        self.follow_run()

    def follow_run(self) -> None:
        """Bring the node that runs or comes next into view, as long as that is wanted."""
        node = self.scene.running or self.scene.marks.place
        if self._follow and self._run is not None and node is not None:
            self.display.reveal(node)

    def _run_node(self, before: str | None, running: str | None) -> None:
        """Mark the node that runs now, and not the one before."""
        self.scene.running = running
        self.display.touch(node for node in (before, running) if node is not None)
        if self._follow and running is not None:
            self.display.reveal(running)
