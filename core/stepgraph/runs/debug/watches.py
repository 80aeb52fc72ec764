"""Watches: expressions that are followed over the steps of a run."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...expressions.evaluate import Getter, compile_value
from ...expressions.explaining import MISSING, Missing
from ...expressions.parsing import parse
from ...expressions.tree import Operand, Path, RunFact, Tree, Visits, operands
from ...stores.base import each_row
from ...stores.ledger import Row, RunStatus, replay
from ...values.errors import BreakpointError, EvaluationError, ExpressionError
from ...values.json_values import Json, copy_json, json_equal, json_line
from .breakpoint import FactsAt
from .compiled import Happening

if TYPE_CHECKING:
    from ..history import History
    from ..run import Run


class LedgerWalk:
    """Walks along the ledger of a run that grows, and goes on where it stopped.

    It is what expressions ask for the past meanwhile (``count``, ``last_output``), as it is at the row that
    was given last.

    Args:
        keys: The top-level keys whose values are wanted.
    """

    def __init__(self, keys: frozenset[str]) -> None:
        self.seq = 0
        """The last row that was read."""
        self.values: dict[str, Json] = {}
        """The state after it, of the wanted keys. It is never changed in place."""
        self._keys = keys
        self._visits: dict[str, int] = {}
        self._last: Row | None = None
        self._history: History | None = None
        self._limit = 0

    def rows(self, run: Run, upto: int | None = None) -> Iterator[Happening]:
        """Yield the new rows; call ``took`` with each, once nobody asks for what was before it.

        Args:
            run: A handle of the run, as it was just read.
            upto: The last row that is wanted; where the handle stands when None.
        """
        self._history = run._history
        pointer = run._image[0]
        if self.seq == 0:  # the step limit at the start: what it is now, without the extensions since
            extensions = run.store.rows(run.id, 0, pointer.version, ("extend",))
            self._limit = pointer.limit - sum(map(_steps_more, extensions))
        for row in each_row(run.store, run.id, self.seq, upto or pointer.version):
            after = replay(dict(self.values), (row,), self._keys) if row.updates else self.values
            comes = None
            if row.kind in ("start", "step", "route"):
                comes = run.plan.start if row.kind == "start" else row.next
                ended = row.seq == pointer.version and run.status is not RunStatus.READY
                if row.error is not None or row.step >= self._limit or ended or comes not in run.plan.nodes:
                    comes = None
            elif row.kind == "extend":
                self._limit += _steps_more(row)
            yield Happening(row, self.values, after, comes)
            self.seq, self.values = row.seq, after

    def took(self, row: Row) -> None:
        """Count a row as past."""
        if row.kind == "step":
            node = row.node or ""
            self._visits[node] = self._visits.get(node, 0) + 1
            self._last = row

    def count(self, node: str, upto: int | None = None) -> int:
        """Count the visits of a node so far."""
        return self._visits.get(node, 0)

    def last_output(self, upto: int) -> str:
        """Return what the last node put out so far."""
        if self._last is None or self._history is None:
            return ""
        return self._history.output(self._last)


def _steps_more(row: Row) -> int:
    steps = (row.data or {}).get("steps")
    return steps if isinstance(steps, int) else 0


Hide = Callable[[str, Json], Json]
"""Gives what may be shown of a value; the first argument is the top-level key of the state that it is of."""


@dataclass(frozen=True, slots=True)
class WatchedValue:
    """What a watch has at one place: a value, or why it has none."""

    value: Json | Literal[Missing.MISSING] = MISSING
    """MISSING where there is none; never to be changed."""
    error: str | None = None
    """Why there is no value, for people."""

    def equals(self, other: WatchedValue) -> bool:
        """Check whether both show the same: as JSON, or the same lack."""
        if self.value is MISSING or other.value is MISSING:
            return self.value is other.value
        return json_equal(self.value, other.value)

    def preview(self, limit: int = 60) -> str:
        """Write it on one line."""
        return json_line(self.value, limit) if self.value is not MISSING else self.error or ""

    def to_json(self) -> dict[str, Json]:
        """Write it as JSON: ``value``, or ``error``."""
        return {"error": self.error} if self.value is MISSING else {"value": copy_json(self.value)}


@dataclass(frozen=True)
class Watch:
    """An expression that is followed. Its text may be wrong: then it says so wherever it is asked."""

    text: str
    """Written as conditions are: a path such as ``order.amount``, a comparison, ``visits.draft``, …"""
    id: str = ""
    """Its name in the place where it is kept; empty for one that is kept nowhere."""
    enabled: bool = field(default=True, compare=False)
    """Whether its changes are places to stop at in the past of a run; it is shown in any case."""

    @cached_property
    def _tree(self) -> Tree | ExpressionError:
        try:
            return parse(self.text)
        except ExpressionError as error:
            return error

    @cached_property
    def _get(self) -> Getter:
        assert not isinstance(self._tree, ExpressionError)  # asked for only then  # noqa: S101
        return compile_value(self._tree)

    @property
    def problem(self) -> str:
        """What is wrong with its text; empty when it can be asked."""
        return str(self._tree) if isinstance(self._tree, ExpressionError) else ""

    def require(self) -> None:
        """Refuse a text that can never be asked.

        Raises:
            BreakpointError: It does not parse; the message has a caret at the place.
        """
        if not self.text.strip():
            hint = "write what to follow, such as order.amount or visits.draft > 2"
            raise BreakpointError("a watch has no text", hint=hint)
        if isinstance(self._tree, ExpressionError):
            caret = self._tree.caret()
            message = f"the watch {self.text!r} does not parse: {self._tree.message}"
            raise BreakpointError(f"{message}\n{caret}" if caret else message, hint=self._tree.hint)

    @cached_property
    def reads(self) -> frozenset[str]:
        """The top-level keys of the state that it reads."""
        return frozenset(part.key for part in self._operands if isinstance(part, Path))

    @cached_property
    def asks_run(self) -> bool:
        """Whether it asks for more than the state: ``step``, ``visits``, ``last_output``."""
        return any(isinstance(part, (RunFact, Visits)) for part in self._operands)

    @property
    def _operands(self) -> Sequence[Operand]:
        return [] if isinstance(self._tree, ExpressionError) else operands(self._tree)

    @property
    def key(self) -> str:
        """The top-level key that its value is of; empty when it is of no one key."""
        return self._tree.key if isinstance(self._tree, Path) else ""

    def of(self, facts: FactsAt) -> WatchedValue:
        """Compute it; it never raises."""
        if isinstance(self._tree, ExpressionError):
            return WatchedValue(error=self.problem)
        try:
            return WatchedValue(self._get(facts))
        except EvaluationError as error:
            return WatchedValue(error=error.message)

    def hidden(self, value: WatchedValue, hide: Hide) -> WatchedValue:
        """Return what may be shown of a value of this watch; an error may quote all that the watch reads."""
        if value.value is not MISSING:
            return WatchedValue(hide(self.key, value.value))
        error: Json = value.error
        for key in self.reads:
            error = hide(key, error)
        return WatchedValue(error=str(error))


class WatchReading(NamedTuple):
    """A watch at one step of a run."""

    watch: Watch
    now: WatchedValue
    before: WatchedValue | None
    """After the step before; None at the start."""

    @property
    def is_changed(self) -> bool:
        """Whether the step changed it."""
        return self.before is not None and not self.now.equals(self.before)

    def hidden(self, hide: Hide) -> WatchReading:
        """Return what may be shown of it."""
        watch, now, before = self
        return WatchReading(watch, watch.hidden(now, hide), before and watch.hidden(before, hide))

    def to_json(self) -> dict[str, Json]:
        """Write it as JSON."""
        before = self.before.to_json() if self.before is not None else None
        return {"watch": self.watch.text, "now": self.now.to_json(), "before": before}


def read_watches(run: Run, watches: Sequence[Watch], step: int | None = None) -> list[WatchReading]:
    """Read watches at a step of a run, and at the one before; two states are rebuilt, however many there are.

    Args:
        run: The run.
        watches: The watches.
        step: The step; 0 is the start, None where the run stands, edits after its last step included.

    Raises:
        RunError: The run has no such step.
    """
    history = run._history
    if step is not None:
        run.require_step(step)
    seq = run.version if step is None else history.seq_of(step)
    at = run.step if step is None else step
    values = run.values if step is None else history.values(seq)
    now = FactsAt(values, at, history, seq)
    if at == 0:
        return [WatchReading(watch, watch.of(now), None) for watch in watches]
    earlier = history.seq_of(at - 1)
    before = FactsAt(history.values(earlier), at - 1, history, earlier)
    return [WatchReading(watch, watch.of(now), watch.of(before)) for watch in watches]


class WatchPoint(NamedTuple):
    """A step after which a watch had a new value, which it kept until the next point."""

    step: int
    text: str
    """The value on one line, or why there is none."""
    number: float | int | None
    """The value itself where it is a number, for bars and curves."""
    is_error: bool


class WatchStrip:
    """The values of one watch over the steps of a run, of which only the changes are kept."""

    def __init__(self, watch: Watch) -> None:
        self.watch = watch
        self.points: list[WatchPoint] = []
        """The changes in order; the first is what it was at the start."""
        self.edited: set[int] = set()
        """Of the steps that changed it, those before which an edit had made it so already."""
        self._last: WatchedValue | None = None
        self._edit: WatchedValue | None = None  # what it is by an edit since the last step
        self._changes = array("Q")

    def at(self, step: int) -> WatchPoint:
        """Return the value after a step."""
        return self.points[bisect_right(self.points, step, key=lambda point: point.step) - 1]

    @property
    def changes(self) -> Sequence[int]:
        """The steps that changed it, in order; what it was at the start is not a change."""
        return self._changes

    def edit(self, value: WatchedValue) -> None:
        """Record its value after an edit between two steps."""
        self._edit = value

    def add(self, step: int, value: WatchedValue, hide: Hide | None) -> None:
        """Record its value after a step."""
        edit, self._edit = self._edit, None
        if self._last is not None and value.equals(self._last):
            return
        if self._last is not None:
            self._changes.append(step)
            if edit is not None and value.equals(edit):
                self.edited.add(step)
        self._last = value
        shown = value if hide is None else self.watch.hidden(value, hide)
        number = (
            shown.value if isinstance(shown.value, (int, float)) and type(shown.value) is not bool else None
        )
        self.points.append(WatchPoint(step, shown.preview(), number, shown.value is MISSING))


class WatchHistory:
    """The strips of some watches, read from a run's ledger; each reading costs what is new.

    Args:
        watches: The watches.
        hide: Gives what may be shown of a value; all of it when None.
    """

    def __init__(self, watches: Sequence[Watch], hide: Hide | None = None) -> None:
        self.strips = [WatchStrip(watch) for watch in watches]
        """One for each watch, in their order."""
        self.hide = hide
        """Gives what may be shown from the next reading on; may be replaced when more is to be hidden."""
        self._walk = LedgerWalk(frozenset().union(*(watch.reads for watch in watches)))
        self._stale: set[str] = set()  # keys that were changed since the last step

    def read(self, run: Run) -> WatchHistory:
        """Advance to where a run is now, as its handle has it; returns itself."""
        walk, stale = self._walk, self._stale
        for happened in walk.rows(run):
            row = happened.row
            walk.took(row)
            stale.update(row.updates or ())
            if row.kind not in ("start", "step", "edit"):
                continue
            facts = FactsAt(happened.after, row.step, walk, row.seq)
            for strip in self.strips:
                watch = strip.watch
                if row.kind == "edit":
                    if not watch.reads.isdisjoint(row.updates or ()):
                        strip.edit(watch.of(facts))
                    continue
                if watch.asks_run or row.kind == "start" or not watch.reads.isdisjoint(stale):
                    strip.add(row.step, watch.of(facts), self.hide)
            if row.kind != "edit":
                stale.clear()
        return self
