"""Runs line by line: a tree of forks in columns, with a cursor and marks; what is damaged stands first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from textual import events
from textual.message import Message

from stepgraph.runs import Branch, parent_of
from stepgraph.stores import Damage, RunStatus, StoredRun
from stepgraph_tui.text.cells import cell_len, padded, widest
from stepgraph_tui.text.plain import age, place
from stepgraph_tui.text.run_list import DAMAGED, HIGH_RISK, UNKNOWN, branch_text, damage_text, whereabouts

from .lines import LineList, Margins, Role, RowCursor, Span, TextLine

_GAP = "  "
_LEAD = 4  # cells of the cursor and the mark
_AGE = len("23h 59m")
_WIDE = 100  # cells from which on there is room for when a run was started
_LOOKS: dict[RunStatus, Role] = {RunStatus.PAUSED: "warn", RunStatus.FAILED: "bad", RunStatus.READY: "value"}
_LEAST = (("run", 12), ("place", 17), ("graph", 8))
"""Cells without which a column says nothing; the graph is left out before that."""
_GOALS = (
    *_LEAST,
    ("run", 16),
    ("graph", 13),
    ("place", 28),
    ("run", 24),
    ("graph", 99),
    ("run", 99),
)
"""What the columns that may be cut are given one after the other, as far as they need it."""
RunRow: TypeAlias = Branch | Damage
"""What a line shows: a run in the tree, or what cannot be read."""


@dataclass(frozen=True, slots=True)
class _Widths:
    """Cells that the longest text of a column needs."""

    run: int = 0
    """With the lines of the tree before it."""
    graph: int = 0
    status: int = 0
    step: int = 0
    place: int = 0


@dataclass(frozen=True, slots=True)
class _Columns:
    """Cells of the columns; 0 for one that there is no room for."""

    run: int = 0
    graph: int = 0
    status: int = 0
    step: int = 0
    place: int = 0
    started: int = 0


class RunList(LineList, can_focus=True, inherit_bindings=False):
    """Shows runs; one of them has the cursor, as long as there is one at all.

    Args:
        awaits: Tells what a paused run waits for; asked for lines that come into view.
        now: What tells the time, in seconds since 1970.
        driven: Names the runs that are driven in this window.
        workers: Tells how workers are at a run; empty where they do not drive it.
    """

    class Moved(Message):
        """The cursor stands on another run, or on none."""

    class Opened(Message):
        """A run was clicked twice."""

    @dataclass
    class Sorted(Message):
        """The title of a column was clicked that has an order."""

        order: str

    class Folded(Message):
        """The fold mark of the run with the cursor was clicked."""

    def __init__(
        self,
        awaits: Callable[[StoredRun], str],
        now: Callable[[], float],
        driven: Callable[[], Collection[str]] = lambda: (),
        workers: Callable[[str], str] = lambda _: "",
    ) -> None:
        super().__init__(self, margins=self._margins, keep=lambda: self.cursor.keep())
        self.cursor = RowCursor(self, lambda: self.post_message(self.Moved()))
        """Which row the keys are for."""
        self._awaits, self._now, self._driven, self._workers = awaits, now, driven, workers
        self._rows: Sequence[RunRow] = ()
        self._has_forks = False
        self._widest = _Widths()
        self._columns = _Columns()
        self._passing: dict[int, tuple[str, str]] = {}  # what was painted of lines that change by themselves
        self._empty = ""
        self.marked: set[str] = set()
        """The runs that are marked."""

    @property
    def _row(self) -> RunRow | None:
        return self._rows[self.lines.at] if self._rows else None

    @property
    def selected(self) -> Branch | None:
        """The run with the cursor."""
        row = self._row
        return row if isinstance(row, Branch) else None

    @property
    def damage(self) -> Damage | None:
        """What is damaged, where the cursor is on that."""
        row = self._row
        return row if isinstance(row, Damage) else None

    @property
    def branches(self) -> Sequence[Branch]:
        """The runs that are listed, from top to bottom."""
        return [row for row in self._rows if isinstance(row, Branch)]

    def show(self, branches: Sequence[Branch], damages: Sequence[Damage] = (), empty: str = "") -> None:
        """Show other runs, or the same ones as they stand now; the cursor stays on its run, in its row.

        Where that run is gone, the cursor stays as near as it can; at first it is on the first run that can
        be read. What is shown already is not painted.

        Args:
            branches: The runs.
            damages: What cannot be read.
            empty: What is said where there is neither.
        """
        before, self._empty = self._rows, empty
        self._rows = [*damages, *branches]
        ids = [row if isinstance(row, Damage) else row.run.head.id for row in self._rows]
        known, self._widest = self._widest, self._measured()
        if ids == self.cursor.keys and ids and self._widest == known:
            for number, (old, new) in enumerate(zip(before, self._rows, strict=True)):
                if old != new:
                    self.lines.repaint_line(number)
            return
        self.cursor.show(ids, len(damages))

    def _measured(self) -> _Widths:
        """Measure the columns; of the tree as well, whose lines stand before the names."""
        branches = self.branches
        self._has_forks = any(branch.forks for branch in branches)
        runs = [branch.run for branch in branches]
        stands = {(run.pointer.status, run.pointer.current, run.pointer.outcome): run for run in runs}
        steps = {(run.pointer.step, run.pointer.limit): run for run in runs}
        return _Widths(
            _widest("RUN", map(self._named, self._rows)),
            _widest("GRAPH", {run.head.graph for run in runs}),
            len("paused" if len(branches) == len(self._rows) else DAMAGED),
            _widest("STEP", map(_steps, steps.values())),
            _widest("WHERE IT STANDS", (whereabouts(run, HIGH_RISK) for run in stands.values())),
        )

    def _named(self, row: RunRow) -> str:
        if isinstance(row, Damage):
            return f"{'  ' if self._has_forks else ''}{row.run or UNKNOWN}"
        hidden = f" +{row.hidden}" if row.hidden else ""
        return f"{branch_text(row, marks=self._has_forks)}{row.run.head.id}{hidden}"

    # The cursor

    def go_to(self, run_id: str | None) -> bool:
        """Move the cursor to a run; False where it is not listed."""
        at = self.cursor.number_of(run_id)
        if at is not None:
            self.cursor.go_to(at)
        return at is not None

    def go_to_origin(self) -> bool:
        """Move the cursor to the run that the selected one was forked from; False where it is not listed."""
        branch = self.selected
        return branch is not None and bool(branch.rails) and self.go_to(parent_of(branch.run.head))

    def mark(self, run_id: str) -> None:
        """Mark a run, or take its mark away."""
        self.marked ^= {run_id}
        at = self.cursor.number_of(run_id)
        if at is not None:
            self.lines.repaint_line(at)

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked, fold by its mark; open what is clicked twice."""
        at = self.lines.item_at(event.y)
        if at is None:
            order = self._order_at(event.x) if event.y == 0 else None
            if order is not None:
                self.post_message(self.Sorted(order))
            return
        self.cursor.go_to(at)
        branch = self.selected
        end = _LEAD + cell_len(branch_text(branch, marks=True)) if branch is not None else 0
        if branch is not None and branch.forks and end - 2 <= event.x < end:  # the last sign but one
            self.post_message(self.Folded())
        elif event.chain == 2:
            self.post_message(self.Opened())

    def _order_at(self, x: int) -> str | None:
        """Describe what a click on a title sorts by; None where that has no order."""
        columns, start = self._columns, _LEAD
        for order, cells in (
            ("run", columns.run),
            ("graph", columns.graph),
            ("status", columns.status),
            (None, columns.step),
            (None, columns.place),
            ("last started", columns.started),
            ("last changed", _AGE),
        ):
            if start <= x < start + cells:
                return order
            start += cells + len(_GAP) if cells else 0
        return None

    # Painting

    def tick(self) -> None:
        """Paint the lines in view anew on which time is written that has passed, and what is driven now."""
        top = self.lines.top
        for number, row in enumerate(self._rows[top : top + self.size.height], top):
            if isinstance(row, Branch) and self._passing.get(number) not in (None, self._passes(row.run)):
                self.lines.repaint_line(number)

    def fit(self, width: int, height: int) -> int:
        """Share out the columns; names are cut where there is too little room."""
        self._passing.clear()
        wanted = self._widest
        started = _AGE if width >= _WIDE else 0
        fixed = _LEAD + wanted.status + wanted.step + _AGE + (started + len(_GAP) if started else 0)
        room = max(0, width - fixed - 5 * len(_GAP))
        needed = {"run": wanted.run, "place": wanted.place, "graph": wanted.graph}
        if room < sum(min(cells, needed[column]) for column, cells in _LEAST):
            room += len(_GAP)
            needed["graph"] = 0
        cells = dict.fromkeys(needed, 0)
        for column, goal in _GOALS:
            given = min(room, max(0, min(goal, needed[column]) - cells[column]))
            cells[column] += given
            room -= given
        stands = cells["place"] + room
        self._columns = _Columns(cells["run"], cells["graph"], wanted.status, wanted.step, stands, started)
        return len(self._rows)

    def is_cut(self, branch: Branch) -> bool:
        """Check whether the name of a run, or of its graph, is longer than its column."""
        graph = widest([branch.run.head.graph])
        return cell_len(self._named(branch)) > self._columns.run or graph > self._columns.graph

    def _margins(self) -> Margins:
        columns = self._columns
        graph = f"{'GRAPH':{columns.graph}}{_GAP}" if columns.graph else ""
        started = f"{'STARTED':>{columns.started}}{_GAP}" if columns.started else ""
        titles = (
            f"{'':{_LEAD}}{'RUN':{columns.run}}{_GAP}{graph}{'STATUS':{columns.status}}{_GAP}"
            f"{'STEP':>{columns.step}}{_GAP}{'WHERE IT STANDS':{columns.place}.{columns.place}}{_GAP}"
            f"{started}{'CHANGED':>{_AGE}}"
        )
        head = [TextLine([(titles, "dim")])]
        if not self._rows and self._empty:
            head.append(TextLine([(f"{'':{_LEAD}}{self._empty}", "dim")]))
        return head, ()

    def line(self, number: int) -> TextLine:
        """Make the line of a run, or of what is damaged."""
        row = self._rows[number]
        lead: Span = ("▸ " if number == self.lines.at else "  ", "plain")
        if isinstance(row, Damage):
            return TextLine([lead, *self._damaged(row)])
        self._passing[number] = self._passes(row.run)
        return TextLine([lead, *self._spans(row, *self._passing[number])])

    def _damaged(self, damage: Damage) -> Iterator[Span]:
        columns = self._columns
        between = columns.graph + len(_GAP) if columns.graph else 0
        yield f"  {padded(self._named(damage), columns.run)}{_GAP}{'':{between}}", "plain"
        yield DAMAGED, "bad"
        yield f"{_GAP}{'':{columns.step}}{_GAP}{damage_text(damage)}", "dim"

    def _spans(self, branch: Branch, driven: str, times: str) -> Iterator[Span]:
        run, columns = branch.run, self._columns
        status = run.pointer.status
        awaits = self._awaits(run)
        stands = f"{driven}: {place(run.pointer.current)}" if driven else whereabouts(run, awaits)
        place_role: Role = "bad" if awaits == HIGH_RISK or status is RunStatus.FAILED else "plain"
        yield "● " if run.head.id in self.marked else "  ", "title"
        yield padded(self._named(branch), columns.run), "plain"
        if columns.graph:
            yield _GAP + padded(run.head.graph, columns.graph), "dim"
        yield _GAP + f"{status.value:{columns.status}}", _LOOKS.get(status, "dim")
        yield _GAP + _steps(run).rjust(columns.step), "dim"
        yield _GAP + padded(stands, columns.place), place_role
        yield _GAP + times, "dim"

    def _passes(self, run: StoredRun) -> tuple[str, str]:
        """Describe what changes by itself: who drives a run that is ready, and how long ago things were."""
        now = self._now()
        changed = f"{age(now - run.pointer.updated_at):>{_AGE}}"
        if self._columns.started:
            changed = f"{age(now - run.head.created_at):>{_AGE}}{_GAP}{changed}"
        if run.pointer.status is not RunStatus.READY:
            return "", changed
        here = run.head.id in self._driven()
        return "runs here" if here else self._workers(run.head.id), changed


def _widest(title: str, texts: Iterable[str]) -> int:
    return max(cell_len(title), widest(texts))


def _steps(run: StoredRun) -> str:
    return f"{run.pointer.step}/{run.pointer.limit}"
