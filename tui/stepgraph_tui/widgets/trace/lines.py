"""The lines of the trace: one for each row of the ledger, details below, and the live line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.runs import PAGE, spending_of

from ...drawing.picture.glyphs import UNICODE
from ...drawing.picture.graph_drawing import edge_texts
from ...drawing.picture.run_marks import NO_BREAKS, BreakMarks
from ...text.calls import cost_text
from ...text.cells import cell_len, padded, shares, widest
from ...text.plain import LONG, place, shortened, took, value_text
from ...text.state_diff import Before
from ...view.runs import StepStory
from ..lines import TextLine
from .texts import edge_taken, happened, start_text

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Timeline
    from stepgraph.stores import Row

    from ...run_view import RunView
    from ..lines import Role, Span
    from .texts import LiveLine


WORK, WAIT = "━", "/"
LEAST, MOST = 6, 24
"""Cells that bars need to say anything, and how many they take at most."""
_APART = 1  # cells between work and waiting


def bar_length(seconds: float, longest: float, width: int) -> int:
    """Count the cells of a bar: the longest takes them all, and what took any time takes one at least."""
    if not seconds > 0 or not longest > 0:
        return 0
    return max(1, min(width, round(min(1.0, seconds / longest) * width)))


def halves(width: int, times: Timeline) -> tuple[int, int]:
    """Share the cells between work and waiting, each with a scale of its own; none for a run without waits.

    A person takes minutes where a node takes milliseconds: on one scale all work would look alike.
    """
    if not times.waits:
        return width, 0
    work = (width - _APART) // 2
    return work, width - _APART - work


def bar_spans(step: int, seconds: float, times: Timeline, width: int) -> list[Span]:
    """Draw how long a step worked, and beside it how long it waited for a person."""
    work, wait = halves(width, times)
    solid = WORK * bar_length(seconds, times.longest_work, work)
    if not wait:
        return [(f"{solid:<{work}}", "dim")]
    hatched = WAIT * bar_length(times.waits.get(step, 0.0), times.longest_wait, wait)
    return [(f"{solid:<{work + _APART}}", "dim"), (f"{hatched:<{wait}}", "warn")]


def bar_titles(times: Timeline, width: int) -> str:
    """Name the bars."""
    work, wait = halves(width, times)
    if wait and work < len("work"):
        return "time"
    return f"{'work':<{work + _APART}}{'waits'[:wait]}" if wait else "work"


GAP = 2
AFTER_NODE = 3
"""Cells between node and edge: room for the mark of a node that the run pauses after."""
_LEAST = 8
"""Cells that a column needs to say anything; below that the next less important one gives way."""
_BESIDE = 12
"""The same beside tokens and cost, which matter less."""
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
    tokens: int = 0
    """Behind the time, where models took any."""
    cost: int = 0

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
    tokens: int = 0
    cost: int = 0

    @classmethod
    def of(cls, plan: CompiledGraph) -> Needs:
        """Measure what a graph's nodes and edges need."""
        texts = edge_texts(plan.edges)
        edges = (
            f"{text} → {place(edge.target)}".lstrip() for text, edge in zip(texts, plan.edges, strict=True)
        )
        return cls(
            widest(plan.nodes),
            max(map(cell_len, edges), default=0),
        )

    def with_step(self, step: StepCells) -> Needs:
        """Add what a step needs."""
        return Needs(
            max(self.node, cell_len(step.node)),
            max(self.edge, cell_len(step.edge)),
            max(self.took, cell_len(step.took)),
            max(self.changed, cell_len(step.changed)),
            max(self.tokens, _needed(step.tokens, TITLES.tokens)),
            max(self.cost, _needed(step.cost, TITLES.cost)),
        )

    def fit(self, width: int, steps: int, graph: Needs) -> Columns:
        """Choose the columns that fit into a pane: what is there first, then what the graph may bring.

        Where there is too little, the longest texts are cut; then tokens, cost, the time and the changes are
        left out, in this order.

        Args:
            width: The pane's, in cells.
            steps: The highest number to be shown.
            graph: What the graph's own names need; they are there from the first, so they move nothing later.
        """
        number = 1 + max(2, len(str(steps)))
        room = max(1, width - number - GAP - AFTER_NODE)
        wanted = self.node, self.edge, self.changed
        numbers = (self.took, self.tokens, self.cost), (self.took, 0, self.cost), (self.took, 0, 0), (0, 0, 0)
        for timed, tokens, cost in dict.fromkeys(numbers):
            rest = room - GAP - sum(GAP + cells for cells in (timed, tokens, cost) if cells)
            widths = shares(rest, wanted, _WEIGHTS)
            if _suffice(widths, wanted, _BESIDE if tokens or cost else _LEAST):
                node, edge, changed = widths
                node += min(max(0, graph.node - node), rest - node - edge - changed)
                edge += min(max(0, graph.edge - edge), rest - node - edge - changed)
                left = rest - node - edge
                bar = min(MOST, left - self.changed - GAP) if timed else 0
                bar = bar if bar >= LEAST else 0
                left -= bar + (GAP if bar else 0)
                return Columns(number, node, edge, timed, left, bar, tokens, cost)
        node, edge = shares(room, wanted[:2])
        if _suffice((node, edge), wanted[:2], _LEAST):
            return Columns(number, node, edge, 0, 0)
        return Columns(number, room, 0, 0, 0)


def _needed(text: str, title: str) -> int:
    """Measure a number below its title; an empty column needs no cell."""
    return max(len(text), len(title)) if text and text != title else 0


def _suffice(widths: Sequence[int], wanted: Sequence[int], least: int) -> bool:
    return all(width >= min(want, least) for width, want in zip(widths, wanted, strict=True))


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
    tokens: str = ""
    """Those that models took."""
    cost: str = ""

    @property
    def _all_texts(self) -> tuple[str, ...]:
        return self.number, self.node, self.edge, self.took, self.tokens, self.cost, self.changed

    @property
    def text(self) -> str:
        """All of it on one line."""
        return "  ".join(filter(None, self._all_texts))


TITLES = StepCells("#", "node", "edge taken", "took", "changed", tokens="tokens", cost="cost")


def step_cells(
    view: RunView,
    row: Row,
    changed: list[str],
    pause_after: frozenset[str] = frozenset(),
    breaks: BreakMarks = NO_BREAKS,
) -> StepCells | None:
    """Find what a step, or the start, says in each column; None for any other row.

    Args:
        view: The run.
        row: One of its rows.
        changed: What it changed, in signs.
        pause_after: The nodes that a continued run stops after.
        breaks: The breakpoints.
    """
    signs = shortened(view.mask.text(" ".join(changed)), LONG)
    if row.kind == "start":
        return StepCells("0", "start", start_text(view), changed=signs, quiet=True)
    record = view.record(row.step) if row.kind == "step" else None
    if record is None:
        return None
    marked = record.node in pause_after
    spent = spending_of(record.calls)
    return StepCells(
        str(record.step),
        record.node,
        edge_taken(StepStory(record, view.mask)),
        took(record.duration),
        "  ".join(filter(None, (_PAUSES if marked else "", signs))),
        failed=record.next is None and record.error is not None,
        marked=marked,
        breaks=sign_at(record.node, breaks),
        hit=breaks.hit == record.node,
        seconds=record.duration,
        tokens=f"{spent.tokens:,}" if spent.tokens else "",
        cost=cost_text(spent) if spent.tokens or spent.cost else "",
    )


def step_spans(
    cells: StepCells, columns: Columns, times: Timeline | None = None, *, viewed: bool = False
) -> list[Span]:
    """Lay a step out in columns.

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
    numbers = (cells.took, columns.took), (cells.tokens, columns.tokens), (cells.cost, columns.cost)
    made += ((" " * GAP + text.rjust(width), "dim") for text, width in numbers if width)
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
    """Put the marks of a node between it and its edge, in the cells that are there for them."""
    pause = UNICODE.pause if marked else ""
    if not sign:
        return [(f" {pause or ' '} ", "title")]
    found: list[Span] = [(" ", "plain"), (pause, "title"), (sign, "warn" if hit else "bad")]
    return [*found, (" " * (AFTER_NODE - 1 - len(pause) - len(sign)), "plain")]


def note_spans(view: RunView, row: Row, changed: list[str], columns: Columns) -> list[Span]:
    """Describe what happened that is not a step."""
    mark = "✗" if row.kind == "attempt" else "·"
    text = happened(view.mask.row(row), [*map(view.mask.text, changed)])
    name = f"{row.node or ''}  " if row.kind == "attempt" else ""
    return [(mark.rjust(columns.number) + " " * GAP, "dim"), (f"{name}{text}", "dim")]


def live_spans(
    live_line: LiveLine, columns: Columns, marked: bool, breaks: str = "", *, hit: bool = False
) -> list[Span]:
    """Describe where the run stands."""
    role: Role = "bad" if live_line.mark == "✗" else "title"
    node = padded(live_line.node, columns.node) if columns.edge else live_line.node
    text = f"{live_line.text}, {_PAUSES}" if marked else live_line.text
    return [
        (live_line.mark.rjust(columns.number) + " " * GAP, role),
        (node, "title"),
        *_between(marked, breaks, hit=hit),
        (text, role if role == "bad" else "plain"),
    ]


def search_text(view: RunView, row: Row, changed: list[str]) -> str:
    """Collect what a row is found by: nodes, edges, outputs, what happened."""
    found = step_cells(view, row, changed)
    if found is None:
        return happened(view.mask.row(row), [*map(view.mask.text, changed)])
    output = ""
    if row.output is not None:
        output = shortened(view.mask.text(row.output), LONG)
    elif row.kind == "step":
        output = value_text(view.mask.values(row.updates or {}))
    return f"{found.node} {found.edge} {output}"


_KEPT = 16  # pages


class RowSigns:
    """The signs of the rows of one run. Only those of the pages that were looked at last are kept.

    Args:
        view: The run.
    """

    def __init__(self, view: RunView) -> None:
        self._view = view
        self._pages: dict[int, tuple[Before, list[list[str]]]] = {}  # the one looked at last comes last

    def __getitem__(self, seq: int) -> list[str]:
        view = self._view
        number, at = divmod(seq - 1, PAGE)
        first = number * PAGE
        page = self._pages.pop(number, None)
        if page is None:
            page = Before(view.store.values(view.run_id, first) if first else {}), []
        before, signs = page
        signs += map(before.of_row, view.rows[first + len(signs) : first + at + 1])
        self._pages[number] = page
        if len(self._pages) > _KEPT:
            del self._pages[next(iter(self._pages))]
        return signs[at]


class TraceLines:
    """The lines of one run. Reading on costs only what is new.

    Args:
        view: The run.
    """

    def __init__(self, view: RunView) -> None:
        self.view = view
        self.signs = RowSigns(view)
        """What each row changed, by its sequence number."""
        self._seen = Needs().with_step(TITLES)  # what the lines need that were in view so far
        self.columns = self._seen.fit(80, 0, Needs())
        """How the lines are divided. Columns grow with what comes into view, and never jump back."""
        self._width, self._needs = 80, Needs()
        self._hidden: list[int] = []  # the rows without a line
        self._others = 0  # how many of the rows that are not steps were read
        self._upto = 0
        self._texts: list[str] = []

    def read(self) -> None:
        """Process the rows that came since."""
        others = self.view.others
        # A failure that is the last thing that happened is what the live line tells.
        self._upto = len(self.view.rows) - (self.view.rows[-1].kind == "attempt")
        # Of a review the decision, or the live line, tells.
        self._hidden += [row.seq for row in others[self._others :] if row.kind == "review"]
        self._others = len(others)

    @property
    def live(self) -> int:
        """The last line: where the run stands."""
        return self._upto - len(self._hidden)

    def _seq(self, line: int) -> int:
        """Find the row that a line shows."""
        hidden = self._hidden
        return line + 1 + bisect_right(range(len(hidden)), line, key=lambda at: hidden[at] - at - 1)

    def _line(self, seq: int) -> int:
        """Find the line that shows a row."""
        return seq - 1 - bisect_left(self._hidden, seq)

    @property
    def height(self) -> int:
        """How many lines there are."""
        return self.live + 1

    def row(self, line: int) -> Row | None:
        """Find the ledger's row that a line shows; None for the live line."""
        return self.view.rows[self._seq(line) - 1] if line < self.live else None

    def line_of(self, step: int | None) -> int:
        """Find the line of a step; the live line for None, and for a step that the trace does not have."""
        known = step is not None and step <= len(self.view.steps)
        return self._line(self.view.seq_of(step)) if step is not None and known else self.live

    def step_of(self, line: int) -> int | None:
        """Find the step that a line belongs to; None for what belongs to the step to come."""
        row = self.row(line)
        return row.step if row is not None and row.step <= len(self.view.steps) else None

    def fit(self, width: int, needs: Needs) -> int:
        """Divide ``width`` cells into columns, and return the height."""
        self._width, self._needs = width, needs
        self.columns = self._fitted()
        return self.height

    def _fitted(self) -> Columns:
        return self._seen.fit(self._width, self.view.run.step, self._needs)

    def see(self, lines: range) -> bool:
        """Account for what comes into view.

        Args:
            lines: Their numbers.

        Returns:
            Whether the columns have changed with it.
        """
        for line in lines:
            if line > self.live:
                continue
            row = self.row(line)
            if row is None:
                cells: StepCells | None = StepCells("", self.view.run.current or "", "")
            else:
                cells = step_cells(self.view, row, self.signs[row.seq])
            if cells is not None:
                self._seen = self._seen.with_step(cells)
        before, self.columns = self.columns, self._fitted()
        return self.columns != before

    # What is shown

    def painted(
        self,
        line: int,
        live_line: Callable[[], LiveLine],
        viewed: int | None,
        pauses: frozenset[str],
        breaks: BreakMarks = NO_BREAKS,
    ) -> TextLine:
        """Build a line.

        Args:
            line: Its number.
            live_line: Tells what the live line says.
            viewed: The step that is viewed, if it is a past one.
            pauses: The nodes that a continued run stops after.
            breaks: The breakpoints.
        """
        row = self.row(line)
        if row is None:
            node = self.view.run.current
            hit = node is not None and node == breaks.hit
            spans = live_spans(live_line(), self.columns, node in pauses, sign_at(node, breaks), hit=hit)
        elif (found := step_cells(self.view, row, self.signs[row.seq], pauses, breaks)) is not None:
            spans = step_spans(found, self.columns, self.view.times, viewed=viewed == row.step)
        else:
            spans = note_spans(self.view, row, self.signs[row.seq], self.columns)
        return TextLine(spans, line, whole=True)

    def text(self, line: int) -> str | None:
        """Write a step, or the start, on one line; None for any other line."""
        row = self.row(line)
        cells = step_cells(self.view, row, self.signs[row.seq]) if row is not None else None
        return cells.text if cells is not None else None

    def texts(self) -> list[str]:
        """Collect what each line but the live one is found by."""
        for seq in map(self._seq, range(len(self._texts), self.live)):
            self._texts.append(search_text(self.view, self.view.rows[seq - 1], self.signs[seq]))
        return self._texts
