"""The loop report: why a run that reached its step limit kept going."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..values.json_values import Json, identical

if TYPE_CHECKING:
    from .records import StepRecord

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
    """Say why a run kept going.

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
