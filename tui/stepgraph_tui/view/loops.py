"""What the loop doctor found, with secrets masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NewType

from stepgraph.expressions import MISSING
from stepgraph.runs import LoopDiagnosis, LoopEdge, LoopOperand, diagnose

if TYPE_CHECKING:
    from stepgraph.expressions import Missing
    from stepgraph.runs import Mask, Run, StepRecord
    from stepgraph.values import Json

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

    def safe(edge: LoopEdge) -> LoopEdge:
        label = None if edge.label is None else mask.text(edge.label)
        operands = tuple(
            LoopOperand(mask.text(each.text), {step: hidden(value) for step, value in each.values.items()})
            for each in edge.operands
        )
        return replace(edge, label=label, condition=mask.text(edge.condition), operands=operands)

    def hidden(value: Json | Missing) -> Json | Missing:
        return value if value is MISSING else mask.value("", value)

    choices = [replace(choice, edges=tuple(map(safe, choice.edges))) for choice in found.choices]
    changed = {mask.text(key): count for key, count in found.changed.items()}
    unchanged = tuple(map(mask.text, found.unchanged))
    return SafeLoop(replace(found, choices=tuple(choices), changed=changed, unchanged=unchanged))
