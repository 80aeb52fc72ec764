"""What forms for values of the state share: a field for each key, the rest folded, one key to accept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Collapsible, Static, TextArea

from stepgraph.errors import StateError
from stepgraph_tui.commands import FORM, bindings
from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.dialogs.confirm import Confirm
from stepgraph_tui.words.text import visible

from .field import Field
from .questions import KeyQuestion, Question

if TYPE_CHECKING:
    from stepgraph.json_values import Json

Result = TypeVar("Result")
MOST = 40
"""Fields of one kind; more would take long to draw."""


class ValuesForm(ModalScreen["Result | None"], Generic[Result], inherit_bindings=False):
    """Asks for values of the state; None when it is cancelled. Nothing runs by it.

    Args:
        heading: What they are for.
        asked: What is asked for at once.
        others: What is asked for when it is unfolded.
        left_out: How many keys have no field.
    """

    AUTO_FOCUS = ""
    BINDINGS = bindings(FORM)
    VERB: ClassVar[str] = "Accept"
    """What accepting does, in one word."""

    def __init__(
        self, heading: str, asked: Sequence[Question], others: Sequence[Question], left_out: int = 0
    ) -> None:
        super().__init__()
        self._heading = heading
        self.asked, self.others = asked, others
        self.left_out = left_out

    # What kinds of forms differ in

    def head(self) -> Iterable[Widget]:
        """What stands above the fields."""
        return ()

    def folded(self) -> Iterable[Question]:
        """What is asked for before the other keys, when they are unfolded."""
        return ()

    def more(self) -> str:
        """What there is to unfold, in words; nothing can be unfolded when empty."""
        raise NotImplementedError

    def result(self) -> Result:
        """What the form hands back; nothing is wrong with any field.

        Raises:
            StateError: What no field could know.
        """
        raise NotImplementedError

    # The frame

    def compose(self) -> ComposeResult:
        """The fields, the rest folded, and below what is wrong and which keys there are."""
        with Vertical(classes="form") as frame:
            frame.border_title = Text(visible(self._heading))
            with VerticalScroll(can_focus=False):
                yield from self.head()
                with Vertical(classes="asked"):
                    yield from map(Field, self.asked)
                with Collapsible(
                    title=self.more(), collapsed=True, collapsed_symbol="▸", expanded_symbol="▾"
                ) as fold:
                    fold.display = bool(self.more())
                    yield from map(Field, self.folded())
            yield Static(classes="error wrong")
            yield Static(classes="keys")

    def on_mount(self) -> None:
        """Begin at the first field."""
        if self not in self.app.screen_stack:
            return  # a key left it before its fields were there
        self.query_one(".wrong").display = False
        self.say_keys()
        self.begin()

    def begin(self) -> None:
        """Go where people begin."""
        if fields := self._in_reach:
            fields[0].focus_editor()

    @property
    def _in_reach(self) -> list[Field]:
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

    # The keys

    @on(events.DescendantFocus)
    @on(Collapsible.Toggled)
    @on(TextArea.Changed)
    def say_keys(self) -> None:
        """Say what Enter does here."""
        line = Text("   ").join(Text.assemble((key, "bold"), f" {what}") for key, what in self.keys())
        self.query_one(".keys", Static).update(line)

    def keys(self) -> Iterator[tuple[str, str]]:
        """The keys that work here, and what they do."""
        live = {live.command.id: live.keys[0] for live in live_commands(self)}
        enter = self.enter()
        yield "Enter", enter
        if enter != self.VERB:
            yield live.get("form.accept", ""), self.VERB
        yield live.get("form.next", ""), "Next"
        yield live.get("form.cancel", ""), "Cancel"

    def enter(self) -> str:
        """What Enter does, in one or two words."""
        focused = self._focused_field()
        if focused is not None:
            last = focused is self._in_reach[-1]
            return "New line" if focused.takes_enter else self.VERB if last else "Next field"
        if self.focused is not None:
            return "Unfold" if self.query_one(Collapsible).collapsed else "Fold"
        return self.VERB

    @on(Collapsible.Expanded)
    async def unfold(self) -> None:
        """Make the other fields, when they are seen for the first time."""
        others, self.others = self.others, ()
        folded = self.query_one(Collapsible.Contents)
        await folded.mount_all(map(Field, others))
        if others and self.left_out:
            await folded.mount(Static(f"and {self.left_out:,} more{self.elsewhere()}", markup=False))

    async def ask_anew(self, asked: Sequence[Question], others: Sequence[Question], left_out: int) -> None:
        """Ask for other values; what was typed for those before is gone."""
        self.asked, self.others, self.left_out = asked, others, left_out
        fold, shown = self.query_one(Collapsible), self.query_one(".asked")
        with self.app.batch_update():
            await self.query_one(Collapsible.Contents).remove_children()
            fold.collapsed, fold.title, fold.display = True, self.more(), bool(self.more())
            await shown.remove_children()
            await shown.mount_all(map(Field, asked))

    def elsewhere(self) -> str:
        """Where values can be given that have no field, as the end of a sentence."""
        return ", which have no field here"

    @on(Field.Entered)
    def leave_field(self, message: Field.Entered) -> None:
        """Go to the next field; accept behind the last one."""
        fields = self._in_reach
        at = fields.index(message.field) + 1
        if at < len(fields):
            fields[at].focus_editor()
        else:
            self.action_accept()

    def on_key(self, event: events.Key) -> None:
        """Enter accepts where there is no field to leave."""
        if event.key == "enter" and self.focused is None:
            event.stop()
            self.action_accept()

    def action_next_field(self) -> None:
        """Go to the next field."""
        self.focus_next()

    def action_previous_field(self) -> None:
        """Go to the field before."""
        self.focus_previous()

    # Leaving the form

    def action_accept(self) -> None:
        """Hand back what stands in the form, unless something is wrong with it."""
        wrong = [field for field in self.query(Field) if not field.check()]
        if wrong:
            if self._is_folded(wrong[0]):
                self.query_one(Collapsible).collapsed = False
            wrong[0].focus_editor()
            return
        try:
            result = self.result()
        except StateError as error:
            self.tell(error.message)
            return
        self.hand_back(result)

    def hand_back(self, result: Result) -> None:
        """Leave the form with its result."""
        self.dismiss(result)

    def tell(self, wrong: str) -> None:
        """Say below all fields what is wrong; nothing when empty."""
        error = self.query_one(".wrong", Static)
        error.display = bool(wrong)
        error.update(Text(f"✗ {visible(wrong)}" if wrong else ""))

    def changed(self) -> dict[str, Json]:
        """The values of the keys whose fields were changed; None for one that was emptied."""
        return {
            question.name: question.read(field.text)
            for field in self.query(Field)
            if isinstance(question := field.question, KeyQuestion) and field.changed
        }

    def action_cancel(self) -> None:
        """Leave the form; asks when something was typed."""
        if any(field.changed for field in self.query(Field)):
            self.app.push_screen(Confirm("Throw away what you typed?", "Throw away"), self._thrown_away)
        else:
            self.dismiss(None)

    def _thrown_away(self, yes: bool | None) -> None:
        if yes:
            self.dismiss(None)
