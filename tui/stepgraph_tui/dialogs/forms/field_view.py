"""One field on the screen: its name, where its value is typed, and below it what helps and what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rich.style import Style
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from ...commands import bindings
from ...text.cells import cell_len, widest
from ...text.excerpts import fitted
from ...text.plain import visible_lines
from ...widgets.lines import LOOKS, wrapped
from ...widgets.part_styles import PartStyles
from ...widgets.words import Words, one_line
from .editors import AreaEditor, CompletionList, LineEditor, LongText, TextField, TooLong, safe
from .field import LONGEST, Field, FormProblem
from .formats import ChoiceFormat, SomeFormat, TomlFormat

_GAP = "   "
_MARK = 2  # cells of a word's mark


class WordChoice(Widget, can_focus=True, inherit_bindings=False):
    """Shows all words beside each other; one of them is chosen, or several are.

    Args:
        words: What can be chosen.
        text: What is chosen now, one word on each line; a word that is not offered stays on offer.
        placeholder: What holds while none is chosen.
        several: Whether any number of them may be chosen.
    """

    BINDINGS = bindings("choice")
    DEFAULT_CSS = """
    WordChoice {
        height: auto;
        padding: 0 1;
        border-left: solid $border-blurred;
        background: $panel;
        &:focus { border-left: heavy $primary; }
    }
    """

    @dataclass
    class Changed(Message):
        """Something else is chosen."""

    @dataclass
    class Entered(Message):
        """Enter was pressed: the choice is made."""

    def __init__(
        self, words: Sequence[str], text: str, placeholder: str = "", *, several: bool = False
    ) -> None:
        super().__init__()
        self._part_styles = PartStyles(self, LOOKS)
        self._placeholder = placeholder
        self._chosen = [word for word in text.split("\n") if word]
        self.words = (*words, *(word for word in self._chosen if word not in words))
        self.several = several
        self._cursor = self.words.index(self._chosen[0]) if self._chosen else 0

    @property
    def text(self) -> str:
        """What is chosen, one word on each line."""
        return "\n".join(self._chosen)

    def choose(self, word: str) -> None:
        """Choose a word; of several, choose it or no more."""
        self._cursor = self.words.index(word)
        if self.several:
            self._chosen = [one for one in self.words if (one in self._chosen) is not (one == word)]
        else:
            self._chosen = [word]
        self.refresh(layout=bool(self._placeholder))
        self.post_message(self.Changed())

    def action_step(self, by: int) -> None:
        """Move to another word; where one is chosen, choose it."""
        at = max(0, min(self._cursor + by, len(self.words) - 1))
        if self.several:
            self._cursor = at
            self.refresh()
        elif at != self._cursor or not self._chosen:
            self.choose(self.words[at])

    def action_take(self) -> None:
        """Choose the word under the cursor, or no more; where one is chosen, choose the next."""
        step = 0 if self.several or not self._chosen else 1
        self.choose(self.words[(self._cursor + step) % len(self.words)])

    def on_key(self, event: events.Key) -> None:
        """Enter leaves the field."""
        if event.key == "enter":
            event.stop()
            self.post_message(self.Entered())

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Choose what is clicked, before the help of the field comes and moves it away from the mouse."""
        word = event.style.meta.get("word")
        if word in self.words:
            self.choose(word)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the words take, and what holds without them."""
        return len(self._lines(width)) + len(self._rest(width))

    def render(self) -> Text:
        """Write the words, each with its mark; below them what holds while none is chosen."""
        width = self.content_size.width
        lines = [Text(_GAP).join(self._word_text(word) for word in line) for line in self._lines(width)]
        other = self._part_styles["dim"]
        return Text("\n", no_wrap=True).join([*lines, *(Text(line, other) for line in self._rest(width))])

    def _rest(self, width: int) -> list[str]:
        """Describe what holds while none is chosen, in lines."""
        is_told = self._placeholder and not self._chosen
        return wrapped(f"empty: {self._placeholder}", max(1, width)) if is_told else []

    def _lines(self, width: int) -> list[list[str]]:
        """Arrange the words that are on each line."""
        lines: list[list[str]] = [[]]
        used = 0
        for word in self.words:
            size = len(_GAP) + _MARK + widest((word,))
            if lines[-1] and used + size > width:
                lines.append([])
                used = 0
            used += size if lines[-1] else size - len(_GAP)
            lines[-1].append(word)
        return lines

    def _word_text(self, word: str) -> Text:
        chosen = word in self._chosen
        mark = ("✓" if chosen else "·") if self.several else ("●" if chosen else "○")
        part = "title" if chosen else "dim"
        if self.has_focus and self.words[self._cursor] == word:
            part = "cursor-focused"
        return one_line(f"{mark} {word}", self._part_styles[part] + Style(meta={"word": word}))


FieldStyle = Literal["setting", "question"]
"""How a field is laid out: a setting has its name at the left, and its note below while it has the focus; a
question has name, kind and note above, and typing replaces what is on its line."""


class FieldView(Horizontal):
    """Shows a field, and lets a person change what is in it.

    Args:
        field: What is asked for.
        style: How it is laid out.
        is_example: Whether typing replaces what is in it, when it is gone to for the first time.
    """

    DEFAULT_CSS = """
    FieldView {
        height: auto;
        &.-question { layout: vertical; margin-bottom: 1; }
        & > Vertical { height: auto; width: 1fr; }
        & Static { height: auto; }
        & .note, & .help, & .remark { color: $text-muted; }
        & .error { color: $error; }
        &.-setting {
            & > .label { padding-right: 1; color: $text-muted; }
            &.-current > .label { color: $foreground; text-style: bold; }
            & .help, & .remark, & .error { padding-left: 2; }
        }
    }
    """

    @dataclass
    class Changed(Message):
        """Something else is in the field."""

    @dataclass
    class Entered(Message):
        """Enter was pressed: the field is done."""

        view: FieldView

    @dataclass
    class OfferChanged(Message):
        """The list of completions was opened or closed, or another name in it is marked."""

    def __init__(self, field: Field, style: FieldStyle = "setting", *, is_example: bool = False) -> None:
        super().__init__(classes=f"-{style}")
        self.field = field
        self.label = Static(classes="label")
        self._is_setting, self._is_example = style == "setting", is_example or field.is_example
        self._long = LongText(field.text, can_be_emptied=self._is_setting)
        self._long.display = len(field.text) > LONGEST
        self._offers = CompletionList()
        self._quiet_at: str | None = None  # the text in which no more is offered
        self._wrong = Static(classes="error")
        self._remark = Static(classes="remark")
        help_ = field.help if self._is_setting else field.note  # a question says it beside its name
        self._help = Words(help_, classes="help" if self._is_setting else "note")
        self._wrong.display = self._remark.display = False
        self._help.display = bool(help_) and not self._is_setting

    @cached_property
    def _editor(self) -> LineEditor | AreaEditor | WordChoice:  # made late: an Input needs a running app
        field, format_ = self.field, self.field.format
        holds = field.placeholder
        if isinstance(format_, (ChoiceFormat, SomeFormat)):
            several = isinstance(format_, SomeFormat)
            return WordChoice(tuple(format_.words), field.text, holds, several=several)
        text = "" if self._long.display else field.text
        limit = LONGEST if self._is_setting else None
        if field.secret or (format_.editor == "line" and "\n" not in text):
            return LineEditor(
                text, self._use_key, holds, hidden=field.secret, limit=limit, typed_over=not self._is_setting
            )
        at_end = isinstance(format_, TomlFormat)
        lines = format_.editor == "lines"
        return AreaEditor(text, self._use_key, holds, lines=lines, at_end=at_end, limit=limit)

    def compose(self) -> ComposeResult:
        """Show the name, and beside or below it everything else."""
        name = one_line(self.field.label, "" if self._is_setting else "bold")
        question = Text.assemble(name, f"  {self.field.kind}")
        self.label.update(name if self._is_setting else question)
        yield self.label
        with Vertical():
            if not self._is_setting:
                yield self._help
            self._editor.display = not self._long.display
            yield self._editor
            if self._is_setting or self._long.display:
                yield self._long
            if self.field.completer is not None:
                yield self._offers
            yield self._wrong
            if self._is_setting or self.field.begins:
                yield self._remark
            if self._is_setting:
                yield self._help

    # What is in it

    @property
    def text(self) -> str:
        """What is in the field."""
        return self._long.text if self._long.display else self._editor.text

    @property
    def width(self) -> int:
        """How many cells of a line can be seen in it."""
        return self._editor.content_size.width

    @property
    def is_text(self) -> bool:
        """Whether what is in it is typed, and may be seen."""
        return not isinstance(self._editor, WordChoice) and not self.field.secret

    @property
    def has_choice(self) -> bool:
        """Whether there is more than one word to choose from."""
        return isinstance(self._editor, WordChoice) and len(self._editor.words) > 1

    def set_text(self, text: str) -> None:
        """Replace its text; one that is too long to be edited is kept aside."""
        if isinstance(self._editor, WordChoice):
            return
        is_long = self._is_setting and len(text) > LONGEST
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
        self.set_text("")

    @on(TooLong)
    def _keep_aside(self, message: TooLong) -> None:
        message.stop()
        self.set_text(message.text)

    # Going there and leaving it

    @property
    def breaks_lines(self) -> bool:
        """Whether Enter breaks the line here."""
        return (
            not isinstance(self._editor, WordChoice) and not self._long.display and self._editor.breaks_lines
        )

    @property
    def can_be_edited(self) -> bool:
        """Whether it is there, and can have the focus."""
        return bool(self.display) and (self._is_setting or not self._long.display)

    @property
    def place_of_focus(self) -> WordChoice | LineEditor | AreaEditor | LongText:
        """What has the focus when somebody goes there."""
        return self._long if self._long.display else self._editor

    def focus_editor(self) -> None:
        """Move to the field."""
        self.place_of_focus.focus()

    @on(Input.Submitted)
    @on(TextField.Entered)
    @on(WordChoice.Entered)
    @on(LongText.Entered)
    def _leave(self, message: Message) -> None:
        message.stop()
        self.post_message(self.Entered(self))

    @on(events.DescendantFocus)
    def _show_help(self) -> None:
        if self._is_example and not isinstance(self._editor, WordChoice):
            self._editor.select_all()
        self._is_example = False
        if self._is_setting:
            self._help.display = bool(self.field.help)
            self.add_class("-current")
            self.call_after_refresh(self.scroll_visible, animate=False)

    @on(events.DescendantBlur)
    def _hide_help(self) -> None:
        if self._is_setting:
            self._help.display = False
            self.remove_class("-current")
        self.close_offers()

    # Words below it

    def tell(self, problems: Sequence[FormProblem]) -> None:
        """Show what is wrong; nothing when empty."""
        self._say(
            self._wrong, problem_lines(problems, self.text if problems else "", self.width if problems else 0)
        )

    def remark(self, text: str) -> None:
        """Show something of use; nothing when empty."""
        self._say(self._remark, Text("\n".join(visible_lines(text))))

    def _say(self, static: Static, text: Text) -> None:
        """Show another text; one that is there already costs nothing.

        While names are offered nothing moves: the words keep their room below the list, unseen.
        """
        static.visible = not self.offers_names
        if self.offers_names:
            return
        if static.content != text:
            static.update(text)
        static.display = bool(text)

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
    @on(WordChoice.Changed)
    def _look_again(self, message: Message) -> None:
        message.stop()
        if not isinstance(self._editor, WordChoice):
            quiet = not self._editor.has_focus or self.text == self._quiet_at
            self._quiet_at = None
            self._show_offer(quiet=quiet)
        self.post_message(self.Changed())

    def _show_offer(self, *, quiet: bool) -> None:
        completer = self.field.completer
        if completer is None or isinstance(self._editor, WordChoice):
            return
        was_open = self.offers_names
        self._offers.offer = None if quiet else completer(self._editor.before)
        if was_open != self.offers_names:
            self.post_message(self.OfferChanged())

    def close_offers(self) -> None:
        """Close the list of completions."""
        if self.offers_names:
            self._show_offer(quiet=True)
            self.post_message(self.Changed())

    @on(CompletionList.Clicked)
    def take_offer(self) -> None:
        """Put the name under the cursor into the text."""
        offer = self._offers.offer
        if offer is not None and not isinstance(self._editor, WordChoice):
            self._editor.put_for(offer.typed, self._offers.name_at_cursor)
            self._quiet_at = self.text
            self.focus_editor()

    def _use_key(self, key: str) -> bool:
        """Handle a key while the list of completions is open."""
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


def problem_lines(problems: Iterable[FormProblem], text: str = "", width: int = 0) -> Text:
    """Write problems as lines, errors with a cross.

    Args:
        problems: What is wrong.
        text: What is in the field that they are shown below.
        width: The cells of a line in that field.
    """
    lines = []
    for one in problems:
        mark = "✗" if one.is_error else "·"
        above = "".join(f"{line}\n" for line in _pointer(one.excerpt, text, width))
        message = "\n  ".join(visible_lines(one.message))
        lines.append(Text(f"{above}{mark} {message}", "" if one.is_error else "dim"))
    return Text("\n").join(lines)


def _pointer(excerpt: str, text: str, width: int) -> list[str]:
    """Point right below the place, or below the line once more where the field cannot show that."""
    lines = fitted(excerpt, width)
    return lines[1:] if lines and lines[0] == text and cell_len(text) < width else lines
