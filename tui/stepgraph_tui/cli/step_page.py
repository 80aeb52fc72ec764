"""All about one step: what it changed, the state after it, and every edge with the values it looked at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from stepgraph_tui.words.text import clock, place, took, value_text, visible

from .tables import page

if TYPE_CHECKING:
    from stepgraph.runs.records import EvaluatedEdge, StepRecord
    from stepgraph.runs.run import Run
    from stepgraph_tui.words.masks import Mask

    from .output import Output


def show_step(output: Output, run: Run, mask: Mask, number: int) -> None:
    """Print one step; 0 is the start.

    Raises:
        RunError: The run has no such step.
    """
    values = mask.values(run.values_at(number))
    record = run.history[number - 1] if number else None
    if output.as_json:
        from .run_page import step_json

        told: dict[str, Any] = {"step": 0, "node": None, "next": run.trace()["start"]}
        if record is not None:
            told = step_json(record, mask)
            for edge, seen in zip(told["edges"], record.edges, strict=True):
                edge["explanation"] = mask.explanation(seen.explanation).to_json()
        output.data({"run": run.id, **told, "values": values})
        return
    if record is None:
        output.show(page([("run", visible(run.id)), ("step", "0: the start")]))
    else:
        output.show(page(_facts(run, record, mask)))
        output.lines(["", "EDGES", *edge_lines(record, mask)])
    output.lines(["", f"STATE     after step {number}"])
    output.show(page((visible(name), value_text(value)) for name, value in values.items()))


def _facts(run: Run, record: StepRecord, mask: Mask) -> Iterator[tuple[str, str]]:
    yield "run", visible(run.id)
    yield "step", f"{record.step} of {run.step}, visit {record.visit} of {visible(record.node)}"
    yield "ran", f"{clock(record.started_at)}, {took(record.duration)}"
    yield "next", place(record.next)
    if record.error is not None:
        yield "error", visible(mask.text(str(record.error)))
    if record.row.output is not None:
        yield "output", visible(mask.text(record.row.output))
    updates = record.updates
    for name, value in mask.values(updates).items():
        removed = updates[name] is None
        yield "changed", f"{visible(name)} removed" if removed else f"{visible(name)} = {value_text(value)}"


def edge_lines(record: StepRecord, mask: Mask) -> Iterator[str]:
    """List every edge in the order in which it was tried, with the parts of its condition."""
    for number, edge in enumerate(record.edges, 1):
        label = f" {visible(edge.label)}" if edge.label else ""
        yield f"  {number}{label} -> {place(edge.target)}: {_verdict(edge)}"
        for line in mask.explanation(edge.explanation).lines():
            yield f"      {visible(mask.text(line))}"


def _verdict(edge: EvaluatedEdge) -> str:
    if edge.error is not None:
        return "failed"
    return {True: "taken", False: "did not match", None: "not reached"}[edge.matched]
