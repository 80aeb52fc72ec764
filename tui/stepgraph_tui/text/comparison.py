"""Two runs beside each other, in words: how far they went the same way, where they part, what differs now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from stepgraph.runs import RunComparison, compare_runs, mask_of, open_run, origin_text, parent_of

from ..view.runs import EditStory, RunStory
from .plain import WHOLE, clock, key_text, place, plural, value_text
from .run_list import run_status, way_text
from .state_diff import difference_lines, parted

if TYPE_CHECKING:
    from stepgraph.runs import Run, StepRecord
    from stepgraph.stores import StateStore
    from stepgraph.values import Json

    from ..view.runs import StateChanges


def told_edits(edits: Iterable[EditStory], arrow: str = "->") -> Iterator[tuple[str, list[str]]]:
    """Describe when each edit was made, by whom and why, and line by line what it changed."""
    for edit in edits:
        why = f": {edit.comment}" if edit.comment else ""
        heading = f"after step {edit.step}, {clock(edit.at)}, by {edit.by or 'somebody'}{why}"
        yield heading, change_lines(edit.changes, arrow)


def change_lines(changes: StateChanges, arrow: str = "->") -> list[str]:
    """Describe what an edit changes, a line each: ``~ order.amount 240 -> 90``, ``~ token (secret)``.

    Args:
        changes: What it changes.
        arrow: What is between an old value and the new one.
    """
    lines = difference_lines(changes.touched, changes.becomes, arrow)
    return [*lines, *(f"~ {key} (secret)" for key in changes.hidden)]


def edits_json(edits: Iterable[EditStory]) -> Iterator[dict[str, Any]]:
    """Write edits as JSON; null is a key that was taken away."""
    for edit in edits:
        yield {
            "step": edit.step,
            "at": edit.at,
            "by": edit.by,
            "comment": edit.comment,
            "updates": edit.updates,
        }


_LONGEST = 200  # characters of a value


class ComparedRuns:
    """Two runs as they were read, and what differs between them.

    Args:
        store: Where both are.
        left: A run.
        right: Another one.

    Raises:
        StepgraphError: One of them cannot be read.
    """

    def __init__(self, store: StateStore, left: str, right: str) -> None:
        self.runs = (open_run(store, left), open_run(store, right))
        self._masks = tuple(mask_of(run.plan, store, run.id) for run in self.runs)
        self._stories = tuple(RunStory(*parts) for parts in zip(self.runs, self._masks, strict=True))
        self.found: RunComparison = compare_runs(*self.runs)

    def lines(self) -> Iterator[str]:
        """Describe it line by line, each safe to print; headings are at the left."""
        left, right = self.runs
        width = max(len(run.id) for run in self.runs)
        for run in self.runs:
            graph = f"{run.head.graph}@{run.definition[:8]}"
            yield f"{run.id:{width}}  {graph}, {run_status(run)}"
        for run, other in ((left, right), (right, left)):
            if parent_of(run.head) == other.id:
                yield f"{run.id} was forked from {origin_text(run.head, ' after step ')}."
        if left.definition != right.definition:
            is_one = left.head.graph == right.head.graph
            yield f"They use different {'versions of the graph' if is_one else 'graphs'}."
        yield ""
        yield from self._way(width)
        yield from self._edits()
        yield from self._values("INPUTS", "no input differs", self.found.inputs, self._states_at(0))
        yield from self._values("STATE NOW", "no key differs", self.found.state, self._states_now())

    def _way(self, width: int) -> Iterator[str]:
        found = self.found
        if found.shared:
            yield (
                f"SAME      the first {plural(found.shared, 'step')}"
                if found.shared > 1
                else "SAME      step 1"
            )
        if not any(found.first):
            yield "DIVERGE   never: identical steps"
            yield ""
            return
        yield f"DIVERGE   at step {found.shared + 1}"
        for run, record in zip(self.runs, found.first, strict=True):
            yield f"  {run.id:{width}}  {_taken_way(record, run)}"
        yield ""
        if all(found.first):
            states = self._states_at(found.shared + 1)
            yield from self._values("AFTER IT", "", found.changes, states)

    def _edits(self) -> Iterator[str]:
        """List the edits by hand that only one of the runs has."""
        if not any(self.found.edits):
            return
        yield "EDITED    one of them only"
        for run, edits in zip(self.runs, self._told_edits(), strict=True):
            for heading, changes in told_edits(edits, "→"):
                yield f"  {run.id}  {heading}"
                yield from (f"      {change}" for change in changes)
        yield ""

    def _told_edits(self) -> list[list[EditStory]]:
        """Mask the edits by hand that only one of the runs has, for each run."""
        return [
            [EditStory(RunStory(run, mask), row) for row in rows]
            for run, mask, rows in zip(self.runs, self._masks, self.found.edits, strict=True)
        ]

    def _states_at(self, step: int) -> tuple[dict[str, Json], dict[str, Json]]:
        left, right = self._stories
        return left.values_at(step), right.values_at(step)

    def _states_now(self) -> tuple[dict[str, Json], dict[str, Json]]:
        left, right = self._stories
        return left.values, right.values

    def _values(
        self, heading: str, none: str, keys: Sequence[str], states: tuple[dict[str, Json], dict[str, Json]]
    ) -> Iterator[str]:
        """List keys, each with its value in both runs."""
        if not keys:
            if none:
                yield f"{heading:9} {none}"
                yield ""
            return
        yield f"{heading:9} {plural(len(keys), 'key')} {'differs' if len(keys) == 1 else 'differ'}"
        width = max(len(run.id) for run in self.runs)
        for key in keys:
            yield f"  {key_text(key)}"
            left, right = (_value(key, state) for state in states)
            for run, text in zip(self.runs, parted(left, right, _LONGEST), strict=True):
                yield f"    {run.id:{width}}  {text}"
        yield ""

    def to_json(self) -> dict[str, Any]:
        """Write it as data, secrets masked."""
        found, (left, right) = self.found, self.runs
        sides = ("left", "right")
        return {
            **{side: run.id for side, run in zip(sides, self.runs, strict=True)},
            "same_definition": left.definition == right.definition,
            "same": found.is_same,
            "shared_steps": found.shared,
            "parts_at": found.shared + 1 if any(found.first) else None,
            "steps": {
                side: None if record is None else {"node": record.node, "next": record.next}
                for side, record in zip(sides, found.first, strict=True)
            },
            "changes": found.changes,
            "edits": {
                side: list(edits_json(edits)) for side, edits in zip(sides, self._told_edits(), strict=True)
            },
            "inputs": self._json(found.inputs, self._states_at(0)),
            "state": self._json(found.state, self._states_now()),
        }

    def _json(self, keys: Sequence[str], states: tuple[dict[str, Json], dict[str, Json]]) -> dict[str, Any]:
        return {
            key: {side: state.get(key) for side, state in zip(("left", "right"), states, strict=True)}
            for key in keys
        }


def _value(key: str, state: dict[str, Json]) -> str:
    return value_text(state[key], WHOLE) if key in state else "not there"


def _taken_way(record: StepRecord | None, run: Run) -> str:
    """Describe which way a run went in a step: ``review  1 approved → pay``."""
    if record is None:
        return f"has not gone on: {run_status(run)}"
    edges = record.edges
    taken = next((at for at, edge in enumerate(edges) if edge.matched), None)
    if taken is None:
        return f"{record.node}  no edge matched"
    edge = edges[taken]
    way = way_text(edge.label, edge.condition, edge.target, taken, len(edges))
    return f"{record.node}  {way}" if way else f"{record.node} → {place(record.next)}"
