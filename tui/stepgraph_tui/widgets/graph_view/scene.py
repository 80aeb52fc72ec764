"""All that there is to say of a graph's nodes and edges, and what is selected of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal

from stepgraph_tui.drawing.picture.break_marks import NO_BREAKS, BreakMarks

from .marks import NO_PROBLEMS, Badge, RunMarks

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from stepgraph_tui.drawing.picture.glyphs import Glyphs, State
    from stepgraph_tui.drawing.picture.run_marks import Part

    from .rubber_band import RubberBand

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
    rubber: RubberBand | None = None
    """The line that somebody draws from a node with the mouse."""
    lit: str | None = None
    """The node that it would lead to."""

    def state(self, node: str) -> State | None:
        """Tell what is said of a node."""
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
