"""Runs as the app looks at them: read again after each commit, whoever made it, and never driven."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

from stepgraph.graphs import END
from stepgraph.runs import Mask
from stepgraph.stores import BigValue, RunStatus, is_big, replaced, version_conflict
from stepgraph.values import StepgraphError

from .text.characters import visible

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.nodes import SourceLines
    from stepgraph.reviews import Decision, Review
    from stepgraph.runs import (
        Departure,
        ModesSaid,
        PredicateCode,
        Run,
        RunMode,
        SpendingReader,
        StepRecord,
        Timeline,
    )
    from stepgraph.stores import Row, StateStore, StoredRun
    from stepgraph.values import Json


Outline: TypeAlias = dict[str, Any]
"""A masked state, in which a BigValue stands for each value that nobody has opened."""

_KEPT = 8  # outlines, and values that were opened: going back and forth between two steps reads nothing


class Outlines:
    """The outlines of a run's states. They come out masked, and so does what is opened in them.

    Args:
        store: Where the run is.
        run_id: The run.
    """

    def __init__(self, store: StateStore, run_id: str) -> None:
        self._store, self._run_id = store, run_id
        self._mask: Mask | None = None
        self._opened: set[BigValue] = set()
        self._read = lru_cache(_KEPT)(self._read_value)
        self._after = lru_cache(_KEPT)(self._outline_after)

    def mask_by(self, mask: Mask) -> None:
        """Hide these secrets from here on: more of the run was read."""
        if mask is not self._mask:
            self._mask = mask
            self._after.cache_clear()

    def between(self, before: int, after: int) -> tuple[Outline, Outline]:
        """Return the states after two rows (no state for 0); what is big in one and not in the other is read.

        Raises:
            StoreError: The store cannot be read.
        """
        one, other = self._after(before) if before else {}, self._after(after)
        return self._beside(one, other), self._beside(other, one)

    def open(self, value: BigValue) -> None:
        """Unfold a value in all outlines from here on.

        Raises:
            StoreError: It cannot be read.
        """
        self._read(value)
        self._opened.add(value)
        self._after.cache_clear()

    def _beside(self, one: Outline, other: Outline) -> Outline:
        """Read what is big of one state where another has something to compare it with."""
        missing = {
            name: self._masked({name: self._read(value)})[name]
            for name, value in one.items()
            if is_big(value) and name in other and not is_big(other[name])
        }
        return {**one, **missing} if missing else one

    def _outline_after(self, seq: int) -> Outline:
        outline = self._store.outline(self._run_id, seq)
        opened = {
            name: self._read(value)
            for name, value in outline.items()
            if is_big(value) and value in self._opened
        }
        return self._masked({**outline, **opened})

    def _read_value(self, value: BigValue) -> Json:
        return self._store.big_value(self._run_id, value.hash)

    def _masked(self, values: Outline) -> Outline:
        return values if self._mask is None else self._mask.values(values)


class RunView:
    """What there is to see of a run. Values come out masked: nothing secret reaches a widget.

    A refresh reads only what is new, so a run of many thousand steps can be watched.

    Args:
        store: A connection of the reader's own.
        run_id: The run.
        sources: Gives the lines of a graph's predicates by the positions of their edges, as far as they were
            imported here; the graph is named by the hash of its definition.

    Raises:
        UnknownRun: There is no such run.
        StoreError: The store is damaged.
    """

    plan: CompiledGraph
    """The run's graph, as far as it can be shown: nothing in it is bound."""
    run: Run
    """A handle at the version that was read; for reading only."""
    rows: Sequence[Row]
    """The ledger so far, read where it is looked at. Its values are not masked."""
    steps: Sequence[StepRecord]
    """The completed steps so far, read where they are looked at."""
    departures: Sequence[Departure]
    """By which way each of them went on."""
    others: Sequence[Row]
    """The rows of the ledger that are not steps."""
    times: Timeline
    """What was spent on work, and on waiting for a person."""
    spending: SpendingReader
    """What its calls to models took and cost."""
    definition: str
    """The hash of the run's definition."""
    outlines: Outlines
    """Its states to look around in."""
    mask: Mask
    """Hides the secrets of the run in any other text."""

    def __init__(
        self,
        store: StateStore,
        run_id: str,
        sources: Callable[[str], Mapping[str | int, SourceLines]] = lambda definition: {},
    ) -> None:
        self.store = store
        self._sources = sources
        self.run_id = run_id
        from stepgraph.runs import PagedRun  # only where there is a run

        self._paged = PagedRun(store, run_id)
        self.rows, self.steps, self.others = self._paged.rows, self._paged.steps, self._paged.others
        self.departures = self._paged.steps.departures
        self.times, self.spending = self._paged.times, self._paged.spending
        self.outlines = Outlines(store, run_id)
        self._taken: dict[tuple[str, int], list[int]] = {}  # the steps that took each edge, as far as counted
        self._counted = 0
        self._said: list[Row] = []  # the rows that say who answers
        self._said_upto = 0  # how many of the rows that are not steps were looked at for them
        self._pending: tuple[int, Review | None] = (0, None)
        self.definition = ""
        self._read(store.load(run_id))

    @property
    def version(self) -> int:
        """How many rows were read; it grows with each commit."""
        return self.run.version

    def refresh(self) -> bool:
        """Read what is new.

        Returns:
            Whether anything was.

        Raises:
            CommitsLost: The run is older than it was: what was read before stays.
            Conflict: It is another one by that id.
        """
        stored = self.store.load(self.run_id)
        if stored.pointer.version == self.version:
            return False
        if stored.pointer.version < self.version:
            if stored.head != self.run.head:
                raise replaced(self.run_id)
            raise version_conflict(self.run_id, self.version, stored.pointer.version)
        self._read(stored)
        return True

    def _read(self, stored: StoredRun) -> None:
        from stepgraph.runs import PredicateCode, read_run, shown_plan

        pointer, before = stored.pointer, len(self.rows)
        if pointer.definition != self.definition:
            self.plan = shown_plan(self.store, stored)
            self.definition = pointer.definition
            self._paged.go_by(self.plan)
            self.mask = Mask(self.plan)
            before = 0
        # Made again with each reading: code that was edited meanwhile is looked up again.
        self._paged.history.code = PredicateCode(self.plan, partial(self._sources, self.definition))
        self._paged.read(pointer.version)
        self.run = read_run(self.store, stored, self._paged.history)
        if self.mask.hides:
            self.mask = self.mask.learned(self.rows[before:])
        self._state_after = lru_cache(_KEPT)(self._state_after_row)
        self.outlines.mask_by(self.mask)

    @property
    def code(self) -> PredicateCode:
        """What is known of its predicates without calling them."""
        return self._paged.history.code

    @property
    def pending(self) -> Review | None:
        """The review that the run waits for, as it was at this version; None too where it cannot be read."""
        version, review = self._pending
        if version != self.version:
            review = None
            with suppress(StepgraphError):
                review = self.run.pending
            self._pending = self.version, review
        return review

    @property
    def decision(self) -> Decision | None:
        """What a person decided and no step has used yet."""
        last = self.rows[-1]
        if last.kind != "decision" or self.run.status is not RunStatus.READY:
            return None
        from stepgraph.reviews import Decision

        return Decision.from_json(last.data or {})

    @property
    def mode(self) -> RunMode:
        """Who answers where a node asks a model or a tool, from here on."""
        return self._modes()[-1][1]

    @property
    def mode_word(self) -> str:
        """Who answers, as the header says it: MIXED where not all steps were answered so."""
        from stepgraph.runs import mode_word

        return mode_word(self._modes(), self.run.step, ended=self.run.status is RunStatus.ENDED)

    def _modes(self) -> ModesSaid:
        from stepgraph.runs import SAYING_MODE, modes_said

        if self._said_upto != len(self.others):
            self._said += [row for row in self.others[self._said_upto :] if row.kind in SAYING_MODE]
            self._said_upto = len(self.others)
        return modes_said(self._said)

    @property
    def inputs(self) -> dict[str, Json]:
        """What the run was started with, defaults included. Not masked: for a new run, not for the screen."""
        return dict(self.rows[0].updates or {})

    def record(self, step: int) -> StepRecord | None:
        """Return a completed step; None for 0, the start."""
        return self.steps[step - 1] if 1 <= step <= len(self.steps) else None

    def dead_end(self, step: int) -> str | None:
        """Explain why no run can go on from a completed step, or from 0, the start; None where one can."""
        record = self.record(step)
        following = record.next if record is not None else self.plan.start
        if following == END:
            return "the run ended there"
        if following is None:
            return "no node comes after this step"
        if following not in self.plan.nodes:
            return f"{visible(following)}, which came next, is not in the graph any more"
        return "the run reached its step limit there" if step >= self.run.max_steps else None

    def seq_of(self, step: int) -> int:
        """Find the sequence number of a completed step's row; of the start row for 0."""
        return self._paged.steps.seq_of(step)

    def state(self, step: int | None = None) -> dict[str, Json]:
        """Read the masked state after a step (0 is the start), or as it is now; not to be changed."""
        if step is None:
            return self._state_after(self.version)
        return self._state_after(self.seq_of(step) if step <= len(self.steps) else 1)

    def state_at(self, seq: int) -> dict[str, Json]:
        """Read the masked state after a row of the ledger; not to be changed."""
        return self._state_after(seq)

    def _state_after_row(self, seq: int) -> dict[str, Json]:
        is_now = seq == self.version
        return self.mask.values(self.run.values if is_now else self.store.values(self.run_id, seq))

    def state_before(self, step: int) -> dict[str, Json]:
        """Read the masked state that a step found, edits since the step before included."""
        record = self.record(step)
        return self._state_after(record.row.seq - 1) if record is not None else {}

    def last_visit(self, node: str, step: int) -> StepRecord | None:
        """Find the last visit of a node once a step was completed; None where there was none."""
        return self._paged.last_visit(node, step)

    def steps_taking(self, node: str, edge: int) -> Sequence[int]:
        """List the steps that took an edge of a node; counting on costs only what is new."""
        for count, record in enumerate(self.steps[self._counted :], self._counted + 1):
            if record.row.error is None:  # else it may be routed again
                self._counted = count
                if record.row.edge is not None:
                    self._taken.setdefault((record.node, record.row.edge), []).append(count)
        return self._taken.get((node, edge), ())

    def last_written(self, key: str, upto: int) -> Row | None:
        """Find the row that last changed a top-level key; None when none did.

        Args:
            key: The key.
            upto: How many rows of the ledger count.
        """
        for at in range(min(upto, len(self.rows)) - 1, -1, -1):
            row = self.rows[at]
            if row.updates and key in row.updates and (row.ops or {}).get(key) != "same":
                return row
        return None


@dataclass(frozen=True, slots=True)
class RunSnapshot:
    """A run after one of its steps, or where it is now. Two are equal when they look the same."""

    view: RunView
    step: int
    """The step that is looked at, 0 for the start."""
    live: bool = True
    """Whether it is where the run stands; otherwise a past step is viewed."""
    version: int = -1
    """The version of the run that was read."""

    @classmethod
    def now(cls, view: RunView) -> RunSnapshot:
        """Look at where the run stands."""
        return cls(view, view.run.step, True, view.version)

    @classmethod
    def at(cls, view: RunView, step: int) -> RunSnapshot:
        """Look at a past step, as near as the run has one."""
        return cls(view, max(0, min(step, view.run.step)), False, view.version)

    @property
    def record(self) -> StepRecord | None:
        """The step; None at the start."""
        return self.view.record(self.step)

    def around(self) -> tuple[Outline, Outline]:
        """Return the outlines of the states before the step (at the start, nothing) and after it.

        Raises:
            StoreError: The store cannot be read.
        """
        view, record = self.view, self.record
        past = view.seq_of(self.step) if self.step <= len(view.steps) else 1
        seq = view.version if self.live else past
        return view.outlines.between(record.row.seq - 1 if record is not None else 0, seq)

    @property
    def next(self) -> str | None:
        """The node that comes next (END included), None where nothing does."""
        if self.live:
            run = self.view.run
            return run.current or (self.record.next if self.record is not None else None)
        return self.record.next if self.record is not None else self.view.plan.start
