"""The loop report: why a run that reached its step limit kept going."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from ..values.json_values import Json, identical

if TYPE_CHECKING:
    from ..conditions import Explanation
    from ..expressions.explaining import Missing
    from .records import EvaluatedEdge, StepRecord
    from .run import Run


LOOK_BACK = 300
"""How many steps at the end are looked at; longer cycles than half of this are not searched for."""


@dataclass(frozen=True, slots=True)
class LoopReport:
    """What repeated, and what never changed while it did."""

    cycle: tuple[str, ...]
    """The nodes that repeated, in order; empty when nothing repeated exactly."""
    visits: dict[str, int]
    """How often each node was visited in the whole run, the most visited first."""
    edge: str | None
    """The edge that kept matching and closed the cycle, as ``source -> target [label]``."""
    unchanged: tuple[str, ...]
    """The state keys that never changed during the repetitions."""

    def __str__(self) -> str:
        parts = []
        if self.cycle:
            parts.append("it kept going round " + " -> ".join([*self.cycle, self.cycle[0]]))
        if self.edge:
            parts.append(f"the edge that kept matching is {self.edge}")
        shown = ", ".join(f"{node} {count}" for node, count in list(self.visits.items())[:8])
        parts.append(f"visits: {shown}")
        if self.unchanged:
            more = " …" if len(self.unchanged) > 8 else ""
            parts.append("never changed: " + ", ".join(self.unchanged[:8]) + more)
        return "; ".join(parts)


def loop_report(
    tail: Sequence[StepRecord],
    visits: Mapping[str, int],
    values_after: Callable[[int], dict[str, Json]],
) -> LoopReport:
    """Explain why a run kept going.

    Args:
        tail: Its last ``LOOK_BACK`` steps.
        visits: How often it visited each node.
        values_after: Gives the state after a ledger row's sequence number.
    """
    nodes = [record.node for record in tail]
    period, repeats = ending_in(nodes)
    most_first = dict(Counter(visits).most_common())
    if period == 0:
        return LoopReport((), most_first, None, ())
    looped = tail[len(tail) - period * repeats :]
    closing = looped[-1]
    winner = next((edge for edge in closing.edges if edge.matched), None)
    edge = f"{closing.node} -> {closing.next} [{winner.description}]" if winner else None
    return LoopReport(tuple(nodes[-period:]), most_first, edge, _unchanged(looped, values_after))


def ending_in(nodes: Sequence[str], end: int | None = None) -> tuple[int, int]:
    """Find the shortest cycle that the nodes end in, and how often it repeats at the end (0 for none).

    Args:
        nodes: Nodes in the order in which they ran.
        end: How many of them count; all of them when None.
    """
    count = len(nodes) if end is None else end
    for period in range(1, count // 2 + 1):
        if nodes[count - 1] != nodes[count - 1 - period]:
            continue
        cycle = nodes[count - period : count]
        repeats = 1
        while (start := count - period * (repeats + 1)) >= 0 and nodes[start : start + period] == cycle:
            repeats += 1
        if repeats > 1:
            return period, repeats
    return 0, 0


def _unchanged(
    looped: Sequence[StepRecord], values_after: Callable[[int], dict[str, Json]]
) -> tuple[str, ...]:
    return tuple(key for key, count in changes(looped, values_after).items() if not count)


def changes(looped: Sequence[StepRecord], values_after: Callable[[int], dict[str, Json]]) -> dict[str, int]:
    """Count the steps that changed each key of the state, those after the first of the steps."""
    current = values_after(looped[0].row.seq)
    changed = dict.fromkeys(current, 0)
    for record in looped[1:]:
        ops = record.row.ops or {}
        for key, value in (record.row.updates or {}).items():
            op = ops.get(key)
            if op == "same" or (op is None and key in current and identical(current[key], value)):
                continue
            changed[key] = changed.get(key, 0) + 1
            current[key] = value
    return changed


_VISITS = 6  # of a node, the last ones
_CHOICES = 4  # nodes whose edges are explained; each value of theirs needs a past state
Verdict = Literal["taken", "false", "failed"]


class Loop(NamedTuple):
    """Nodes that were gone round, as places in a list of nodes."""

    start: int
    """Where the first round begins."""
    period: int
    """How many nodes a round has."""
    rounds: int
    """How often it was gone round without anything between."""
    end: int
    """The place after the last one that belongs to it."""


def last_loop(nodes: Sequence[str]) -> Loop | None:
    """Find what was gone round last.

    A cycle that repeats counts before a node that merely came back once; None where no node came back.
    """
    for end in range(len(nodes), 1, -1):
        period, rounds = ending_in(nodes, end)
        if rounds:
            return Loop(end - period * rounds, period, rounds, end)
    before: dict[str, int] = {}
    found: Loop | None = None
    for at, node in enumerate(nodes):
        if node in before:
            found = Loop(before[node], at - before[node], 1, at + 1)
        before[node] = at
    return found


@dataclass(frozen=True, slots=True)
class LoopOperand:
    """What a condition looked at, visit by visit."""

    text: str
    values: dict[int, Json | Missing]
    """Its value by the number of the step; none for a step that did not ask."""


@dataclass(frozen=True, slots=True)
class LoopEdge:
    """An edge that was tried in the loop."""

    number: int
    """Its place among the edges of the node, from 1."""
    target: str
    label: str | None
    condition: str
    verdicts: dict[int, Verdict]
    """How it came out, by the number of the step; none for a step that did not come to it."""
    operands: tuple[LoopOperand, ...]


@dataclass(frozen=True, slots=True)
class LoopChoice:
    """A node of the loop that could have gone another way."""

    node: str
    steps: tuple[int, ...]
    """Its last visits in the loop, as numbers of steps."""
    count: int
    """How many edges it has."""
    edges: tuple[LoopEdge, ...]
    """Those that were tried."""

    @property
    def constant_edge(self) -> LoopEdge | None:
        """The edge that matched on every one of these visits."""
        return next(
            (edge for edge in self.edges if all(edge.verdicts.get(step) == "taken" for step in self.steps)),
            None,
        )


@dataclass(frozen=True, slots=True)
class LoopDiagnosis:
    """What a run went round, and why."""

    cycle: tuple[str, ...]
    """The nodes of a round, in order."""
    rounds: int
    """How often it was gone round, as far back as was looked."""
    is_cut: bool
    """Whether it may have begun before that."""
    first: int
    """The step that began it."""
    last: int
    """The last step of it."""
    left: tuple[str, str] | None
    """The node and where it led when the run left the loop; None for a run that is still in it."""
    visits: dict[str, int]
    """How often each node was visited in the whole run, the most visited first."""
    choices: tuple[LoopChoice, ...]
    """The nodes of it that could have gone another way, those first that could have left it."""
    more_choices: int
    """How many such nodes are not told of."""
    changed: dict[str, int]
    """How many steps of it changed a key of the state; the most changed first."""
    unchanged: tuple[str, ...]
    """The keys that it never changed."""


def diagnose(
    run: Run,
    steps: Sequence[StepRecord],
    explain: Callable[[EvaluatedEdge], Explanation] = lambda edge: edge.explanation,
) -> LoopDiagnosis | None:
    """Find what a run went round last; None where no node came back in its last ``LOOK_BACK`` steps.

    Args:
        run: The run, as it stands.
        steps: Its completed steps; only the last ones are read.
        explain: Explains an edge: where values are to stay hidden, without them.
    """
    tail = list(steps[-LOOK_BACK:])
    loop = last_loop([record.node for record in tail])
    if loop is None:
        return None
    looped = tail[loop.start : loop.end]
    cycle = tuple(record.node for record in looped[: loop.period])
    choices, more = _choices(looped, frozenset(cycle), explain)
    counts = changes(looped, lambda seq: run.store.values(run.id, seq))
    most_first = sorted(counts, key=lambda key: -counts[key])
    return LoopDiagnosis(
        cycle,
        loop.rounds,
        is_cut=loop.start < loop.period and len(tail) < len(steps),
        first=looped[0].step,
        last=looped[-1].step,
        left=_exit_edge(looped[-1], cycle, len(steps), loop),
        visits=dict(Counter(run.visits).most_common()),
        choices=choices,
        more_choices=more,
        changed={key: counts[key] for key in most_first if counts[key]},
        unchanged=tuple(key for key in counts if not counts[key]),
    )


def _exit_edge(last: StepRecord, cycle: tuple[str, ...], steps: int, loop: Loop) -> tuple[str, str] | None:
    """Name the edge by which the run left the loop."""
    onward = cycle[(loop.end - loop.start) % loop.period]
    if last.next is None or (last.step == steps and last.next == onward):
        return None
    return last.node, last.next


def _choices(
    looped: Sequence[StepRecord], cycle: frozenset[str], explain: Callable[[EvaluatedEdge], Explanation]
) -> tuple[tuple[LoopChoice, ...], int]:
    """Look at the nodes of a loop that could have gone another way, and count those that are left out."""
    last_visits: dict[str, list[StepRecord]] = {}
    for record in looped:
        last_visits.setdefault(record.node, []).append(record)
    found = []
    for node, records in last_visits.items():
        edges = records[-1].edges
        if len(edges) > 1 or any(edge.condition != "always" for edge in edges):
            leaves = any(edge.target not in cycle for edge in edges)
            found.append((not leaves, node, records[-_VISITS:]))
    found.sort(key=lambda each: each[0])  # those that could have left it come first
    choices = tuple(_choice(node, records, explain) for _, node, records in found[:_CHOICES])
    return choices, max(0, len(found) - _CHOICES)


def _choice(
    node: str, records: Sequence[StepRecord], explain: Callable[[EvaluatedEdge], Explanation]
) -> LoopChoice:
    edges: dict[tuple[int, str, str], LoopEdge] = {}
    operands: dict[tuple[int, str, str], dict[str, LoopOperand]] = {}
    count = 0
    for record in records:
        tried = record.edges
        count = len(tried)
        for number, edge in enumerate(tried, 1):
            verdict = _verdict(edge)
            if verdict is None:
                continue
            key = number, edge.target, edge.condition
            seen = edges.setdefault(key, LoopEdge(number, edge.target, edge.label, edge.condition, {}, ()))
            seen.verdicts[record.step] = verdict
            known = operands.setdefault(key, {})
            for part in _operands(explain(edge)):
                known.setdefault(part.text, LoopOperand(part.text, {})).values[record.step] = part.value
    taken = (
        LoopEdge(
            edge.number, edge.target, edge.label, edge.condition, edge.verdicts, (*operands[key].values(),)
        )
        for key, edge in sorted(edges.items())
    )
    return LoopChoice(node, tuple(record.step for record in records), count, tuple(taken))


def _verdict(edge: EvaluatedEdge) -> Verdict | None:
    if edge.error is not None:
        return "failed"
    return None if edge.matched is None else "taken" if edge.matched else "false"


def _operands(part: Explanation) -> Iterator[Explanation]:
    """Find what a condition looked at; a key may also be a whole condition."""
    from ..expressions.explaining import MISSING

    if part.role == "operand" or (part.role == "test" and part.value is not MISSING):
        yield part
    for below in part.parts:
        yield from _operands(below)
