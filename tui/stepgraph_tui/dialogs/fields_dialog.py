"""What all forms share: fields in order, some of them folded, the keys, a question before leaving."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Collapsible, Static

from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.words.text import visible

from .dialog import Dialog
from .field_of_form import AnyField, FieldEntered, go_on
from .key_text import key_text
from .questions import Confirm

Result = TypeVar("Result")


class FieldsDialog(Dialog["Result | None"], Generic[Result, AnyField], inherit_bindings=False):
    """A form; hands back a result, or None when it is cancelled.

    Args:
        heading: What it asks for.
    """

    VERB: ClassVar[str] = "Accept"
    """What accepting does, in one word."""
    DONE: ClassVar[str] = "changed"
    """What was done to the fields by somebody who leaves."""

    def __init__(self, heading: str) -> None:
        super().__init__()
        self._heading = heading
        self._below = Static(classes="wrong")
        self._below.display = False
        self._keys = Static(classes="keys")

    # What kinds of forms differ in

    def rows(self) -> ComposeResult:
        """The fields, and what stands between them."""
        raise NotImplementedError

    @property
    def fields(self) -> Sequence[AnyField]:
        """All fields, also those that are folded or not there at the moment."""
        raise NotImplementedError

    def action_accept(self) -> None:
        """Hand back the result, unless something is wrong with a field."""
        raise NotImplementedError

    # The frame

    def compose(self) -> ComposeResult:
        """The fields, and below them what is wrong and which keys there are."""
        with Vertical(classes="form") as frame:
            frame.border_title = Text(visible(self._heading))
            with VerticalScroll(can_focus=False):
                yield from self.rows()
            yield self._below
            yield self._keys

    def begin(self) -> None:
        """Name the keys, and go where people begin."""
        self.say_keys()
        self.focus_first()

    def focus_first(self) -> None:
        """Go where people begin."""
        if fields := self.in_reach:
            fields[0].focus_editor()

    def say_below(self, wrong: Text) -> None:
        """Say below all fields what is wrong; nothing when empty."""
        self._below.update(wrong)
        self._below.display = bool(wrong)

    # The fields

    @property
    def changed(self) -> bool:
        """Whether somebody changed something."""
        return any(field.changed for field in self.fields)

    @property
    def in_reach(self) -> list[AnyField]:
        """The fields that can be seen and edited, in order."""
        return [field for field in self.fields if field.can_be_edited and not self._is_hidden(field)]

    def _is_hidden(self, field: AnyField) -> bool:
        return any(isinstance(node, Collapsible) and node.collapsed for node in field.ancestors)

    @property
    def focused_field(self) -> AnyField | None:
        """The field with the focus."""
        return next((field for field in self.fields if field.has_focus_within), None)

    def go_to(self, field: AnyField) -> None:
        """Go to a field, also where it is folded."""
        if self._is_hidden(field):
            self.query_one(Collapsible).collapsed = False
        field.focus_editor()

    @on(FieldEntered)
    def leave_field(self, message: FieldEntered[AnyField]) -> None:
        """Go to the next field; accept behind the last one."""
        if not go_on(self.in_reach, message.field):
            self.action_accept()

    def action_next_field(self) -> None:
        """Go to the next field."""
        self.focus_next()

    def action_previous_field(self) -> None:
        """Go to the field before."""
        self.focus_previous()

    # Leaving the form

    def action_cancel(self) -> None:
        """Leave the form; asks when something was changed."""
        if self.changed:
            question = f"Throw away what you {self.DONE}?"
            self.app.push_screen(Confirm(question, "Throw away"), self._thrown_away)
        else:
            self.dismiss(None)

    def _thrown_away(self, yes: bool | None) -> None:
        if yes:
            self.dismiss(None)

    # The keys

    @on(events.DescendantFocus)
    @on(Collapsible.Toggled)
    def say_keys(self) -> None:
        """Say what the keys do here."""
        live = {live.command.id: live.keys[0] for live in live_commands(self)}
        self._keys.update(Text("   ").join(self.keys(live)))

    def keys(self, live: Mapping[str, str]) -> Iterator[Text]:
        """What the keys do, the most needed first: narrow forms show the first alone.

        Args:
            live: The key of each command that works now.
        """
        enter = self.enter()
        yield key_text("Enter", enter)
        yield key_text(live.get("form.cancel", ""), "Cancel")
        yield from self.field_keys(live)
        if enter != self.VERB:
            yield key_text(live.get("form.accept", ""), self.VERB)
        yield key_text(live.get("form.next", ""), "Next")

    def field_keys(self, live: Mapping[str, str]) -> Iterator[Text]:
        """What other keys do in what has the focus."""
        yield from ()

    def enter(self) -> str:
        """What Enter does, in one or two words."""
        field = self.focused_field
        if field is not None:
            last = field is self.in_reach[-1]
            return "New line" if field.breaks_lines else self.VERB if last else "Next field"
        if self.focused is not None:
            return "Unfold" if self.query_one(Collapsible).collapsed else "Fold"
        return self.VERB
