"""Comparing two runs: how far they went the same way, where they part, and what differs now."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ..values.compare import json_equal
from ..values.json_values import Json, canonical

if TYPE_CHECKING:
    from ..stores.ledger import Row
    from .records import StepRecord
    from .run import Run


class RunComparison(NamedTuple):
    """What is the same in two runs, and what is not."""

    shared: int
    """How many steps both took alike from the start: the same nodes, changes and edges."""
    inputs: list[str]
    """The keys in which they differed before the first step."""
    first: tuple[StepRecord | None, StepRecord | None]
    """The first step of each that the other did not take; None where one did not go on."""
    changes: list[str]
    """The keys that differ after that step and did not before it."""
    state: list[str]
    """The keys that differ where they stand now."""
    edits: tuple[list[Row], list[Row]]
    """The ``edit`` rows of each that the other does not have, up to where they part."""

    @property
    def is_same(self) -> bool:
        """Whether nothing was found that differs."""
        return not (self.inputs or any(self.first) or self.state or any(self.edits))


def compare_runs(left: Run, right: Run) -> RunComparison:
    """Walk two runs step by step until they part.

    Raises:
        StoreError: A store is damaged.
    """
    before = differing(left.values_at(0), right.values_at(0))
    edits = _edits_apart(left, right)
    touched: dict[int, set[str]] = defaultdict(set)
    for row in chain(*edits):
        touched[row.step].update(row.updates or {})
    shared, known, edited = 0, set(before), set[str]()
    for ours, theirs in zip(left.history, right.history, strict=False):
        edited |= touched.get(shared, set())
        same_way = (ours.node, ours.next) == (theirs.node, theirs.next)
        if not same_way or not _change_alike(left, right, ours, theirs, known, edited):
            break
        shared += 1
    first = (_step(left, shared + 1), _step(right, shared + 1))
    changes: list[str] = []
    if first[0] is not None and first[1] is not None:
        after = differing(left.values_at(shared + 1), right.values_at(shared + 1))
        was = set(differing(left.values_at(shared), right.values_at(shared)))
        changes = [key for key in after if key not in was]
    mine, others = ([row for row in rows if row.step <= shared] for rows in edits)
    now = differing(left.values, right.values)
    return RunComparison(shared, before, first, changes, now, (mine, others))


def _edits_apart(left: Run, right: Run) -> tuple[list[Row], list[Row]]:
    """Find the edits of each run that the other does not have at the same step."""
    ours, theirs = (list(run.rows_after(0, ("edit",))) for run in (left, right))
    return _without(ours, theirs), _without(theirs, ours)


def _without(rows: list[Row], others: list[Row]) -> list[Row]:
    left_over = Counter(map(_edit_made, others))
    apart = []
    for row in rows:
        made = _edit_made(row)
        left_over[made] -= 1
        if left_over[made] < 0:
            apart.append(row)
    return apart


def _edit_made(row: Row) -> tuple[int, str]:
    return row.step, canonical(row.updates or {})


def differing(left: Mapping[str, Json], right: Mapping[str, Json]) -> list[str]:
    """List the keys of two states whose values differ, in the order of the first."""
    both = dict.fromkeys((*left, *right))
    return [
        key
        for key in both
        if (key in left) != (key in right) or (key in left and not json_equal(left[key], right[key]))
    ]


def _change_alike(
    left: Run, right: Run, ours: StepRecord, theirs: StepRecord, known: set[str], edited: set[str]
) -> bool:
    """Tell whether two steps changed the same, but for keys that are known to differ."""
    written = {*differing(ours.row.updates or {}, theirs.row.updates or {})}
    written |= {*differing(ours.row.ops or {}, theirs.row.ops or {})}
    if written <= known:
        return True
    # The same change may be written down in two ways; the states tell, and reading them takes longer.
    found = {*differing(left.values_at(ours.step), right.values_at(theirs.step))}
    return found <= known | (edited - written)


def _step(run: Run, number: int) -> StepRecord | None:
    return run.history[number - 1] if number <= run.step else None
