"""The form that goes on from a past step as a new run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from stepgraph.runs.decision_preview import waypoint
from stepgraph.runs.forking import values_to_fork
from stepgraph.runs.operations import check_id
from stepgraph.values.errors import RunError, StateError
from stepgraph.values.json_values import identical
from stepgraph.values.state import UNSET, StateKey
from stepgraph_tui.text.plain import place, plural, visible
from stepgraph_tui.text.state_text import edit_lines

from .forms.field import Answers, Field
from .forms.form import FormContents, NoteRow
from .forms.formats import Misfit, TextFormat
from .forms.model import FormKind, FormModel
from .forms.of_state import MOST, changes, state_field
from .state_edit import checked

if TYPE_CHECKING:
    from typing import Any

    from stepgraph.values.json_values import Json
    from stepgraph_tui.run_view import RunView

_NAMED = 8
"""Nodes that are named."""


@dataclass(frozen=True, slots=True)
class ForkWanted:
    """What a person wants of a fork."""

    values: dict[str, Json]
    """The keys that were changed; None for one that is taken away."""
    run_id: str | None = None
    """None for one that is made up."""


class ForkForm(FormModel[ForkWanted]):
    """Tells what will run again from a step on, and asks for the fork's state and id. Nothing runs by it.

    Args:
        view: The run.
        at: The step to go on from; 0 is the start, None where the run stands.
    """

    KIND = FormKind("Fork", is_edit=True)

    def __init__(self, view: RunView, at: int | None) -> None:
        self._state = values_to_fork(view.run, at)
        at = view.run.step if at is None else at
        self.heading = f"Fork run {view.run_id} after step {at}"
        self._view, self._at = view, at
        self._again = nodes_again(view, at)
        self._effects = [name for name in self._again if waypoint(view.plan, name).side_effects]
        self._lines: list[str] = []
        names = list(dict.fromkeys([*view.plan.keys, *self._state]))
        self._keys = [self._key_field(name) for name in names[:MOST]]
        self._run_id = Field(
            "run id",
            TextFormat("line"),
            note="The name of the new run; leave it empty to get one.",
            kind="text, optional",
            accept=_run_id,
        )
        notes = [NoteRow(line) for line in self._told()]
        effects = [NoteRow(f"! {self._effects_again}", "effects")] if self._effects else []
        left_out = len(names) - len(self._keys)
        self.contents = FormContents(
            [*notes, *effects, self._run_id],
            self._keys,
            f"Edit the state first: {plural(len(names), 'key')}" if names else "",
            rest=f"and {left_out:,} more, with `stepgraph fork --set`" if left_out else "",
        )

    def _key_field(self, name: str) -> Field:
        key = self._view.plan.keys.get(name) or StateKey(name)
        value = self._state.get(name)
        if key.secret or not identical(value, self._view.mask.value(name, value)):
            return state_field(
                replace(key, secret=True, note="secret: leave it empty to keep it unchanged"), None
            )
        return state_field(key, value)

    def _told(self) -> list[str]:
        following = self._view.record(self._at)
        comes = following.next if following is not None else self._view.plan.start
        lines = [f"{place(comes)} comes next. Run {visible(self._view.run_id)} stays as it is."]
        if self._again:
            lines.append(f"As recorded, these run again: {_listed(self._again)}.")
            lines.append("Another state may lead another way; models and tools may answer otherwise.")
        else:
            lines.append("Nothing was recorded behind this step: nothing runs again.")
        return lines

    @property
    def _effects_again(self) -> str:
        have = "has" if len(self._effects) == 1 else "have"
        return f"{_listed(dict.fromkeys(self._effects, 1))} {have} side effects: they happen again"

    def result(self, answers: Answers) -> ForkWanted:
        """Give what is wanted."""
        values = changes(answers, self._keys)
        try:
            updates = checked(
                self._view.plan, self._state, {(name,): value for name, value in values.items()}
            )
        except StateError as error:
            raise Misfit(error.message) from None
        self._lines = edit_lines(self._view.mask, self._state, updates, "→")
        run_id = answers.value(self._run_id)
        return ForkWanted(updates if self._lines else {}, None if run_id is UNSET else run_id)

    @property
    def question(self) -> tuple[str, str]:
        """Shows what is changed first, and what happens again."""
        parts = [f"Fork run {visible(self._view.run_id)} after step {self._at}?"]
        parts += ["\n".join(self._lines)] if self._lines else []
        parts += [f"{self._effects_again} when the fork gets there."] if self._effects else []
        return "\n\n".join(parts), "Fork"


def nodes_again(view: RunView, at: int) -> dict[str, int]:
    """Count the visits of each node that the run went to behind a step, in the order of the first ones."""
    return dict(Counter(record.node for record in view.steps[at:] if record.node in view.plan.nodes))


def _listed(nodes: dict[str, int]) -> str:
    told = [f"{visible(name)}{f' {count} times' if count > 1 else ''}" for name, count in nodes.items()]
    more = len(told) - _NAMED
    return ", ".join(told[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _run_id(value: Any) -> Any:
    if value is UNSET:
        return value
    try:
        check_id(value)
    except RunError as error:
        raise Misfit(str(error)) from None
    return value.strip()
