"""What the preview of a form tells: names it can use, and how a condition would have come out in a run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from stepgraph.conditions import filed_condition
from stepgraph.expressions import FACTS, step_text, written_key
from stepgraph.runs import routed_at
from stepgraph.stores import replay
from stepgraph.values import ExpressionError, StepgraphError

from ..text.plain import plural

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph, StateGraph
    from stepgraph.runs import StepRecord
    from stepgraph.values import Json

    from ..run_view import RunView


MOST = 200
"""How many visits are asked, from the last one back."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What a condition would have said."""

    matched: int = 0
    failed: int = 0
    """At how many visits it could not be answered, such as for a key that was not there."""
    visits: int = 0
    """How many were asked."""
    bounded: bool = False
    """Whether there were more."""
    python: bool = False
    """Whether it is Python code, which is not called for this."""

    def words(self) -> str:
        """Describe it in one line: ``matched 3 of 7 visits``."""
        if self.python:
            return "Python code is not called to try it"
        if not self.visits:
            return "no visit in the last run to try it with"
        last = "the last " if self.bounded else ""
        text = f"matched {self.matched} of {last}{plural(self.visits, 'visit')}"
        return f"{text}, failed at {self.failed}" if self.failed else text


class Matching:
    """Asks conditions about the visits of a node. What was read for one condition serves the next.

    Args:
        view: The run.
        node: The node whose edges have the conditions.
    """

    def __init__(self, view: RunView, node: str) -> None:
        self._view = view
        found = (record for record in reversed(view.steps) if record.node == node)
        last = list(islice(found, MOST + 1))
        self._bounded = len(last) > MOST
        self._visits = last[MOST - 1 :: -1] if self._bounded else last[::-1]
        self._states: dict[frozenset[str], list[dict[str, Json]]] = {}

    def of(self, when: object) -> Matched:
        """Find how a condition would have come out.

        Args:
            when: The condition as a graph file has it; None for none.
        """
        visits, bounded = len(self._visits), self._bounded
        try:
            condition = filed_condition(when)
        except ExpressionError:  # it fails wherever it is asked
            return Matched(failed=visits, visits=visits, bounded=bounded)
        if condition.kind == "predicate":
            return Matched(visits=visits, bounded=bounded, python=True)
        matched = failed = 0
        for record, values in zip(self._visits, self._values(condition.reads), strict=True):
            try:
                matched += condition.matches(_Visit(self, record, values))
            except StepgraphError:
                failed += 1
        return Matched(matched, failed, visits, bounded)

    def _values(self, keys: frozenset[str]) -> list[dict[str, Json]]:
        """For each visit the keys of the state as its edges found them."""
        if keys not in self._states:
            self._states[keys] = list(self._replayed(keys))
        return self._states[keys]

    def _replayed(self, keys: frozenset[str]) -> list[dict[str, Json]]:
        positions = sorted({at for key in keys for at in self._writers.get(key, ())})
        values: dict[str, Json] = {}
        states, done = [], 0
        for record in self._visits:
            upto = bisect_right(positions, routed_at(record.row) - 1)
            replay(values, (self._view.rows[at] for at in positions[done:upto]), keys)
            states.append(dict(values))
            done = max(done, upto)
        return states

    @cached_property
    def _writers(self) -> dict[str, list[int]]:
        """For each key of the state, the rows that wrote it."""
        found: dict[str, list[int]] = {}
        for at, row in enumerate(self._view.rows):
            for key in row.updates or ():
                found.setdefault(key, []).append(at)
        return found

    @cached_property
    def _steps(self) -> dict[str, list[int]]:
        """For each node, the numbers of its steps."""
        found: dict[str, list[int]] = {}
        for record in self._view.steps:
            found.setdefault(record.node, []).append(record.step)
        return found

    def count(self, node: str, step: int) -> int:
        """Count how often a node was visited up to a step."""
        return bisect_right(self._steps.get(node, []), step)


@dataclass(frozen=True, slots=True)
class _Visit:
    """What conditions read of one visit."""

    matching: Matching
    record: StepRecord
    values: Mapping[str, Any]

    @property
    def step(self) -> int:
        return self.record.step

    @property
    def last_output(self) -> str:
        return self.record.output or ""

    def visit_count(self, node: str) -> int:
        return self.matching.count(node, self.record.step)


def matched(view: RunView, node: str, when: object) -> Matched:
    """Find how a condition would have come out at the last visits of a node.

    Args:
        view: The run.
        node: The node whose edge has the condition.
        when: The condition as a graph file has it; None for none.
    """
    return Matching(view, node).of(when)


_DEEPEST = 3  # parts of a path
_WIDEST = 100  # keys of a table
_MOST = 1_000  # paths that are seen in a state


def names_for(graph: StateGraph | CompiledGraph | None, view: RunView | None = None) -> list[str]:
    """List such names, spelled as in a condition, each once: keys of the state, then facts about the run.

    Args:
        graph: The graph, as far as it can be built.
        view: A run of it, whose state shows what its tables hold.
    """
    names: dict[str, None] = {}
    if graph is not None:
        names |= dict.fromkeys(map(written_key, graph.keys))
        names |= dict.fromkeys(_written_names(graph))
    if view is not None:
        names |= dict.fromkeys(_state_paths(view.state()))
    names |= dict.fromkeys(sorted(FACTS - {"visits"}))
    if graph is not None:
        names |= dict.fromkeys(f"visits{step_text(node)}" for node in graph.nodes)
    return list(names)


def _written_names(graph: StateGraph | CompiledGraph) -> Iterator[str]:
    """Yield what the nodes write, and what is in the tables that they always write."""
    for entry in graph.nodes.values():
        yield from map(written_key, sorted(entry.facts.writes or ()))
        for key, parts in entry.facts.tables.items():
            listed = key in graph.keys and graph.keys[key].reducer == "append"
            yield from (f"{written_key(key)}{'[-1]' if listed else ''}{step_text(part)}" for part in parts)


def _state_paths(values: dict[str, Json]) -> Iterator[str]:
    """Paths into a state, level by level, so that a large table hides no other key."""
    waiting: list[tuple[str, Json]] = [(written_key(key), value) for key, value in values.items()]
    count = 0
    for _ in range(_DEEPEST):
        deeper: list[tuple[str, Json]] = []
        for path, value in waiting:
            yield path
            count += 1
            if count >= _MOST:
                return
            if isinstance(value, dict):
                inside = islice(value.items(), _WIDEST)
                deeper += [(path + step_text(key), item) for key, item in inside]
        waiting = deeper
