"""Runs line by line: a tree of forks in columns, with a cursor and marks; what is damaged is first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stepgraph.runs import Branch, parent_of
from stepgraph.stores import Damage, RunStatus, StoredRun
from stepgraph_tui.text.cells import cell_len, padded, widest
from stepgraph_tui.text.plain import age, place
from stepgraph_tui.text.run_list import DAMAGED, HIGH_RISK, UNKNOWN, branch_text, damage_text, whereabouts

from .lines import AGE, GAP, LEAD, Column, Margins, Role, Span, Table, TextLine

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


class RunList(Table, can_focus=True, inherit_bindings=False):
    """Shows runs; one of them has the cursor, as long as there is one at all.

    Args:
        awaits: Tells what a paused run waits for; asked for lines that come into view.
        now: What tells the time, in seconds since 1970.
        driven: Names the runs that are driven in this window.
        workers: Tells how workers are at a run; empty where they do not drive it.
    """

    def __init__(
        self,
        awaits: Callable[[StoredRun], str],
        now: Callable[[], float],
        driven: Callable[[], Collection[str]] = lambda: (),
        workers: Callable[[str], str] = lambda _: "",
    ) -> None:
        super().__init__()
        self._awaits, self._now, self._driven, self._workers = awaits, now, driven, workers
        self._rows: Sequence[RunRow] = ()
        self._has_forks = False
        self._widest = _Widths()
        self._empty = ""

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
        """Show other runs, or the same ones as they are now; the cursor stays on its run, in its row.

        Where that run is gone, the cursor stays as near as it can; at first it is on the first run that can
        be read. What is shown already is not painted.

        Args:
            branches: The runs.
            damages: What cannot be read.
            empty: The words where there is neither.
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
            _widest("RUN", map(self._run_title, self._rows)),
            _widest("GRAPH", {run.head.graph for run in runs}),
            len("paused" if len(branches) == len(self._rows) else DAMAGED),
            _widest("STEP", map(_steps, steps.values())),
            _widest("WHERE IT STANDS", (whereabouts(run, HIGH_RISK) for run in stands.values())),
        )

    def _run_title(self, row: RunRow) -> str:
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

    def fold_mark(self, number: int) -> range:
        """Find the fold mark of a run that has forks: the last sign but one before its name."""
        row = self._rows[number]
        if not isinstance(row, Branch) or not row.forks:
            return range(0)
        end = LEAD + cell_len(branch_text(row, marks=True))
        return range(end - 2, end)

    # Painting

    def fit(self, width: int, height: int) -> int:
        """Share out the columns; names are cut where there is too little room."""
        self._passing.clear()
        wanted = self._widest
        started = AGE if width >= _WIDE else 0
        fixed = LEAD + wanted.status + wanted.step + AGE + (started + len(GAP) if started else 0)
        room = max(0, width - fixed - 5 * len(GAP))
        needed = {"run": wanted.run, "place": wanted.place, "graph": wanted.graph}
        if room < sum(min(cells, needed[column]) for column, cells in _LEAST):
            room += len(GAP)
            needed["graph"] = 0
        cells = dict.fromkeys(needed, 0)
        for column, goal in _GOALS:
            given = min(room, max(0, min(goal, needed[column]) - cells[column]))
            cells[column] += given
            room -= given
        stands = cells["place"] + room
        columns = {
            "run": Column("RUN", cells["run"], "run"),
            "graph": Column("GRAPH", cells["graph"], "graph"),
            "status": Column("STATUS", wanted.status, "status"),
            "step": Column("STEP", wanted.step, right=True),
            "place": Column("WHERE IT STANDS", stands),
            "started": Column("STARTED", started, "last started", right=True),
            "changed": Column("CHANGED", AGE, "last changed", right=True),
        }
        narrow = {name for name in ("graph", "started") if not columns[name].cells}
        self.columns = {name: column for name, column in columns.items() if name not in narrow}
        return len(self._rows)

    def is_cut(self, branch: Branch) -> bool:
        """Check whether the name of a run, or of its graph, is longer than its column."""
        graph = widest([branch.run.head.graph])
        return cell_len(self._run_title(branch)) > self.cells("run") or graph > self.cells("graph")

    def margins(self) -> Margins:
        """Return the titles; where there are no runs, say so."""
        head = [self.titles]
        if not self._rows and self._empty:
            head.append(TextLine([(f"{'':{LEAD}}{self._empty}", "dim")]))
        return head, ()

    def line(self, number: int) -> TextLine:
        """Build the line of a run, or of what is damaged."""
        row = self._rows[number]
        lead: Span = ("▸ " if number == self.lines.at else "  ", "plain")
        if isinstance(row, Damage):
            return TextLine([lead, *self._damaged(row)])
        return TextLine([lead, *self._spans(row, *self.passing(number))])

    def _damaged(self, damage: Damage) -> Iterator[Span]:
        graph = self.cells("graph")
        between = graph + len(GAP) if graph else 0
        yield f"  {padded(self._run_title(damage), self.cells('run'))}{GAP}{'':{between}}", "plain"
        yield DAMAGED, "bad"
        yield f"{GAP}{'':{self.cells('step')}}{GAP}{damage_text(damage)}", "dim"

    def _spans(self, branch: Branch, driven: str, times: str) -> Iterator[Span]:
        run, cells = branch.run, self.cells
        status = run.pointer.status
        awaits = self._awaits(run)
        stands = f"{driven}: {place(run.pointer.current)}" if driven else whereabouts(run, awaits)
        place_role: Role = "bad" if awaits == HIGH_RISK or status is RunStatus.FAILED else "plain"
        yield "● " if run.head.id in self.marked else "  ", "title"
        yield padded(self._run_title(branch), cells("run")), "plain"
        if cells("graph"):
            yield GAP + padded(run.head.graph, cells("graph")), "dim"
        yield GAP + f"{status.value:{cells('status')}}", _LOOKS.get(status, "dim")
        yield GAP + _steps(run).rjust(cells("step")), "dim"
        yield GAP + padded(stands, cells("place")), place_role
        yield GAP + times, "dim"

    def passes(self, number: int) -> tuple[str, str]:
        """Describe what changes by itself: who drives a run that is ready, and how long ago things were."""
        row = self._rows[number]
        if isinstance(row, Damage):
            return "", ""
        run, now = row.run, self._now()
        changed = f"{age(now - run.pointer.updated_at):>{AGE}}"
        if self.cells("started"):
            changed = f"{age(now - run.head.created_at):>{AGE}}{GAP}{changed}"
        if run.pointer.status is not RunStatus.READY:
            return "", changed
        here = run.head.id in self._driven()
        return "runs here" if here else self._workers(run.head.id), changed


def _widest(title: str, texts: Iterable[str]) -> int:
    return max(cell_len(title), widest(texts))


def _steps(run: StoredRun) -> str:
    return f"{run.pointer.step}/{run.pointer.limit}"
