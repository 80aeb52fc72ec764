"""What forms for values of the state share: a field for each key, the rest folded, one key to accept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Collapsible, Static, TextArea

from stepgraph.values.errors import StateError
from stepgraph_tui.commands import FORM, bindings
from stepgraph_tui.dialogs.fields_dialog import FieldsDialog
from stepgraph_tui.words.text import visible

from .field import Field
from .questions import KeyQuestion, Question

if TYPE_CHECKING:
    from stepgraph.values.json_values import Json

Result = TypeVar("Result")
MOST = 40
"""Fields of one kind; more would take long to draw."""


class ValuesForm(FieldsDialog[Result, Field], Generic[Result], inherit_bindings=False):
    """Asks for values of the state; None when it is cancelled. Nothing runs by it.

    Args:
        heading: What they are for.
        asked: What is asked for at once.
        others: What is asked for when it is unfolded.
        left_out: How many keys have no field.
    """

    BINDINGS = bindings(FORM)
    DONE = "typed"

    def __init__(
        self, heading: str, asked: Sequence[Question], others: Sequence[Question], left_out: int = 0
    ) -> None:
        super().__init__(heading)
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

    def rows(self) -> ComposeResult:
        """The fields, the rest folded."""
        yield from self.head()
        with Vertical(classes="asked"):
            yield from map(Field, self.asked)
        with Collapsible(
            title=self.more(), collapsed=True, collapsed_symbol="▸", expanded_symbol="▾"
        ) as fold:
            fold.display = bool(self.more())
            yield from map(Field, self.folded())

    @property
    def fields(self) -> list[Field]:
        """All fields that were made."""
        return list(self.query(Field))

    @on(TextArea.Changed)
    def _look_at_keys(self) -> None:
        self.say_keys()  # a text may have become one of lines

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

    def on_key(self, event: events.Key) -> None:
        """Enter accepts where there is no field to leave."""
        if event.key == "enter" and self.focused is None:
            event.stop()
            self.action_accept()

    # Leaving the form

    def action_accept(self) -> None:
        """Hand back what stands in the form, unless something is wrong with it."""
        wrong = [field for field in self.fields if not field.check()]
        if wrong:
            self.go_to(wrong[0])
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
        self.say_below(Text(f"✗ {visible(wrong)}" if wrong else ""))

    def changes(self) -> dict[str, Json]:
        """The values of the keys whose fields were changed; None for one that was emptied."""
        return {
            question.name: question.read(field.text)
            for field in self.fields
            if isinstance(question := field.question, KeyQuestion) and field.changed
        }
