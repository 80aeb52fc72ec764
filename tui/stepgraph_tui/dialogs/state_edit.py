"""The form that changes the state of a run between two steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stepgraph.expressions import Changes, Missing, Path, path_text, updated, value_at
from stepgraph.stores import RunStatus
from stepgraph.values import UNSET, StateError, StateKey, check_whole, identical
from stepgraph_tui.text.comparison import change_lines
from stepgraph_tui.text.run_list import after_step
from stepgraph_tui.view.runs import StateChanges

from ..text.characters import visible
from .forms.dialog import state_field
from .forms.field import Answers, EmptyField, Field, FormKind, FormModel
from .forms.form import FormContents, NoteRow, Row
from .forms.formats import Misfit, TextFormat

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Run
    from stepgraph.values import Json
    from stepgraph_tui.run_view import RunView

_MOST = 12
"""Lines of a difference that a question has room for."""


@dataclass(frozen=True, slots=True)
class StateEdit:
    """What a person wants changed, and why."""

    changes: Changes
    comment: str = ""


def value_field(view: RunView, path: Path) -> Field:
    """Make the field of a value of the state. One that stays as it was changes nothing.

    A value that is secret, or quotes a secret, is not written into its field.

    Args:
        view: The run.
        path: Where the value is.
    """
    run, mask = view.run, view.mask
    found = value_at(run.values, path)
    value: Json = None if isinstance(found, Missing) else found
    declared = run.plan.keys.get(str(path[0])) if len(path) == 1 else None
    key = replace(declared, name=path_text(path)) if declared is not None else StateKey(path_text(path))
    hidden = key.secret or not identical(value, mask.value(str(path[0]), value))
    if hidden:
        note = "secret: leave it empty to keep it unchanged"
        return state_field(replace(key, secret=True, note=note), None, accept=_kept)
    return state_field(key, value)


def _kept(value: Any) -> Any:
    if value is UNSET:
        raise EmptyField("is empty: type the new value")
    return value


class StateEditForm(FormModel[StateEdit]):
    """Asks for the new value of one part of the state, or shows changes that were made elsewhere, and why.

    What it hands back is shown as a difference and confirmed first. Nothing is changed by the form.

    Args:
        view: The run.
        path: The value to change.
        changes: Changes that were made already, instead of asking for a value.
    """

    KIND = FormKind("Edit", is_edit=True)

    def __init__(self, view: RunView, path: Path | None = None, changes: Changes | None = None) -> None:
        self._run, self._mask = view.run, view.mask
        self._path, self._changes = path, changes
        self._lines: list[str] = []
        what = "the state" if path is None else path_text(path)
        self.heading = f"Edit {what} of run {view.run.id}, {after_step(view.run.step)}"
        self._value = value_field(view, path) if path is not None else None
        self._comment = Field(
            "comment", TextFormat("line"), note="Why; it is kept with the edit.", kind="text, optional"
        )
        rows: list[Row] = [self._value] if self._value is not None else []
        if changes is not None:
            rows += map(NoteRow, _cut(self._told(changes)))
        self.contents = FormContents([*rows, self._comment])

    def _told(self, changes: Changes) -> list[str]:
        updates = checked(self._run.plan, self._run.values, changes)
        return change_lines(StateChanges.of(self._run.values, updates, self._mask), "→")

    def result(self, answers: Answers) -> StateEdit | None:
        """Return the edit; None where nothing is another value."""
        changes = self._changes if self._changes is not None else {}
        if self._value is not None and self._path is not None and answers.has_changed(self._value):
            changes = {self._path: answers.value(self._value)}
        try:
            self._lines = self._told(changes) if changes else []
        except StateError as error:
            raise Misfit(error.message) from None
        comment = answers.value(self._comment)
        return StateEdit(changes, "" if comment is UNSET else comment) if self._lines else None

    @property
    def question(self) -> tuple[str, str] | None:
        """Shows what is changed, and what comes of it."""
        return edit_question(self._run, self._lines) if self._lines else None


def checked(plan: CompiledGraph, values: Mapping[str, Json], changes: Changes) -> dict[str, Json]:
    """Compute the top-level keys that changes set, each as its key may hold it.

    Raises:
        StateError: A path leads nowhere, or a value is refused.
    """
    updates = updated(values, changes)
    return {name: check_whole(plan.keys.get(name), name, value) for name, value in updates.items()}


def edit_question(run: Run, lines: list[str], moved: str = "") -> tuple[str, str]:
    """Ask whether an edit is to be made, and say what it does to a review that waits.

    Args:
        run: The run.
        lines: What it changes.
        moved: What to say first.
    """
    parts = [*([moved] if moved else []), f"Edit the state of run {run.id}?", "\n".join(_cut(lines))]
    if run.status is RunStatus.PAUSED:
        node = visible(run.current or "")
        parts.append(f"The pending review is withdrawn; {node} will ask again with the new state.")
    return "\n\n".join(parts), "Edit"


def _cut(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"and {len(lines) - _MOST:,} more"
