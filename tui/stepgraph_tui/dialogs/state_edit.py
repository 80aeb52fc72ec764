"""The form that changes the state of a run between two steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stepgraph.expressions import Changes, Missing, Path, path_text, updated, value_at
from stepgraph.stores import RunStatus
from stepgraph.values import UNSET, StateError, StateKey, check_whole, identical
from stepgraph_tui.text.comparison import change_lines
from stepgraph_tui.text.conversation import (
    ROLES,
    ChatMessage,
    conversation_of,
    edited,
    has_one_text,
    new_message,
    results_of,
)
from stepgraph_tui.text.plain import plural, shortened
from stepgraph_tui.text.run_list import after_step
from stepgraph_tui.view.runs import RunStory, StateChanges

from ..text.characters import visible
from .forms.field import Answers, EmptyField, Field, FormKind, FormModel
from .forms.fields import state_field
from .forms.form import FormContents, NoteRow, Row
from .forms.formats import ChoiceFormat, Misfit, TextFormat

if TYPE_CHECKING:
    from stepgraph.graphs import CompiledGraph
    from stepgraph.runs import Run
    from stepgraph.values import Json
    from stepgraph_tui.run_view import RunView

_SAID = 120
"""Characters of a message that a question has room for."""
_MOST = 12
"""Lines of a difference that a question has room for."""


@dataclass(frozen=True, slots=True)
class StateEdit:
    """What a person wants changed, and why."""

    changes: Changes
    comment: str = ""


def value_field(view: RunView, path: Path) -> Field:
    """Build the field of a value of the state. One that stays as it was changes nothing.

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
        return state_field(replace(key, secret=True, note=note), None, accept=_require_value)
    return state_field(key, value)


def _require_value(value: Any) -> Any:
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
        self._story = RunStory(view.run, view.mask)
        self._path, self._changes = path, changes
        self._lines: list[str] = []
        what = "the state" if path is None else path_text(path)
        self.heading = f"Edit {what} of run {view.run.id}, {after_step(view.run.step)}"
        self._value = value_field(view, path) if path is not None else None
        self._comment = comment_field()
        rows: list[Row] = [self._value] if self._value is not None else []
        if changes is not None:
            rows += map(NoteRow, _first_lines(self._describe_changes(changes)))
        self.contents = FormContents([*rows, self._comment])

    def _describe_changes(self, changes: Changes) -> list[str]:
        return describe_changes(self._story, changes)

    def result(self, answers: Answers) -> StateEdit | None:
        """Return the edit; None where nothing is another value."""
        changes = self._changes if self._changes is not None else {}
        if self._value is not None and self._path is not None and answers.has_changed(self._value):
            changes = {self._path: answers.value(self._value)}
        try:
            self._lines = self._describe_changes(changes) if changes else []
        except StateError as error:
            raise Misfit(error.message) from None
        comment = answers.value(self._comment)
        return StateEdit(changes, "" if comment is UNSET else comment) if self._lines else None

    @property
    def question(self) -> tuple[str, str] | None:
        """Shows what is changed, and what comes of it."""
        return edit_question(self._story.run, self._lines) if self._lines else None


class MessageForm(FormModel[StateEdit]):
    """Asks for role and text of a message in a conversation: one that exists, or a new one.

    Args:
        view: The run.
        path: Where the conversation is.
        place: The message to edit, or the one that the new one follows; -1 to begin a conversation.
        insert: Whether a new message is put in.
    """

    KIND = FormKind("Edit", is_edit=True)

    def __init__(self, view: RunView, path: Path, place: int, *, insert: bool) -> None:
        self._story = RunStory(view.run, view.mask)
        self._path, self._place, self._insert = path, place, insert
        self._lines: list[str] = []
        self._items = messages_at(view, path)
        where = path_text((*path, place + insert))
        self.heading = f"{'Insert' if insert else 'Edit'} {where} of run {view.run.id}"
        message = (conversation_of(self._items) or [])[place] if not insert else ChatMessage("user", "")
        roles = dict.fromkeys((*ROLES, message.role))
        self._role = Field("role", ChoiceFormat({role: role for role in roles}), message.role)
        self._text = Field("text", TextFormat(keeps_empty=True), message.text, required=True)
        self._comment = comment_field()
        self.contents = FormContents([self._text, self._role, self._comment])

    def result(self, answers: Answers) -> StateEdit | None:
        """Return the edit; None where the message stays as it is."""
        role, text = answers.value(self._role), answers.value(self._text)
        changes: Changes
        if self._insert:
            at = self._place + 1
            new = new_message(self._items, role, "" if text is UNSET else text)
            changes = {self._path: [*self._items[:at], new, *self._items[at:]]}
        else:
            item = self._items[self._place]
            new = edited(item, role, "" if text is UNSET else text)
            where = (*self._path, self._place)
            only_text = isinstance(item, dict) and {**item, "content": new["content"]} == new
            changes = {(*where, "content"): new["content"]} if only_text else {where: new}
        try:
            changed = describe_changes(self._story, changes)
        except StateError as error:
            raise Misfit(error.message) from None
        before = [] if self._insert else [self._items[self._place]]
        self._lines = message_lines(self._story, self._path, self._place + self._insert, before, new)
        if not changed:
            self._lines = []
        comment = answers.value(self._comment)
        return StateEdit(changes, "" if comment is UNSET else comment) if self._lines else None

    @property
    def question(self) -> tuple[str, str] | None:
        """Shows what is changed, and what comes of it."""
        return edit_question(self._story.run, self._lines) if self._lines else None


def message_form(view: RunView, path: Path, place: int) -> MessageForm | StateEditForm:
    """Build the form that edits a message; one of several texts, or with a secret, as a value."""
    item = messages_at(view, path)[place]
    content = item.get("content") if isinstance(item, dict) else item
    is_shown = identical(item, view.mask.value(str(path[0]), item))
    if has_one_text(content) and is_shown:
        return MessageForm(view, path, place, insert=False)
    return StateEditForm(view, (*path, place))


def messages_at(view: RunView, path: Path) -> list[Json]:
    """Read a conversation of the run as it stands; secrets in it are not masked."""
    found = value_at(view.run.values, path)
    return found if isinstance(found, list) else []


def removal(view: RunView, path: Path, place: int) -> tuple[Changes, tuple[str, str]]:
    """Remove a message, with the results of what it asks for; and ask whether that is meant.

    Raises:
        StateError: The state cannot be without it.
    """
    results = results_of(conversation_of(messages_at(view, path)) or [], place)
    changes: Changes = {(*path, at): UNSET for at in sorted((place, *results), reverse=True)}
    story = RunStory(view.run, view.mask)
    describe_changes(story, changes)
    lines = message_lines(story, path, place, messages_at(view, path)[place : place + 1], None)
    if results:
        lines.append(f"- what its tools answered ({plural(len(results), 'message')})")
    return changes, edit_question(view.run, lines)


def message_lines(story: RunStory, path: Path, place: int, before: list[Json], after: Json) -> list[str]:
    """Describe what becomes of a message, in lines.

    Args:
        story: The run.
        path: Where the conversation is.
        place: Where in it the message is.
        before: The message as it was; empty for a new one.
        after: The message as it will be; None for one that goes.
    """
    old, new = (conversation_of(items) or [] for items in (before, [] if after is None else [after]))
    sign = "~" if old and new else "+" if new else "-"
    messages = [f"{each.role}: {shortened(story.mask.text(each.brief), _SAID)}" for each in (*old, *new)]
    arrows = ["", "→ "] if old and new else [""]
    shown = [f"  {arrow}{visible(text)}" for arrow, text in zip(arrows, messages, strict=True)]
    return [f"{sign} {path_text((*path, place))}", *shown]


def comment_field() -> Field:
    """Build the field that asks why."""
    return Field("comment", TextFormat("line"), note="Why; it is kept with the edit.", kind="text, optional")


def describe_changes(story: RunStory, changes: Changes) -> list[str]:
    """Describe what changes do to the state of a run, in lines.

    Raises:
        StateError: A path leads nowhere, or a value is refused.
    """
    run = story.run
    updates = checked(run.plan, run.values, changes)
    return change_lines(StateChanges.of(run.values, updates, story.mask), "→")


def checked(plan: CompiledGraph, values: Mapping[str, Json], changes: Changes) -> dict[str, Json]:
    """Compute the top-level keys that changes set, each as its key may hold it.

    Raises:
        StateError: A path leads nowhere, or a value is refused.
    """
    updates = updated(values, changes)
    return {name: check_whole(plan.keys.get(name), name, value) for name, value in updates.items()}


def edit_question(run: Run, lines: list[str], moved: str = "") -> tuple[str, str]:
    """Ask whether an edit is to be made, and explain what it does to a review that waits.

    Args:
        run: The run.
        lines: What it changes.
        moved: What to say first.
    """
    parts = [*([moved] if moved else []), f"Edit the state of run {run.id}?", "\n".join(_first_lines(lines))]
    if run.status is RunStatus.PAUSED:
        node = visible(run.current or "")
        parts.append(f"The pending review is withdrawn; {node} will ask again with the new state.")
    return "\n\n".join(parts), "Edit"


def _first_lines(lines: list[str]) -> Iterator[str]:
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"and {len(lines) - _MOST:,} more"
