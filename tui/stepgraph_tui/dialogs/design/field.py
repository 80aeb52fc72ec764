"""One setting in a form: its name, where its value is typed, and below it what helps and what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static, TextArea

from stepgraph_tui.dialogs.field_of_form import FieldEntered
from stepgraph_tui.dialogs.run_form.editors import TextField
from stepgraph_tui.dialogs.run_form.questions import LONGEST
from stepgraph_tui.words.text import visible, visible_lines

from .choice import Choice
from .completing import Completer
from .completion_list import CompletionList
from .editors import AreaEditor, LineEditor, LongText, TooLong, safe
from .setting import Setting
from .shapes import Items, Misfit, OneOf, SomeOf, Table


class FormField(Horizontal):
    """A setting that can be changed.

    Args:
        setting: What it is.
        completer: What to offer while somebody types.
    """

    is_example: bool = False
    """Whether typing replaces what stands in it, when it is gone to for the first time."""

    class Changed(Message):
        """Something else stands in the field."""

    class OfferChanged(Message):
        """The list of completions was opened or closed, or another name in it is marked."""

    def __init__(self, setting: Setting, completer: Completer | None = None) -> None:
        super().__init__()
        self.setting = setting
        self._completer = completer
        self._long = LongText()
        self._offers = CompletionList()
        self._quiet_at: str | None = None  # the text in which no more is offered
        self._wrong = Static(classes="error")
        self._remark = Static(classes="remark")
        self._help = Static(Text(visible(setting.help)), classes="help")

    @cached_property
    def _editor(self) -> LineEditor | AreaEditor | Choice:  # made late: an Input needs a running app
        setting, shape = self.setting, self.setting.shape
        if isinstance(shape, (OneOf, SomeOf)):
            several = isinstance(shape, SomeOf)
            return Choice(tuple(shape.words), setting.text, visible(setting.placeholder), several=several)
        text = setting.text if len(setting.text) <= LONGEST else ""
        holds = visible(setting.placeholder)
        if setting.hidden or (shape.look == "line" and "\n" not in text):
            return LineEditor(text, self._use_key, holds, hidden=setting.hidden)
        at_end = isinstance(shape, (Items, Table))
        return AreaEditor(text, self._use_key, holds, lines=shape.look == "lines", at_end=at_end)

    def compose(self) -> ComposeResult:
        """The name at the left, everything else at the right."""
        yield Static(Text(visible(self.setting.title or self.setting.name)), classes="label")
        with Vertical():
            yield self._editor
            yield self._long
            yield self._offers
            yield self._wrong
            yield self._remark
            yield self._help

    def on_mount(self) -> None:
        """Nothing is said before it is known."""
        for static in (self._wrong, self._remark, self._help):
            static.display = False
        if len(self.setting.text) > LONGEST:
            self.put(self.setting.text)

    # What stands in it

    @property
    def text(self) -> str:
        """What stands in the field."""
        return self._long.text if self._long.display else self._editor.text

    @property
    def changed(self) -> bool:
        """Whether somebody changed it."""
        return self.text != self.setting.text

    @property
    def value(self) -> Any:
        """The value of what stands in it; UNSET for none.

        Raises:
            Misfit: It stands for none.
        """
        return self.setting.read(self.text)

    @property
    def width(self) -> int:
        """How many cells of a line can be seen in it."""
        return self._editor.content_size.width

    @property
    def is_text(self) -> bool:
        """Whether what stands in it is typed, and may be seen."""
        return not isinstance(self._editor, Choice) and not self.setting.hidden

    @property
    def is_long(self) -> bool:
        """Whether what stands in it is too long to be edited here."""
        return bool(self._long.display)

    def put(self, text: str) -> None:
        """Put another text into it; one that is too long to be edited is kept aside."""
        if isinstance(self._editor, Choice):
            return
        is_long = len(text) > LONGEST
        had_focus = self.has_focus_within
        if is_long:
            self._long.show(text)
        else:
            self._editor.text = safe(text)
        self._long.display, self._editor.display = is_long, not is_long
        if had_focus:
            self.focus_editor()
        self._quiet_at = self.text
        self.post_message(self.Changed())

    @on(LongText.Emptied)
    def _empty(self, message: LongText.Emptied) -> None:
        message.stop()
        self.put("")

    @on(TooLong)
    def _keep_aside(self, message: TooLong) -> None:
        message.stop()
        self.put(message.text)

    # Going there and leaving it

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line here."""
        return not isinstance(self._editor, Choice) and not self._long.display and self._editor.breaks_lines

    @property
    def can_be_edited(self) -> bool:
        """Whether it is there."""
        return bool(self.display)

    def focus_editor(self) -> None:
        """Go to the field."""
        (self._long if self._long.display else self._editor).focus()

    @on(Input.Submitted)
    @on(TextField.Entered)
    @on(Choice.Entered)
    @on(LongText.Entered)
    def _leave(self, message: Message) -> None:
        message.stop()
        self.post_message(FieldEntered(self))

    @on(events.DescendantFocus)
    def _show_help(self) -> None:
        if self.is_example and not isinstance(self._editor, Choice):
            self._editor.select_all()
        self.is_example = False
        self._help.display = bool(self.setting.help)
        self.add_class("-current")
        self.call_after_refresh(self.scroll_visible, animate=False)

    @on(events.DescendantBlur)
    def _hide_help(self) -> None:
        self._help.display = False
        self.remove_class("-current")
        self.close_offers()

    # What is said of it

    def misfit(self) -> str:
        """Why what stands in it stands for no value; empty when it does."""
        try:
            self.setting.read(self.text)
        except Misfit as error:
            return "this does not suit" if self.setting.hidden else str(error)
        return ""

    def tell(self, wrong: Sequence[Wrong]) -> None:
        """Show what is wrong; nothing when empty."""
        self._wrong.update(told(wrong))
        self._wrong.display = bool(wrong) and not self.offers_names

    def remark(self, text: str) -> None:
        """Show something of use; nothing when empty."""
        self._remark.update(Text("\n".join(visible_lines(text))))
        self._remark.display = bool(text) and not self.offers_names

    # Completions

    @property
    def offers_names(self) -> bool:
        """Whether the list of completions is open."""
        return self._offers.offer is not None

    @property
    def tab_takes(self) -> bool:
        """Whether a name in the list of completions is marked, to be taken by Tab."""
        return self._offers.has_mark

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Choice.Changed)
    def _look_again(self, message: Message) -> None:
        message.stop()
        if not isinstance(self._editor, Choice):
            quiet = self._completer is None or not self._editor.has_focus or self.text == self._quiet_at
            self._quiet_at = None
            self._show_offer(quiet)
        self.post_message(self.Changed())

    def _show_offer(self, quiet: bool) -> None:
        was_open = self.offers_names
        offer = self._completer(self._editor.before) if self._completer and not quiet else None  # type: ignore[union-attr]  # choices have no completer
        self._offers.offer = offer
        if was_open != self.offers_names:
            self.call_after_refresh(self._offers.scroll_visible, animate=False)
            self.post_message(self.OfferChanged())

    def close_offers(self) -> bool:
        """Close the list of completions.

        Returns:
            Whether it was open.
        """
        was_open = self.offers_names
        if was_open:
            self._show_offer(quiet=True)
            self.post_message(self.Changed())
        return was_open

    @on(CompletionList.Clicked)
    def take_offer(self) -> None:
        """Put the name under the cursor into the text."""
        offer = self._offers.offer
        if offer is not None and not isinstance(self._editor, Choice):
            self._editor.put_for(offer.typed, self._offers.name_at_cursor)
            self._quiet_at = self.text
            self.focus_editor()

    def _use_key(self, key: str) -> bool:
        """Do what a key means while the list of completions is open."""
        if not self.offers_names:
            return False
        match key:
            case "tab" if self.tab_takes:
                self.take_offer()
            case "escape":
                self.close_offers()
            case "down" | "up":
                self._offers.move(1 if key == "down" else -1)
                self.post_message(self.OfferChanged())
            case "enter" if self._offers.moved:
                self.take_offer()
            case _:
                return False
        return True


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that is wrong with what stands in a form."""

    message: str
    field: FormField | None = None
    """Below which field it is told; below all when None."""
    is_error: bool = True
    above: str = ""
    """Lines that point to the place, right below what was typed."""


def told(wrong: Iterable[Wrong]) -> Text:
    """Problems as lines, errors with a cross."""
    lines = []
    for one in wrong:
        mark = "✗" if one.is_error else "·"
        above = [f"{line}\n" for line in visible_lines(one.above)] if one.above else []
        text = "".join(above) + f"{mark} " + "\n  ".join(visible_lines(one.message))
        lines.append(Text(text, "" if one.is_error else "dim"))
    return Text("\n").join(lines)
