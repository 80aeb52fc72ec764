"""What the loop doctor found, with secrets masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NewType

from stepgraph.expressions import MISSING
from stepgraph.runs import LoopDiagnosis, LoopEdge, LoopOperand, diagnose

if TYPE_CHECKING:
    from stepgraph.runs import Mask, Run, StepRecord

SafeLoop = NewType("SafeLoop", LoopDiagnosis)
"""A diagnosis whose secrets are masked."""


def loop_of(run: Run, mask: Mask, steps: Sequence[StepRecord] | None = None) -> SafeLoop | None:
    """Find what a run goes round; None where no node came back in its last steps.

    Args:
        run: The run.
        mask: Hides its secrets.
        steps: Its completed steps, where they are at hand.
    """
    found = diagnose(
        run, run.history if steps is None else steps, lambda edge: mask.explanation(edge.explanation)
    )
    if found is None:
        return None
    choices = [
        replace(choice, edges=tuple(_edge(edge, mask) for edge in choice.edges)) for choice in found.choices
    ]
    changed = {mask.text(key): count for key, count in found.changed.items()}
    unchanged = tuple(map(mask.text, found.unchanged))
    return SafeLoop(replace(found, choices=tuple(choices), changed=changed, unchanged=unchanged))


def _edge(edge: LoopEdge, mask: Mask) -> LoopEdge:
    return replace(
        edge,
        label=None if edge.label is None else mask.text(edge.label),
        condition=mask.text(edge.condition),
        operands=tuple(_operand(operand, mask) for operand in edge.operands),
    )


def _operand(operand: LoopOperand, mask: Mask) -> LoopOperand:
    values = {
        step: value if value is MISSING else mask.value("", value) for step, value in operand.values.items()
    }
    return LoopOperand(mask.text(operand.text), values)
