"""The lines of the trace in columns: how wide these are, and what each line says in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph_tui.drawing.picture.break_marks import NO_BREAKS, BreakMarks
from stepgraph_tui.drawing.picture.glyphs import UNICODE
from stepgraph_tui.drawing.picture.graph_drawing import edge_texts
from stepgraph_tui.text.cells import cell_len, padded, shares
from stepgraph_tui.text.plain import place, took, value_text, visible

from .bars import LEAST, MOST, bar_spans, bar_titles
from .texts import edge_taken, happened, said, start_text

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.runs.timeline import Timeline
    from stepgraph.stores.ledger import Row
    from stepgraph_tui.run_view import RunView
    from stepgraph_tui.widgets.lines import Role, Span

    from .texts import Standing

GAP = 2
AFTER_NODE = 3
"""Cells between node and edge: room for the mark of a node that the run pauses after."""
_LEAST = 8
"""Cells that a column needs to say anything; below that the next less important one gives way."""
_WEIGHTS = 3, 3, 4
"""How much of what is too little node, edge and changes are given."""
_PAUSES = "pauses after"


@dataclass(frozen=True, slots=True)
class Columns:
    """The widths in cells; 0 for a column that there is no room for."""

    number: int
    """The mark of the viewed step, and the step's number."""
    node: int
    edge: int
    took: int
    changed: int
    bar: int = 0
    """Behind the changes, in room that none of them needs."""

    @property
    def indent(self) -> int:
        """Where nodes begin."""
        return self.number + GAP


@dataclass(frozen=True, slots=True)
class Needs:
    """How many cells texts would take."""

    node: int = 0
    edge: int = 0
    took: int = 0
    changed: int = 0

    @classmethod
    def of(cls, plan: CompiledGraph) -> Needs:
        """Measure what a graph's nodes and edges need."""
        texts = edge_texts(plan.edges)
        edges = (
            f"{text} → {place(edge.target)}".lstrip() for text, edge in zip(texts, plan.edges, strict=True)
        )
        return cls(
            max((cell_len(visible(name)) for name in plan.nodes), default=0),
            max(map(cell_len, edges), default=0),
        )

    def with_step(self, step: StepCells) -> Needs:
        """Make what a step needs as well."""
        return Needs(
            max(self.node, cell_len(step.node)),
            max(self.edge, cell_len(step.edge)),
            max(self.took, cell_len(step.took)),
            max(self.changed, cell_len(step.changed)),
        )

    def fit(self, width: int, steps: int, graph: Needs) -> Columns:
        """Choose the columns that fit into a pane: what is there first, then what the graph may bring.

        Where there is too little, the longest texts are cut; then the time is left out, then the changes.

        Args:
            width: The pane's, in cells.
            steps: The highest number to be shown.
            graph: What the graph's own names need; they are there from the first, so they move nothing later.
        """
        number = 1 + max(2, len(str(steps)))
        room = max(1, width - number - GAP - AFTER_NODE)
        wanted = self.node, self.edge, self.changed
        for timed in (self.took, 0):
            rest = room - GAP - (GAP + timed if timed else 0)
            widths = shares(rest, wanted, _WEIGHTS)
            if _suffice(widths, wanted):
                node, edge, changed = widths
                node += min(max(0, graph.node - node), rest - node - edge - changed)
                edge += min(max(0, graph.edge - edge), rest - node - edge - changed)
                left = rest - node - edge
                bar = min(MOST, left - self.changed - GAP) if timed else 0
                bar = bar if bar >= LEAST else 0
                return Columns(number, node, edge, timed, left - bar - (GAP if bar else 0), bar)
        node, edge = shares(room, wanted[:2])
        if _suffice((node, edge), wanted[:2]):
            return Columns(number, node, edge, 0, 0)
        return Columns(number, room, 0, 0, 0)


def _suffice(widths: Sequence[int], wanted: Sequence[int]) -> bool:
    return all(width >= min(want, _LEAST) for width, want in zip(widths, wanted, strict=True))


@dataclass(frozen=True, slots=True)
class StepCells:
    """What a step says in each column."""

    number: str
    node: str
    edge: str
    took: str = ""
    changed: str = ""
    quiet: bool = False
    """Whether the node is none."""
    failed: bool = False
    """Whether the edge is none."""
    marked: bool = False
    """Whether the run pauses after the node."""
    breaks: str = ""
    """The sign of the node's breakpoint."""
    hit: bool = False
    """Whether it is the one that the run halts at."""
    seconds: float | None = None
    """How long the node worked; None for what is not a step."""

    @property
    def text(self) -> str:
        """All of it on one line."""
        return "  ".join(filter(None, (self.number, self.node, self.edge, self.took, self.changed)))


TITLES = StepCells("#", "node", "edge taken", "took", "changed")


def step_cells(
    view: RunView,
    row: Row,
    changed: list[str],
    pause_after: frozenset[str] = frozenset(),
    breaks: BreakMarks = NO_BREAKS,
) -> StepCells | None:
    """Tell what a step, or the start, says in each column; None for any other row.

    Args:
        view: The run.
        row: One of its rows.
        changed: What it changed, in signs.
        pause_after: The nodes that a continued run stops after.
        breaks: The breakpoints.
    """
    signs = said(" ".join(changed), view.mask)
    if row.kind == "start":
        return StepCells("0", "start", start_text(view), changed=signs, quiet=True)
    record = view.record(row.step) if row.kind == "step" else None
    if record is None:
        return None
    marked = record.node in pause_after
    return StepCells(
        str(record.step),
        visible(record.node),
        edge_taken(record),
        took(record.duration),
        "  ".join(filter(None, (_PAUSES if marked else "", signs))),
        failed=record.next is None and record.error is not None,
        marked=marked,
        breaks=sign_at(record.node, breaks),
        hit=breaks.hit == record.node,
        seconds=record.duration,
    )


def step_spans(
    cells: StepCells, columns: Columns, times: Timeline | None = None, *, viewed: bool = False
) -> list[Span]:
    """Put a step in columns.

    Args:
        cells: What it says in them.
        columns: How wide they are.
        times: What its bars are compared with; no bars without it.
        viewed: Whether it is the step that is viewed.
    """
    made: list[Span] = [
        ("▸" if viewed else " ", "title"),
        (cells.number.rjust(columns.number - 1) + " " * GAP, "dim"),
        (padded(cells.node, columns.node), "dim" if cells.quiet else "plain"),
        *_between(cells.marked, cells.breaks, hit=cells.hit),
    ]
    if columns.edge:
        edge = cells.edge
        if cell_len(edge) > columns.edge:  # the next line tells where it leads
            edge = edge.rpartition(" → ")[0] or edge
        made.append((padded(edge, columns.edge), "bad" if cells.failed else "plain"))
    if columns.took:
        made.append((" " * GAP + cells.took.rjust(columns.took), "dim"))
    if columns.changed:
        made.append((" " * GAP + cells.changed, "plain"))
        room = columns.changed - cell_len(cells.changed)  # a mark may have taken what was left
        if times is not None and columns.bar and room >= 0:
            made.append((" " * (room + GAP), "plain"))
            if cells is TITLES:
                made.append((bar_titles(times, columns.bar), "dim"))
            elif cells.seconds is not None:
                made += bar_spans(int(cells.number), cells.seconds, times, columns.bar)
    return made


def sign_at(node: str | None, breaks: BreakMarks) -> str:
    """Choose the sign of a node's breakpoint; nothing where it has none."""
    sign = breaks.signs.get(node) if node is not None and breaks.signs else None
    return UNICODE.breaks[sign] if sign is not None else ""


def _between(marked: bool, sign: str, *, hit: bool) -> list[Span]:
    """Put the marks of a node between it and its edge, in so many cells as are there for them."""
    pause = UNICODE.pause if marked else ""
    if not sign:
        return [(f" {pause or ' '} ", "title")]
    found: list[Span] = [(" ", "plain"), (pause, "title"), (sign, "warn" if hit else "bad")]
    return [*found, (" " * (AFTER_NODE - 1 - len(pause) - len(sign)), "plain")]


def note_spans(view: RunView, row: Row, changed: list[str], columns: Columns) -> list[Span]:
    """Tell what happened that is not a step."""
    mark = "✗" if row.kind == "attempt" else "·"
    text = happened(row, changed, view.mask)
    name = f"{visible(row.node or '')}  " if row.kind == "attempt" else ""
    return [(mark.rjust(columns.number) + " " * GAP, "dim"), (f"{name}{text}", "dim")]


def live_spans(
    standing: Standing, columns: Columns, marked: bool, breaks: str = "", *, hit: bool = False
) -> list[Span]:
    """Tell where the run stands."""
    role: Role = "bad" if standing.mark == "✗" else "title"
    node = padded(standing.node, columns.node) if columns.edge else standing.node
    text = f"{standing.text}, {_PAUSES}" if marked else standing.text
    return [
        (standing.mark.rjust(columns.number) + " " * GAP, role),
        (node, "title"),
        *_between(marked, breaks, hit=hit),
        (text, role if role == "bad" else "plain"),
    ]


def fact_spans(label: str, text: str, columns: Columns, width: int) -> list[Span]:
    """Put a fact below its step."""
    return [(" " * columns.indent + label.ljust(width), "dim"), (text, "plain")]


def search_text(view: RunView, row: Row, changed: list[str]) -> str:
    """Collect what a row is found by: nodes, edges, outputs, what happened."""
    found = step_cells(view, row, changed)
    if found is None:
        return happened(row, changed, view.mask)
    output = ""
    if row.output is not None:
        output = said(row.output, view.mask)
    elif row.kind == "step":
        output = value_text(view.mask.values(row.updates or {}))
    return f"{found.node} {found.edge} {output}"
