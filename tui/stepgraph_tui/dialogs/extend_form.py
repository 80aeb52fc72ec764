"""The form that allows a run more steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stepgraph.graphs.parts import MAX_STEPS
from stepgraph_tui.text.plain import place, plural

from .forms.field import Answers, Field
from .forms.form import FormContents, NoteRow
from .forms.formats import Misfit, NumberFormat
from .forms.model import FormKind, FormModel

if TYPE_CHECKING:
    from stepgraph.runs.run import Run


class ExtendForm(FormModel[int]):
    """Asks how many more steps a run may take; nothing runs by it.

    One Enter allows as many again as the graph allows from the start.

    Args:
        run: The run, stopped at its step limit.
    """

    KIND = FormKind("Extend")
    are_examples = True

    def __init__(self, run: Run) -> None:
        self.heading = f"Extend run {run.id}"
        self._steps = Field(
            "more steps",
            NumberFormat(whole=True),
            run.plan.settings.max_steps,
            note=f"It has taken {plural(run.step, 'step')} of {run.max_steps}.",
            required=True,
            accept=_steps,
        )
        waits = NoteRow(f"{place(run.history[-1].next)} comes next, and did not run.")
        self.contents = FormContents([waits, self._steps])

    def result(self, answers: Answers) -> int:
        """Give the number of steps."""
        steps: int = answers.value(self._steps)
        return steps


def _steps(value: Any) -> Any:
    """Take a number that a run can be extended by."""
    if not isinstance(value, int) or not 1 <= value <= MAX_STEPS:
        raise Misfit(f"takes a whole number from 1 to {MAX_STEPS:,}")
    return value
