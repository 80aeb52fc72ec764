"""The editor in which words are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from stepgraph_tui.commands import CHOICE, bindings
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import visible
from stepgraph_tui.widgets.lines import wrapped

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

    BINDINGS = bindings(CHOICE)
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "word-choice--chosen",
        "word-choice--other",
        "word-choice--cursor",
    }
    DEFAULT_CSS = """
    WordChoice {
        height: auto;
        padding: 0 1;
        border-left: solid $border-blurred;
        background: $panel;
        & > .word-choice--chosen { text-style: bold; }
        & > .word-choice--other { color: $text-muted; }
        & > .word-choice--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
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
        """Go to another word; where one is chosen, choose it."""
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
        lines = [Text(_GAP).join(self._marked(word) for word in line) for line in self._lines(width)]
        other = self.get_component_rich_style("word-choice--other")
        return Text("\n", no_wrap=True).join([*lines, *(Text(line, other) for line in self._rest(width))])

    def _rest(self, width: int) -> list[str]:
        """Tell what holds while none is chosen, in lines."""
        is_told = self._placeholder and not self._chosen
        return wrapped(f"empty: {self._placeholder}", max(1, width)) if is_told else []

    def _lines(self, width: int) -> list[list[str]]:
        """Arrange the words that stand on each line."""
        lines: list[list[str]] = [[]]
        used = 0
        for word in self.words:
            size = len(_GAP) + _MARK + cell_len(visible(word))
            if lines[-1] and used + size > width:
                lines.append([])
                used = 0
            used += size if lines[-1] else size - len(_GAP)
            lines[-1].append(word)
        return lines

    def _marked(self, word: str) -> Text:
        chosen = word in self._chosen
        mark = ("✓" if chosen else "·") if self.several else ("●" if chosen else "○")
        role = "chosen" if chosen else "other"
        if self.has_focus and self.words[self._cursor] == word:
            role = "cursor"
        style = self.get_component_rich_style(f"word-choice--{role}")
        return Text(f"{mark} {visible(word)}", style + Style(meta={"word": word}))
