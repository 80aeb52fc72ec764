"""The form that starts a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stepgraph.graphs import MAX_STEPS
from stepgraph.runs import check_id, initial_state
from stepgraph.values import UNSET, RunError, StateError

from ..text.plain import place, plural
from .forms.field import Answers, Field, FormKind, FormModel
from .forms.fields import MOST, changes, input_fields
from .forms.form import FormContents, NoteRow
from .forms.formats import Misfit, NumberFormat, TextFormat

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Run
    from stepgraph.values import Json


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a new run begins with."""

    values: dict[str, Json]
    """What differs from the defaults, or was given to the form; None takes a default away."""
    run_id: str | None = None
    """None for one that is made up."""


class RunForm(FormModel[RunInputs]):
    """Asks for the inputs of a run. Nothing runs by it.

    With everything filled in, one Enter accepts it.

    Args:
        app: The graph.
        given: Values to begin with, such as the inputs of the run before; defaults are where there are
            none.
        title: The form's heading.
    """

    KIND = FormKind("Start")

    def __init__(
        self, app: CompiledGraph, given: Mapping[str, Json] | None = None, title: str | None = None
    ) -> None:
        self.heading = title if title is not None else f"Start a run of {app.name}"
        self._graph, self._given = app, dict(given or {})
        inputs, others = input_fields(app, self._given)
        self._keys = [*inputs[:MOST], *others[:MOST]]
        self._run_id = run_id_field("The name of the run; leave it empty to get one.")
        nothing = NoteRow("This graph asks for no inputs.")
        keys = f" and {plural(len(others[:MOST]), 'other key')}" if others else ""
        left_out = max(0, len(inputs) - MOST) + max(0, len(others) - MOST)
        self.contents = FormContents(
            inputs[:MOST] or [nothing],
            [self._run_id, *others[:MOST]],
            f"More: the run's id{keys}",
            rest=f"and {left_out:,} more, with `stepgraph run --input`" if others and left_out else "",
        )

    def result(self, answers: Answers) -> RunInputs:
        """Return the inputs of the run."""
        values = {**self._given, **changes(answers, self._keys)}
        try:
            initial_state(self._graph, values)  # what no field could know
        except StateError as error:
            raise Misfit(error.message) from None
        return RunInputs(values, answers.value(self._run_id))


def run_id_field(note: str) -> Field:
    """Build the field for the id of a new run; its value is None where one is to be chosen.

    Args:
        note: What it is for, in a sentence.
    """
    return Field(
        "run id",
        TextFormat("line"),
        note=note,
        kind="text, optional",
        required=True,  # so that an empty field is accepted too, as None
        accept=_run_id,
    )


def _run_id(value: Any) -> str | None:
    """Accept a text that can name a run."""
    if value is UNSET:
        return None
    try:
        check_id(value)
    except RunError as error:
        raise Misfit(str(error)) from None
    return str(value).strip()


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
            note=f"It has taken {plural(run.step, 'step')} of {run.max_steps:,}.",
            required=True,
            accept=_steps,
        )
        waits = NoteRow(f"{place(run.history[-1].next)} comes next, and did not run.")
        self.contents = FormContents([waits, self._steps])

    def result(self, answers: Answers) -> int:
        """Return the number of steps."""
        steps: int = answers.value(self._steps)
        return steps


def _steps(value: Any) -> Any:
    """Accept a number that a run can be extended by."""
    if not isinstance(value, int) or not 1 <= value <= MAX_STEPS:
        raise Misfit(f"takes a whole number from 1 to {MAX_STEPS:,}")
    return value
