"""What all forms of Design mode share: fields in order, problems below them, one edit at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

from rich.cells import cell_len
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widgets import Collapsible, Static

from stepgraph.editing import Design, Edit, EditError
from stepgraph.values.errors import StepgraphError
from stepgraph.values.state import UNSET
from stepgraph_tui.commands import FORM, FORM_TEXT, bindings
from stepgraph_tui.dialogs.fields_dialog import FieldsDialog
from stepgraph_tui.dialogs.key_text import key_text
from stepgraph_tui.words.text import visible

from .fact import Fact
from .field import FormField, Wrong, told
from .shapes import Anything, Table

Result = TypeVar("Result", bound=Edit)
EditElsewhere: TypeAlias = Callable[[str, str], "str | None"]
"""Lets a person edit a text in $EDITOR, in a file whose name ends so; None when it was left as it is.

It raises StepgraphError when there is no editor, or it failed."""
_ROOMY = 50  # cells from which on labels stand beside their fields
_WIDEST = 20  # cells of the labels
_PAUSE = 0.3  # seconds without a key, after which problems are looked for that take long to find
_NO_EDITOR = "no editor can be opened from here"


class DesignForm(FieldsDialog[Result, FormField], Generic[Result], inherit_bindings=False):
    """Asks for the parts of something in a graph; hands back the edit, or None when nothing is to change.

    What stands in it may be wrong for the graph: a graph may be unfinished, and the problems are told. Only
    what no file could hold is refused.

    Args:
        design: The design that is edited.
        heading: What is edited.
        fields: What it asks for, and what it only tells.
        more: What it asks for when it is unfolded.
        edit_elsewhere: Opens $EDITOR; None when that is not possible.
    """

    BINDINGS = bindings((*FORM, *FORM_TEXT))
    CSS_PATH = "design_form.tcss"
    VERB = "Apply"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (_ROOMY, "-roomy")]  # noqa: RUF012  # declared so by Screen

    def __init__(
        self,
        design: Design,
        heading: str,
        fields: Sequence[FormField | Fact],
        more: Sequence[FormField] = (),
        edit_elsewhere: EditElsewhere | None = None,
    ) -> None:
        super().__init__(heading)
        self.design = design
        self._rows, self._more = tuple(fields), tuple(more)
        self._fields = tuple(field for field in fields if isinstance(field, FormField))
        self._waiting: Timer | None = None
        self._asked = False  # whether what is missing counts
        self._edit_elsewhere = edit_elsewhere

    # What kinds of forms differ in

    def edit(self) -> Result:
        """The edit that what stands in the fields asks for.

        Raises:
            Misfit: A field holds no value; ``misfit`` has said so before.
        """
        raise NotImplementedError

    def wrong(self) -> Iterable[Wrong]:
        """What is wrong with what stands in the fields; each of them holds a value."""
        return ()

    @property
    def is_slow(self) -> bool:
        """Whether to look for problems takes so long that it would hold up the keys."""
        return False

    def refresh_fields(self) -> None:
        """Look again which fields are there, and what there is to remark."""

    # The frame

    def rows(self) -> ComposeResult:
        """The fields, the rest folded."""
        yield from self._rows
        if self._more:
            names = ", ".join(visible(field.setting.title or field.setting.name) for field in self._more)
            folded = all(field.setting.value is UNSET for field in self._more)
            with Collapsible(
                title=f"More: {names}", collapsed=folded, collapsed_symbol="▸", expanded_symbol="▾"
            ):
                yield from self._more

    def begin(self) -> None:
        """Say what is wrong already, and begin at the first field."""
        self._align_labels()
        self.look_again()
        super().begin()

    def focus_first(self) -> None:
        """Go where people begin."""
        self.begins_at.focus_editor()

    @property
    def begins_at(self) -> FormField:
        """The field that is gone to first."""
        return self._fields[0]

    def _align_labels(self) -> None:
        """Give all labels the width of the longest."""
        labels = list(self.query(".label").results(Static))
        width = max(cell_len(str(label.content)) for label in labels)
        for label in labels:
            label.styles.width = min(width + 1, _WIDEST)

    @property
    def fields(self) -> list[FormField]:
        """All fields, also those that are folded or not there at the moment."""
        return [*self._fields, *self._more]

    # What is wrong

    @on(FormField.Changed)
    def look_again(self) -> None:
        """Say at once what is wrong with what was typed."""
        self.refresh_fields()
        misfits = {field: misfit for field in self.fields if (misfit := self._misfit(field))}
        told = [Wrong(misfit, field) for field, misfit in misfits.items() if field.changed or self._asked]
        if misfits:
            self._tell_of(told)
        else:
            self._check_soon()
        self.say_keys()

    def _check_soon(self) -> None:
        """Look for problems now; where that takes long, once the keys pause."""
        if self._waiting is not None:
            self._waiting.stop()
            self._waiting = None
        if self.is_slow:
            self._waiting = self.set_timer(_PAUSE, self._check)
        else:
            self._check()

    def _check(self) -> None:
        if not any(map(self._misfit, self.fields)):
            self._tell_of(list(self.wrong()))

    def _misfit(self, field: FormField) -> str:
        return field.misfit() if field.display else ""

    def _tell_of(self, wrong: Sequence[Wrong]) -> None:
        in_reach = self.in_reach
        for field in self.fields:
            field.tell([one for one in wrong if one.field is field])
        below = [one for one in wrong if one.field not in in_reach]
        self.say_below(told(below))

    # The editor

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only texts can be edited elsewhere."""
        field = self.focused_field if self.is_mounted else None
        return action != "edit_elsewhere" or (field is not None and field.is_text)

    def action_edit_elsewhere(self) -> None:
        """Edit the text of the field in $EDITOR."""
        field = self.focused_field
        if field is None:
            return
        if self._edit_elsewhere is None:
            self._tell_of([Wrong(_NO_EDITOR)])
            return
        suffix = ".toml" if isinstance(field.setting.shape, (Table, Anything)) else ".txt"
        before = field.text
        try:
            text = self._edit_elsewhere(before, suffix)
        except StepgraphError as error:
            self._tell_of([Wrong(error.message)])
            return
        if text is not None:
            # Editors end the last line of a file, which is not meant to be part of the text.
            field.put(text if before.endswith("\n") else text.removesuffix("\n"))

    # Leaving the form

    def action_accept(self) -> None:
        """Hand back the edit, unless something stands in the form that no file can hold."""
        field = next(filter(self._misfit, self.fields), None)
        if field is not None:
            self._refuse_for(field)
            return
        if not self.changed:
            self.dismiss(None)
            return
        edit = self.edit()
        try:
            edit.apply(self.design)
        except EditError as error:
            self.app.bell()
            self._tell_of([Wrong(f"{error.message} ({error.hint})" if error.hint else error.message)])
        else:
            self.dismiss(edit)

    def _refuse_for(self, field: FormField) -> None:
        self.app.bell()
        self._asked = True
        self.go_to(field)
        self.look_again()

    # The keys

    @on(FormField.OfferChanged)
    def _look_at_keys(self) -> None:
        self.say_keys()

    def keys(self, live: Mapping[str, str]) -> Iterator[Text]:
        """Those of the list of completions while it is open; the one of the editor at the end."""
        field = self.focused_field
        if field is not None and field.offers_names:
            yield key_text("Tab", "Take" if field.tab_takes else "Next")
            yield key_text("↓↑", "Choose")
            yield key_text(live.get("form.cancel", ""), "Close the list")
            return
        yield from super().keys(live)
        if "form.editor" in live:
            yield key_text(live["form.editor"], "$EDITOR", "screen.edit_elsewhere")

    def field_keys(self, live: Mapping[str, str]) -> Iterator[Text]:
        """The arrows choose words."""
        if "choice.take" in live:
            arrows = f"{live['choice.previous']} {live['choice.next']} {live['choice.take']}"
            yield key_text(arrows, "Choose")
