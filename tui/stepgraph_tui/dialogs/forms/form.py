"""The fields of a form below each other: moving between them, and saying what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Collapsible, Static

from ...text.cells import widest
from ...text.plain import visible_lines
from ...widgets.words import Words, one_line
from .field import Field, FormProblem
from .field_view import FieldStyle, FieldView

_WIDEST = 20  # cells of the labels
_FEW = 3  # folded fields that are made at once; more are made when they are seen


@dataclass(frozen=True, slots=True, eq=False)
class FixedRow:
    """Something that a form tells and does not ask."""

    label: str
    text: str
    note: str = ""
    """Why it cannot be changed here."""


@dataclass(frozen=True, slots=True, eq=False)
class NoteRow:
    """A line of words between the fields."""

    text: str
    style: str = "note"


Row: TypeAlias = "Field | FixedRow | NoteRow"


@dataclass(frozen=True, slots=True)
class FormContents:
    """All that a form asks for and tells, in order."""

    rows: Sequence[Row]
    folded: Sequence[Field] = ()
    """What it asks for when it is unfolded."""
    fold: str = ""
    """What there is to unfold, in words; nothing can be unfolded when empty."""
    is_unfolded: bool = False
    rest: str = ""
    """The words below the folded fields."""

    @property
    def fields(self) -> list[Field]:
        """All fields, also those that are folded."""
        return [*(row for row in self.rows if isinstance(row, Field)), *self.folded]


class Form(VerticalScroll, can_focus=False, inherit_bindings=False):
    """Shows the contents of a form.

    Args:
        contents: What it asks for.
        style: How the fields are laid out.
        are_examples: Whether what is in the fields is there to be typed over.
    """

    DEFAULT_CSS = """
    Form {
        scrollbar-size-vertical: 1;
        scrollbar-gutter: stable;  /* else a bar that comes and goes rewraps texts, without end */
        scrollbar-size-horizontal: 0;  /* which Textual adds to the height for a stable gutter */
        & .note { color: $text-muted; }
        & .effects { color: $warning; text-style: bold; margin-bottom: 1; }
        & .fixed {
            height: auto;
            & > .label { color: $text-muted; padding-right: 1; }
            & > .value { height: auto; width: 1fr; padding-left: 2; }
        }
    }
    """

    @dataclass
    class Finished(Message):
        """Enter was pressed in a field behind which there is none."""

    def __init__(
        self,
        contents: FormContents | None = None,
        style: FieldStyle = "setting",
        *,
        are_examples: bool = False,
    ) -> None:
        super().__init__()
        self._contents = contents or FormContents(())
        self._style, self._are_examples = style, are_examples
        self._rows: dict[Row, Widget] = {}
        self._views: dict[Field, FieldView] = {}
        self._waiting: tuple[Field, ...] = ()  # folded, and not made yet

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the height beside the gutter, which Textual leaves out where it measures."""
        return super().get_content_height(container, viewport, width - self.styles.scrollbar_size_vertical)

    # What is in it

    def compose(self) -> ComposeResult:
        """Show the rows, and the rest folded."""
        contents = self._contents
        self._rows = {row: self._make_widget(row) for row in contents.rows}
        yield from self._rows.values()
        with Collapsible(
            title=contents.fold,
            collapsed=not contents.is_unfolded,
            collapsed_symbol="▸",
            expanded_symbol="▾",
        ) as fold:
            fold.display = bool(contents.fold)
            made = len(contents.folded) if contents.is_unfolded else _FEW
            yield from map(self._make_widget, contents.folded[:made])
            self._waiting = tuple(contents.folded[made:])

    def _make_widget(self, row: Row) -> Widget:
        if isinstance(row, NoteRow):
            return Static(Text("\n".join(visible_lines(row.text))), classes=row.style)
        if isinstance(row, Field):
            view = FieldView(row, self._style, is_example=self._are_examples)
            if self._style == "setting":
                view.label.styles.width = self._label_width
            self._views[row] = view
            return view
        label = Words(row.label, classes="label")
        label.styles.width = self._label_width
        value = Text.assemble(one_line(row.text), one_line(f"   {row.note}", "dim"))
        return Horizontal(label, Static(value, classes="value"), classes="fixed")

    @property
    def _label_width(self) -> int:
        """All labels have the width of the longest."""
        labels = [
            row.label
            for row in (*self._contents.rows, *self._contents.folded)
            if not isinstance(row, NoteRow)
        ]
        return min(widest(labels) + 1, _WIDEST)

    async def refill(self, contents: FormContents) -> None:
        """Ask for other things. Rows that stay keep what was typed."""
        self._contents = contents
        fold, folded = self.query_one(Collapsible), self.query_one(Collapsible.Contents)
        with self.app.batch_update():
            gone = [widget for row, widget in self._rows.items() if row not in contents.rows]
            await self.remove_children(gone)
            await folded.remove_children()
            self._views = {field: self._views[field] for field in contents.rows if field in self._views}
            fold.collapsed, fold.title, fold.display = True, contents.fold, bool(contents.fold)
            self._waiting = tuple(contents.folded)
            kept, self._rows = self._rows, {}
            for row in contents.rows:
                self._rows[row] = kept.get(row) or self._make_widget(row)
            await self.mount_all(
                [widget for row, widget in self._rows.items() if row not in kept], before=fold
            )

    @on(Collapsible.Expanded)
    async def unfold(self) -> None:
        """Build the other folded fields, when they are seen for the first time."""
        waiting, self._waiting = self._waiting, ()
        folded = self.query_one(Collapsible.Contents)
        await folded.mount_all(map(self._make_widget, waiting))
        if waiting and self._contents.rest:
            await folded.mount(Static(self._contents.rest, markup=False))

    @property
    def views(self) -> list[FieldView]:
        """The fields that were made, in order."""
        return [self._views[field] for field in self._contents.fields if field in self._views]

    @property
    def texts(self) -> dict[Field, str]:
        """What is in the fields that were made."""
        return {view.field: view.text for view in self.views}

    def set_texts(self, texts: Mapping[Field, str]) -> None:
        """Replace the texts of some fields."""
        for field, text in texts.items():
            if field in self._views:
                self._views[field].set_text(text)

    # Going from field to field

    @property
    def in_reach(self) -> list[FieldView]:
        """The fields that can be seen and edited, in order."""
        is_folded = self.query_one(Collapsible).collapsed
        folded = set(self._contents.folded) if is_folded else set()
        return [view for view in self.views if view.can_be_edited and view.field not in folded]

    @property
    def focused_view(self) -> FieldView | None:
        """The field with the focus."""
        return next((view for view in self.views if view.has_focus_within), None)

    def go_to(self, field: Field) -> None:
        """Move to a field, also where it is folded."""
        if field in self._contents.folded:
            self.query_one(Collapsible).collapsed = False
        self._views[field].focus_editor()

    @on(FieldView.Entered)
    def _leave_field(self, message: FieldView.Entered) -> None:
        """Move to the next field; after the last one, the form is finished."""
        message.stop()
        views = self.in_reach
        at = views.index(message.view) + 1
        if message.view.field.begins or at == len(views):
            self.post_message(self.Finished())
        else:
            views[at].focus_editor()

    # Words around the fields

    def tell(self, problems: Iterable[FormProblem]) -> Iterator[FormProblem]:
        """Show below the fields what is wrong with them.

        Returns:
            What is wrong with no field that can be seen.
        """
        problems = list(problems)
        in_reach = {view.field for view in self.in_reach}
        for view in self.views:
            view.tell([problem for problem in problems if problem.field is view.field])
        return (problem for problem in problems if problem.field not in in_reach)

    def look_at(self, absent: Iterable[Field], remarks: Mapping[Field, str]) -> None:
        """Hide some fields for the moment, and show remarks below others."""
        gone = set(absent)
        for view in self.views:
            view.display = view.field not in gone
            view.remark(remarks.get(view.field, ""))
