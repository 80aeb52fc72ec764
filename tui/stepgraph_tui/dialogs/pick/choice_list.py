"""The list below the field: lines of which only those in view are drawn, with one cursor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph_tui.widgets.lines import Part, marked, strip_of
from stepgraph_tui.words.cells import padded
from stepgraph_tui.words.text import visible

from .choice import Choice, ranked

_LEAST, _GAP = 12, "  "


class ChoiceList(ScrollView, can_focus=False, inherit_bindings=False):
    """Shows choices, all of them or those that fit a text; the best has the cursor until it is moved.

    Args:
        choices: What there is, in its own order.
        current: The id of the one that has the cursor while all are shown; else it is the first.
    """

    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "choices--cursor", "choices--found", "choices--note", "choices--nothing",
    }  # fmt: skip
    DEFAULT_CSS = """
    ChoiceList {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & .choices--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
        & .choices--found { text-style: bold underline; }
        & .choices--note, & .choices--nothing { color: $text-muted; }
    }
    """

    class Taken(Message):
        """A choice was clicked twice."""

    def __init__(self, choices: Sequence[Choice], current: str = "") -> None:
        super().__init__()
        self._all, self._current = choices, current
        self._choices = choices
        self._typed = ""
        self._words: re.Pattern[str] | None = None
        self._cursor = 0
        # One column for all, so that nothing jumps while they are narrowed down.
        self._column = max((cell_len(visible(one.short_name)) for one in choices), default=_LEAST)
        self._marks = max((cell_len(visible(one.mark)) for one in choices), default=0)

    def on_mount(self) -> None:
        """Show all."""
        self.narrow_down("")

    @property
    def selected(self) -> Choice | None:
        """The choice with the cursor; None when there is none."""
        return self._choices[self._cursor] if self._choices else None

    def narrow_down(self, text: str) -> None:
        """Show what fits a text, the best first."""
        self._typed = text.strip()
        self._choices = ranked(self._all, text)
        words = sorted(text.split(), key=len, reverse=True)
        self._words = re.compile(f"({'|'.join(map(re.escape, words))})", re.IGNORECASE) if words else None
        self.virtual_size = Size(1, max(1, len(self._choices)))
        places = (at for at, one in enumerate(self._choices) if one.id == self._current)
        self._cursor = 0 if words else next(places, 0)
        self._show_cursor()

    def move(self, by: int) -> None:
        """Move the cursor by so many choices, as far as there are any."""
        self._cursor = max(0, min(self._cursor + by, len(self._choices) - 1))
        self._show_cursor()

    def turn(self, by: int) -> None:
        """Move the cursor by so many pages."""
        self.move(by * max(1, self.size.height - 1))

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(0, self._cursor, 1, 1), animate=False, x_axis=False)
        self.refresh()

    def on_resize(self) -> None:
        """There is more or less room."""
        self._show_cursor()

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked; take what is clicked twice."""
        at = round(self.scroll_offset.y) + event.y
        if at < len(self._choices):
            self.move(at - self._cursor)
            if event.chain == 2:
                self.post_message(self.Taken())

    def render_line(self, y: int) -> Strip:
        """A choice, or that there is none."""
        at = round(self.scroll_offset.y) + y
        width = self.scrollable_content_region.width
        if at < len(self._choices):
            has_cursor = at == self._cursor
            base = self.get_component_rich_style("choices--cursor") if has_cursor else self.rich_style
            return strip_of(self._parts(self._choices[at], has_cursor, width), width, base)
        if self._choices or at:
            return Strip.blank(width, self.rich_style)
        said = (
            f" Nothing here fits {visible(self._typed)!r}." if self._typed else " There is nothing to take."
        )
        return strip_of([(said, self.get_component_rich_style("choices--nothing"))], width, self.rich_style)

    def _parts(self, choice: Choice, has_cursor: bool, width: int) -> Iterator[Part]:
        base = self.get_component_rich_style("choices--cursor") if has_cursor else self.rich_style
        quiet = base if has_cursor else self.get_component_rich_style("choices--note")
        yield ("▸ " if has_cursor else "  ", base)
        if self._marks:
            yield (f"{padded(visible(choice.mark), self._marks)}  ", base)
        name, note = visible(choice.short_name), visible(choice.short_note)
        column = min(self._column, max(_LEAST, width // 2)) if note else width
        shown = [(padded(name, column), base)]
        found = self.get_component_rich_style("choices--found", partial=True)
        yield from shown if self._words is None else marked(shown, self._words, found)
        yield (f"{_GAP}{note}", quiet)
