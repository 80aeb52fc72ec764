"""Runs line by line: a tree of forks in columns, with a cursor and marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from stepgraph.runs.fork_tree import Branch, parent_of
from stepgraph.stores.base import StoredRun
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.text.cells import cell_len, padded
from stepgraph_tui.text.plain import age, visible
from stepgraph_tui.text.run_list import branch_text, whereabouts

from .lines import LineList, Margins, Role, Span, TextLine, Way

_GAP = "  "
_LEAD = 4  # cells of the cursor and the mark
_LEAST = 16  # cells for where a run stands: names are cut before that is
_AGE = len("23h 59m")
_WIDE = 100  # cells from which on there is room for when a run was started
_LOOKS: dict[RunStatus, Role] = {RunStatus.PAUSED: "warn", RunStatus.FAILED: "bad", RunStatus.READY: "value"}


@dataclass(frozen=True, slots=True)
class _Columns:
    run: int
    graph: int
    step: int
    place: int
    started: bool


class RunList(LineList, can_focus=True, inherit_bindings=False):
    """Shows runs; one of them has the cursor, as long as there is one at all.

    Args:
        risk: Tells how risky what a run waits for is; asked for lines that come into view.
        now: What tells the time, in seconds since 1970.
    """

    class Moved(Message):
        """The cursor stands on another run, or on none."""

    class Opened(Message):
        """A run was clicked twice."""

    class Folded(Message):
        """The fold mark of the run with the cursor was clicked."""

    def __init__(self, risk: Callable[[StoredRun], str], now: Callable[[], float]) -> None:
        super().__init__(self, margins=self._margins, keep=lambda: self.lines.select(self.lines.at))
        self._risk, self._now = risk, now
        self._branches: Sequence[Branch] = ()
        self._at: dict[str, int] = {}
        self._has_forks = False
        self._widest = (0, 0, 0)  # cells of a run with its lines, a graph, a step
        self._columns = _Columns(0, 0, 0, 0, False)
        self._ages: dict[int, str] = {}  # as painted, by the line
        self._empty = ""
        self.marked: set[str] = set()
        """The runs that are marked."""

    @property
    def selected(self) -> Branch | None:
        """The run with the cursor."""
        return self._branches[self.lines.at] if self._branches else None

    @property
    def branches(self) -> Sequence[Branch]:
        """What is listed, from top to bottom."""
        return self._branches

    def show(self, branches: Sequence[Branch], empty: str = "") -> None:
        """Show other runs, or the same ones as they stand now; the cursor stays on its run, in its row.

        Where that run is gone, the cursor stays as near as it can. What is shown already is not painted.

        Args:
            branches: The runs.
            empty: What is said where there is none.
        """
        before, self._empty = self._branches, empty
        self._branches = branches
        ids = [branch.run.head.id for branch in branches]
        if ids == list(self._at) and ids and self._measured() == self._widest:
            for number, (old, new) in enumerate(zip(before, branches, strict=True)):
                if old != new:
                    self.lines.repaint_line(number)
            return
        at, row = self.lines.at, self.lines.at - self.lines.top
        gone_from = list(self._at)
        self._at = {run_id: number for number, run_id in enumerate(ids)}
        self._widest = self._measured()
        self.lines.items = [range(number, number + 1) for number in range(len(ids))]
        stays = next((self._at[run_id] for run_id in gone_from[at:] if run_id in self._at), len(ids) - 1)
        was_at_top = self.lines.top == 0
        self.lines.at = max(0, stays) if gone_from else 0
        self.lines.arrange()
        if not was_at_top:
            self.scroll_to(y=max(0, self.lines.at - row), animate=False, force=True)
        self.post_message(self.Moved())

    def _measured(self) -> tuple[int, int, int]:
        """Measure the columns; of the tree as well, whose lines stand before the names."""
        branches = self._branches
        self._has_forks = any(branch.forks for branch in branches)
        return (
            max((cell_len(self._named(branch)) for branch in branches), default=0),
            max(
                (cell_len(visible(graph)) for graph in {each.run.head.graph for each in branches}), default=0
            ),
            max((len(_steps(branch.run)) for branch in branches), default=0),
        )

    def _named(self, branch: Branch) -> str:
        hidden = f" +{branch.hidden}" if branch.hidden else ""
        return f"{branch_text(branch, marks=self._has_forks)}{visible(branch.run.head.id)}{hidden}"

    # The cursor

    def move(self, by: float) -> None:
        """Move the cursor by so many runs, as far as there are any; ``inf`` is the last one."""
        self._go_to(self.lines.at + by)

    def to(self, way: Way) -> None:
        """Move the cursor as a key says."""
        self._go_to(self.lines.place(way))

    def go_to(self, run_id: str | None) -> bool:
        """Move the cursor to a run; False where it is not listed."""
        at = self._at.get(run_id) if run_id is not None else None
        if at is not None:
            self._go_to(at)
        return at is not None

    def go_to_origin(self) -> bool:
        """Move the cursor to the run that the selected one was forked from; False where it is not listed."""
        branch = self.selected
        return branch is not None and bool(branch.rails) and self.go_to(parent_of(branch.run.head))

    def _go_to(self, place: float) -> None:
        if self._branches:
            self.lines.select(place)
            self.post_message(self.Moved())

    def mark(self, run_id: str) -> None:
        """Mark a run, or take its mark away."""
        self.marked ^= {run_id}
        if run_id in self._at:
            self.lines.repaint_line(self._at[run_id])

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked, fold by its mark; open what is clicked twice."""
        at = self.lines.item_at(event.y)
        if at is None:
            return
        self._go_to(at)
        branch = self._branches[at]
        end = _LEAD + cell_len(branch_text(branch, marks=True))  # the mark is the last sign but one
        if branch.forks and end - 2 <= event.x < end:
            self.post_message(self.Folded())
        elif event.chain == 2:
            self.post_message(self.Opened())

    # Painting

    def tick(self) -> None:
        """Paint the lines in view anew on which time is written that has passed."""
        top = self.lines.top
        for number in range(top, min(top + self.size.height, len(self._branches))):
            if number in self._ages and self._ages[number] != self._times(self._branches[number].run):
                self.lines.repaint_line(number)

    def fit(self, width: int, height: int) -> int:
        """Share out the columns; names are cut where there is too little room."""
        self._ages.clear()
        started = width >= _WIDE
        run, graph, step = self._widest
        fixed = _LEAD + len("paused") + step + _AGE + (_AGE + 2 if started else 0) + 5 * len(_GAP)
        room = max(0, width - fixed - _LEAST)
        run = max(len("RUN"), min(run, max(room - graph, room * 3 // 5)))
        graph = max(len("GRAPH"), min(graph, room - run))
        self._columns = _Columns(run, graph, max(len("STEP"), step), 0, started)
        place = max(0, width - fixed - run - graph - (self._columns.step - step))
        self._columns = _Columns(run, graph, self._columns.step, place, started)
        return len(self._branches)

    def _margins(self) -> Margins:
        columns = self._columns
        started = f"{'STARTED':>{_AGE}}{_GAP}" if columns.started else ""
        titles = (
            f"{'':{_LEAD}}{'RUN':{columns.run}}{_GAP}{'GRAPH':{columns.graph}}{_GAP}STATUS{_GAP}"
            f"{'STEP':>{columns.step}}{_GAP}{'WHERE IT STANDS':{columns.place}.{columns.place}}{_GAP}"
            f"{started}{'CHANGED':>{_AGE}}"
        )
        head = [TextLine([(titles, "dim")])]
        if not self._branches and self._empty:
            head.append(TextLine([(f"{'':{_LEAD}}{self._empty}", "dim")]))
        return head, ()

    def line(self, number: int) -> TextLine:
        """Make the line of a run."""
        return TextLine(self._spans(number))

    def _spans(self, number: int) -> Iterator[Span]:
        branch, columns = self._branches[number], self._columns
        run = branch.run
        status = run.pointer.status
        risk = self._risk(run)
        place_role: Role = "bad" if risk == "high" or status is RunStatus.FAILED else "plain"
        self._ages[number] = self._times(run)
        yield "▸ " if number == self.lines.at else "  ", "plain"
        yield "● " if run.head.id in self.marked else "  ", "title"
        yield padded(self._named(branch), columns.run), "plain"
        yield _GAP + padded(visible(run.head.graph), columns.graph), "dim"
        yield _GAP + f"{status.value:6}", _LOOKS.get(status, "dim")
        yield _GAP + _steps(run).rjust(columns.step), "dim"
        yield _GAP + padded(whereabouts(run, risk), columns.place), place_role
        yield _GAP + self._ages[number], "dim"

    def _times(self, run: StoredRun) -> str:
        now = self._now()
        started = f"{age(now - run.head.created_at):>{_AGE}}{_GAP}" if self._columns.started else ""
        return f"{started}{age(now - run.pointer.updated_at):>{_AGE}}"


def _steps(run: StoredRun) -> str:
    return f"{run.pointer.step}/{run.pointer.limit}"
