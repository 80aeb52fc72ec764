"""What the loop doctor found, in lines: for the app and for the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from stepgraph.expressions import MISSING
from stepgraph.values import some_of

from .cells import cell_len, cut, padded, wrapped
from .plain import place, plural, value_text
from .run_list import edge_name

if TYPE_CHECKING:
    from stepgraph.expressions import Missing
    from stepgraph.runs import LoopChoice, LoopEdge
    from stepgraph.values import Json
    from stepgraph_tui.view.loops import SafeLoop

NOTHING = "no node came back in the last steps of this run: there is no loop to explain"
_HEAD = 12  # cells of the words before the lines
_LISTED = 12  # nodes and keys
_CELL = 16  # cells of a value
_GAP = 2
_LABEL = 34  # cells before the values
_LEAST = 12  # cells of that where there is little room


def loop_lines(loop: SafeLoop, width: int, arrow: str = "→") -> Iterator[tuple[str, bool]]:
    """Describe a loop in lines of at most ``width`` cells.

    Args:
        loop: What was found.
        width: How many cells.
        arrow: Leads from a node to the next.

    Yields:
        A line, and whether it stands out.
    """
    names = [*loop.cycle, loop.cycle[0]]
    yield from _list_rows("LOOP", f" {arrow} ".join(names), width, bold=True)
    yield from _list_rows("", _extent(loop, arrow), width)
    visits = some_of([f"{node} {count:,}" for node, count in loop.visits.items()], _LISTED)
    yield from _list_rows("VISITS", visits, width)
    changed = [f"{key} {'once' if count == 1 else f'{count:,} times'}" for key, count in loop.changed.items()]
    yield from _list_rows("CHANGED", some_of(changed, _LISTED) or "nothing", width)
    unchanged = list(loop.unchanged)
    yield from _list_rows("UNCHANGED", some_of(unchanged, _LISTED) or "no key: each one changed", width)
    if not loop.choices:
        yield "", False
        yield from _list_rows("", "no node of it has another edge: nothing in the state can end it", width)
    for choice in loop.choices:
        yield "", False
        yield from _choice(choice, width, arrow)
    if loop.more_choices:
        yield "", False
        yield from _list_rows("", f"and {plural(loop.more_choices, 'more node')} with several edges", width)


def _extent(loop: SafeLoop, arrow: str) -> str:
    more = " or more" if loop.is_cut else ""
    rounds = "once" if loop.rounds == 1 else f"{loop.rounds:,} times{more}"
    left = "it has not left the loop"
    if loop.left is not None:
        left = f"left after that: {loop.left[0]} {arrow} {place(loop.left[1])}"
    return f"gone round {rounds}, steps {loop.first:,} to {loop.last:,}; {left}"


def _list_rows(word: str, text: str, width: int, *, bold: bool = False) -> Iterator[tuple[str, bool]]:
    for row in wrapped(text, max(1, width - _HEAD)):
        yield f"{word:<{_HEAD}}{row}", bold
        word = ""


def _choice(choice: LoopChoice, width: int, arrow: str) -> Iterator[tuple[str, bool]]:
    """Put the edges of a node in rows, and its last visits in columns."""
    kept = choice.constant_edge
    course = "went different ways"
    if kept is not None:
        name = _way(kept, choice.count, arrow)
        course = f"kept taking {name}" if choice.count > 1 else f"has one edge: {name}"
    yield from _list_rows("AT", f"{choice.node} {course}", width, bold=True)
    rows = list(_rows(choice, arrow))
    label = min(_LABEL, max(_LEAST, width // 3), max(cell_len(name) for name, *_ in rows))
    widest = min(_CELL, max(cell_len(text) for _, _, cells in rows for text in cells))
    steps = choice.steps[-max(1, (width - label) // (widest + _GAP)) :]
    shown = len(steps)
    numbers = [f"{step:,}" for step in steps]
    for name, bold, cells in [("step", False, numbers), *rows]:
        values = "".join(f"{'':<{_GAP}}{padded(cut(text, widest), widest)}" for text in cells[-shown:])
        yield cut(f"{padded(cut(name, label), label)}{values}", width).rstrip(), bold


def _way(edge: LoopEdge, count: int, arrow: str) -> str:
    name = edge_name(edge.label, edge.condition, edge.number - 1, count)
    return f"{name} {arrow} {place(edge.target)}".lstrip()


def _rows(choice: LoopChoice, arrow: str) -> Iterator[tuple[str, bool, list[str]]]:
    for edge in choice.edges:
        name = _way(edge, choice.count, arrow)
        verdicts = [edge.verdicts.get(step) for step in choice.steps]
        taken = "taken" in verdicts
        yield name, taken, ["TAKEN" if each == "taken" else each or "-" for each in verdicts]
        for operand in edge.operands:
            text = f"  {' '.join(operand.text.split())}"
            yield text, False, [_value(operand.values, step) for step in choice.steps]


def _value(values: dict[int, Json | Missing], step: int) -> str:
    if step not in values:
        return "-"
    value = values[step]
    return "missing" if value is MISSING else value_text(value, 2 * _CELL)


def loop_json(loop: SafeLoop) -> dict[str, Json]:
    """Write what was found as JSON; a value that was missing has no ``value``."""
    return {
        "cycle": [*loop.cycle],
        "rounds": loop.rounds,
        "at_least": loop.is_cut,
        "first_step": loop.first,
        "last_step": loop.last,
        "left": None if loop.left is None else {"node": loop.left[0], "next": loop.left[1]},
        "visits": {**loop.visits},
        "changed": {**loop.changed},
        "unchanged": [*loop.unchanged],
        "choices": [_choice_json(choice) for choice in loop.choices],
        "more_choices": loop.more_choices,
    }


def _choice_json(choice: LoopChoice) -> dict[str, Json]:
    kept = choice.constant_edge
    return {
        "node": choice.node,
        "steps": [*choice.steps],
        "kept": kept.number if kept is not None else None,
        "edges": [
            {
                "number": edge.number,
                "target": edge.target,
                "label": edge.label,
                "condition": edge.condition,
                "verdicts": [edge.verdicts.get(step) for step in choice.steps],
                "operands": [
                    {
                        "text": operand.text,
                        "values": [
                            {"step": step} | ({} if value is MISSING else {"value": value})
                            for step, value in operand.values.items()
                        ],
                    }
                    for operand in edge.operands
                ],
            }
            for edge in choice.edges
        ],
    }
