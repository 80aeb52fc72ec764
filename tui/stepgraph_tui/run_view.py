"""Runs as the app looks at them: read anew after each commit, whoever made it, and never driven."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.text.masks import Mask, mask_of

if TYPE_CHECKING:
    from stepgraph.graphs.plan import CompiledGraph
    from stepgraph.reviews.model import Decision
    from stepgraph.runs.records import StepRecord
    from stepgraph.runs.run import Run
    from stepgraph.stores.base import StateStore, StoredRun
    from stepgraph.stores.ledger import Row
    from stepgraph.values.json_values import Json

_KEPT = 8  # past states that are kept: going back and forth between two steps costs nothing


class RunView:
    """What there is to see of a run. Values come out masked: nothing secret reaches a widget.

    A refresh reads only what is new, so a run of many thousand steps can be watched.

    Args:
        store: A connection of the reader's own.
        run_id: The run.

    Raises:
        UnknownRun: There is no such run.
        StoreError: The store is damaged.
    """

    plan: CompiledGraph
    """The graph that the run goes by, as far as it can be shown: nothing in it is bound."""
    run: Run
    """A handle at the version that was read; for reading only."""
    rows: list[Row]
    """The ledger so far. Its values are not masked."""
    definition: str
    """The hash of the definition that the run goes by."""
    mask: Mask
    """Hides the secrets of the run in any other text."""

    def __init__(self, store: StateStore, run_id: str) -> None:
        self.store = store
        self.run_id = run_id
        self.rows = []
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
        """
        stored = self.store.load(self.run_id)
        if stored.pointer.version == self.version:
            return False
        self._read(stored)
        return True

    def _read(self, stored: StoredRun) -> None:
        from stepgraph.runs.history import History  # only where there is a run
        from stepgraph.runs.views import read_run, shown_plan

        head, pointer = stored
        if pointer.definition != self.definition:
            self.plan = shown_plan(self.store, stored)
            self._history = History(self.store, head.id, self.plan)
            self.definition = pointer.definition
        self._history.forget_visits()
        self.rows += self.store.rows(head.id, len(self.rows), pointer.version)
        self.run = read_run(self.store, stored, self._history)
        self.steps: Sequence[StepRecord] = self.run.history
        self.mask = mask_of(self.plan, self.store, head.id)
        self._state_after = lru_cache(_KEPT)(self._state_after_row)

    @property
    def decision(self) -> Decision | None:
        """What a person decided and no step has used yet."""
        last = self.rows[-1]
        if last.kind != "decision" or self.run.status is not RunStatus.READY:
            return None
        from stepgraph.reviews.model import Decision

        return Decision.from_json(last.data or {})

    @property
    def inputs(self) -> dict[str, Json]:
        """What the run was started with, defaults included. Not masked: for a new run, not for the screen."""
        return dict(self.rows[0].updates or {})

    def record(self, step: int) -> StepRecord | None:
        """Give a completed step; None for 0, the start."""
        return self.steps[step - 1] if 1 <= step <= len(self.steps) else None

    def state(self, step: int | None = None) -> dict[str, Json]:
        """Read the masked state after a step (0 is the start), or as it stands now; not to be changed."""
        if step is None:
            return self._state_after(self.version)
        record = self.record(step)
        return self._state_after(record.row.seq if record is not None else 1)

    def state_at(self, seq: int) -> dict[str, Json]:
        """Read the masked state after a row of the ledger; not to be changed."""
        return self._state_after(seq)

    def _state_after_row(self, seq: int) -> dict[str, Json]:
        return self.mask.values(self.store.values(self.run_id, seq))

    def state_before(self, step: int) -> dict[str, Json]:
        """Read the masked state that a step found, edits since the step before included."""
        record = self.record(step)
        return self._state_after(record.row.seq - 1) if record is not None else {}

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
    """A run after one of its steps, or where it stands now. Two are equal when they look the same."""

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

    @property
    def after(self) -> dict[str, Json]:
        """The masked state; not to be changed."""
        return self.view.state(None if self.live else self.step)

    @property
    def before(self) -> dict[str, Json]:
        """The masked state before the step; at the start, nothing."""
        return self.view.state_before(self.step)

    @property
    def next(self) -> str | None:
        """The node that comes next (END included), None where nothing does."""
        if self.live:
            run = self.view.run
            return run.current or (self.record.next if self.record is not None else None)
        return self.record.next if self.record is not None else self.view.plan.start
