"""The forms that start a run: from the beginning, from a past step of another one, or with more steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stepgraph.graphs import MAX_STEPS
from stepgraph.reviews import Gate
from stepgraph.runs import check_id, initial_state, values_to_fork, waypoint
from stepgraph.values import UNSET, RunError, StateError, StateKey, identical, some_of

from ..text.characters import visible
from ..text.comparison import change_lines
from ..text.plain import place, plural
from ..view.runs import StateChanges
from .forms.field import Answers, Field, FormKind, FormModel
from .forms.fields import MOST, changes, input_fields, state_field
from .forms.form import FormContents, NoteRow, Row
from .forms.formats import Misfit, NumberFormat, TextFormat
from .state_edit import checked

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Run
    from stepgraph.stores import Row as LedgerRow
    from stepgraph.values import Json

    from ..run_view import RunView


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


_NAMED = 8
"""Nodes that are named."""


@dataclass(frozen=True, slots=True)
class ForkWanted:
    """What a person wants of a fork."""

    at: int | None
    """The step that it continues from; None where the run stands, edits after its last step included."""
    values: dict[str, Json]
    """The keys that were changed; None for one that is taken away."""
    run_id: str | None = None
    """None for one that is made up."""


class ForkForm(FormModel[ForkWanted]):
    """Tells what will run again from a step on, and asks for the fork's state and id. Nothing runs by it.

    Args:
        view: The run.
        at: The step to go on from; 0 is the start, None where the run stands.
        asks_step: Whether another step can be written.
    """

    KIND = FormKind("Fork", is_edit=True)

    def __init__(self, view: RunView, at: int | None, *, asks_step: bool = False) -> None:
        self._view = view
        self._lines: list[str] = []
        self._run_id = run_id_field("The name of the new run; leave it empty to get one.")
        self._step = Field(
            "after step",
            NumberFormat(whole=True),
            view.run.step if at is None else at,
            note=f"0 is the start; the run has taken {plural(view.run.step, 'step')}.",
            kind="whole number",
            required=True,
            accept=self._accept_step,
            begins=True,
        )
        self._asks_step = asks_step
        self._look_from(at)

    def _look_from(self, at: int | None) -> None:
        """Show what follows a step, and request the state as it was there."""
        view = self._view
        self._at, self._step_number = at, view.run.step if at is None else at
        self._state = values_to_fork(view.run, at)
        self._again = nodes_again(view, self._step_number)
        self._effects = [name for name in self._again if waypoint(view.plan, name).side_effects]
        names = list(dict.fromkeys([*view.plan.keys, *self._state]))
        self._keys = [self._key_field(name) for name in names[:MOST]]
        rows: list[Row] = [NoteRow(line) for line in self._notes()]
        if self._effects:
            rows.append(NoteRow(f"! {self._effects_again}", "effects"))
        after = "" if self._asks_step else f" after step {self._step_number}"
        self.heading = f"Fork run {view.run_id}{after}"
        left_out = len(names) - len(self._keys)
        self.contents = FormContents(
            [self._step, self._run_id, *rows] if self._asks_step else [*rows, self._run_id],
            self._keys,
            f"Edit the state first: {plural(len(names), 'key')}" if names else "",
            rest=f"and {left_out:,} more, with `stepgraph fork --set`" if left_out else "",
        )

    def _accept_step(self, value: Any) -> int:
        """Accept a step that something can go on from."""
        last = self._view.run.step
        if not isinstance(value, int) or not 0 <= value <= last:
            raise Misfit(f"takes a step from 0, the start, to {last:,}")
        why = self._view.dead_end(value)
        if why is not None:
            raise Misfit(f"{why}: take an earlier step")
        return value

    def refilled(self, answers: Answers) -> dict[Field, str] | None:
        """Look at the step that is written now; its state is another one."""
        try:
            at = answers.value(self._step) if self._asks_step else self._step_number
        except Misfit:
            return None
        if at == self._step_number:
            return None
        self._look_from(None if at == self._view.run.step else at)
        return {}

    @property
    def begins_at(self) -> Field | None:
        """What is asked for first."""
        return self._step if self._asks_step else self._run_id

    def _key_field(self, name: str) -> Field:
        key = self._view.plan.keys.get(name) or StateKey(name)
        value = self._state.get(name)
        if key.secret or not identical(value, self._view.mask.value(name, value)):
            return state_field(
                replace(key, secret=True, note="secret: leave it empty to keep it unchanged"), None
            )
        return state_field(key, value)

    def _notes(self) -> list[str]:
        following = self._view.record(self._step_number)
        comes = following.next if following is not None else self._view.plan.start
        lines = [f"{place(comes)} comes next. Run {self._view.run_id} stays as it is."]
        if self._again:
            lines.append(f"These will run again: {_node_counts(self._again)}.")
            lines.append("Another state may lead another way; models and tools may answer differently.")
        else:
            lines.append("Nothing was recorded after this step, so nothing runs again.")
        return lines

    @property
    def _effects_again(self) -> str:
        have = "has" if len(self._effects) == 1 else "have"
        return f"{_node_counts(dict.fromkeys(self._effects, 1))} {have} side effects: they happen again"

    def result(self, answers: Answers) -> ForkWanted:
        """Return what is wanted."""
        values = changes(answers, self._keys)
        try:
            updates = checked(
                self._view.plan, self._state, {(name,): value for name, value in values.items()}
            )
        except StateError as error:
            raise Misfit(error.message) from None
        self._lines = change_lines(StateChanges.of(self._state, updates, self._view.mask), "→")
        return ForkWanted(self._at, updates if self._lines else {}, answers.value(self._run_id))

    @property
    def question(self) -> tuple[str, str] | None:
        """Shows what is changed first, and what happens again; with neither, nothing is asked."""
        parts = ["\n".join(self._lines)] if self._lines else []
        parts += [f"{self._effects_again} when the fork gets there."] if self._effects else []
        if not parts:
            return None
        asked = f"Fork run {self._view.run_id} after step {self._step_number}?"
        return "\n\n".join([asked, *parts]), "Fork"


def nodes_again(view: RunView, at: int) -> dict[str, int]:
    """Count the visits of each node that the run went to after a step, in the order of the first ones.

    A node that has not completed has run as well: it has failed, or what it did waits at a gate after it.
    """
    begun = (row for row in view.others if row.step > view.run.step and _has_run(row))
    nodes = [*(record.node for record in view.steps[at:]), *dict.fromkeys(row.node or "" for row in begun)]
    return dict(Counter(node for node in nodes if node in view.plan.nodes))


def _has_run(row: LedgerRow) -> bool:
    return row.kind == "attempt" or (row.kind == "review" and Gate.side_in(row.data or {}) == "after")


def _node_counts(nodes: dict[str, int]) -> str:
    counts = [f"{visible(name)}{f' {count} times' if count > 1 else ''}" for name, count in nodes.items()]
    return some_of(counts, _NAMED)
