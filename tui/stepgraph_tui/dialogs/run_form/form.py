"""The form that starts a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Collapsible, Static, TextArea

from stepgraph.errors import StateError
from stepgraph.lifecycle import initial_state
from stepgraph_tui.commands import FORM, bindings
from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.dialogs.confirm import Confirm
from stepgraph_tui.words.text import plural, visible

from .field import Field
from .questions import KeyQuestion, RunIdQuestion, questions

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph
    from stepgraph.json_values import Json

_MOST = 40  # fields of one kind; more would take long to draw


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What a new run begins with."""

    values: dict[str, Json]
    """What differs from the defaults, or was given to the form; None takes a default away."""
    run_id: str | None = None
    """None for one that is made up."""


class RunForm(ModalScreen[RunInputs | None], inherit_bindings=False):
    """Asks for the inputs of a run; None when it is cancelled. Nothing runs by it.

    With everything filled in, one Enter accepts it.

    Args:
        app: The graph.
        given: Values to begin with, such as the inputs of the run before; defaults stand where there are
            none.
        title: The form's heading.
    """

    AUTO_FOCUS = ""
    BINDINGS = bindings(FORM)
    CSS_PATH = "run_form.tcss"

    def __init__(
        self, app: CompiledGraph, given: Mapping[str, Json] | None = None, title: str | None = None
    ) -> None:
        super().__init__()
        self._graph = app
        self._given = dict(given or {})
        self._heading = title if title is not None else f"Start a run of {app.name}"
        inputs, others = questions(app, self._given)
        self._inputs, self._others = inputs[:_MOST], others[:_MOST]
        self._left_out = len(inputs) + len(others) - len(self._inputs) - len(self._others)

    def compose(self) -> ComposeResult:
        """The inputs, the rest folded, and below what is wrong and which keys there are."""
        with Vertical(classes="form") as frame:
            frame.border_title = Text(visible(self._heading))
            with VerticalScroll(can_focus=False):
                if not self._inputs:
                    yield Static("This graph asks for nothing: every value has its default.", classes="note")
                yield from map(Field, self._inputs)
                with Collapsible(
                    title=self._more(), collapsed=True, collapsed_symbol="▸", expanded_symbol="▾"
                ):
                    yield Field(RunIdQuestion())
            yield Static(classes="error wrong")
            yield Static(classes="keys")

    def _more(self) -> str:
        others = len(self._others)
        return "More: the run's id" + (f" and {plural(others, 'other key')}" if others else "")

    def on_mount(self) -> None:
        """Begin at the first field."""
        self.query_one(".wrong").display = False
        self.say_keys()
        if fields := self._fields:
            fields[0].focus_editor()

    @property
    def _fields(self) -> list[Field]:
        """The fields that can be seen and edited, in order."""
        folded = self.query_one(Collapsible).collapsed
        return [
            field
            for field in self.query(Field)
            if field.can_be_edited and not (folded and self._is_folded(field))
        ]

    def _is_folded(self, field: Field) -> bool:
        return any(isinstance(parent, Collapsible) for parent in field.ancestors)

    def _focused_field(self) -> Field | None:
        if self.focused is None:
            return None
        return next((node for node in self.focused.ancestors if isinstance(node, Field)), None)

    @on(events.DescendantFocus)
    @on(Collapsible.Toggled)
    @on(TextArea.Changed)
    def say_keys(self) -> None:
        """Say what Enter does here."""
        focused, fields = self._focused_field(), self._fields
        if focused is not None:
            enter = "New line" if focused.takes_enter else "Start" if focused is fields[-1] else "Next field"
        elif self.focused is not None:
            enter = "Unfold" if self.query_one(Collapsible).collapsed else "Fold"
        else:
            enter = "Start"
        live = {live.command.id: live.keys[0] for live in live_commands(self)}
        keys = [("Enter", enter)]
        keys += [(live.get("form.accept", ""), "Start")] if enter != "Start" else []
        keys += [(live.get("form.next", ""), "Next"), (live.get("form.cancel", ""), "Cancel")]
        line = Text("   ").join(Text.assemble((key, "bold"), f" {what}") for key, what in keys)
        self.query_one(".keys", Static).update(line)

    @on(Collapsible.Expanded)
    async def unfold(self) -> None:
        """Make the other fields, when they are seen for the first time."""
        others, self._others = self._others, []
        folded = self.query_one(Collapsible.Contents)
        await folded.mount_all(map(Field, others))
        if others and self._left_out:
            left_out = f"and {self._left_out:,} more, with `stepgraph run --input`"
            await folded.mount(Static(left_out, markup=False))

    @on(Field.Entered)
    def leave_field(self, message: Field.Entered) -> None:
        """Go to the next field; accept behind the last one."""
        fields = self._fields
        at = fields.index(message.field) + 1
        if at < len(fields):
            fields[at].focus_editor()
        else:
            self.action_accept()

    def on_key(self, event: events.Key) -> None:
        """Enter starts the run where there is no field to leave."""
        if event.key == "enter" and self.focused is None:
            event.stop()
            self.action_accept()

    def action_next_field(self) -> None:
        """Go to the next field."""
        self.focus_next()

    def action_previous_field(self) -> None:
        """Go to the field before."""
        self.focus_previous()

    def action_accept(self) -> None:
        """Hand back what stands in the form, unless something is wrong with it."""
        wrong = [field for field in self.query(Field) if not field.check()]
        if wrong:
            if self._is_folded(wrong[0]):
                self.query_one(Collapsible).collapsed = False
            wrong[0].focus_editor()
            return
        values = self._values()
        try:
            initial_state(self._graph, values)
        except StateError as error:  # what no field could know
            self._tell(error.message)
            return
        self.dismiss(RunInputs(values, self._run_id() or None))

    def _tell(self, wrong: str) -> None:
        error = self.query_one(".wrong", Static)
        error.display = True
        error.update(Text(f"✗ {visible(wrong)}"))

    def _values(self) -> dict[str, Json]:
        values: dict[str, Json] = dict(self._given)
        for field in self.query(Field):
            question = field.question
            if isinstance(question, KeyQuestion) and field.changed:
                values[question.name] = question.read(field.text)
        return values

    def _run_id(self) -> str:
        return next(
            field.text for field in self.query(Field) if isinstance(field.question, RunIdQuestion)
        ).strip()

    def action_cancel(self) -> None:
        """Leave the form; asks when something was typed."""
        if any(field.changed for field in self.query(Field)):
            self.app.push_screen(Confirm("Throw away what you typed?", "Throw away"), self._thrown_away)
        else:
            self.dismiss(None)

    def _thrown_away(self, yes: bool | None) -> None:
        if yes:
            self.dismiss(None)
