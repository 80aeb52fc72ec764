"""The list of completions below a field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from stepgraph_tui.text.cells import cut, padded

from .completing import Offer

_SHOWN = 6  # names at a time
_ENOUGH = 2  # letters, from which on somebody who goes on is likely to mean the first name


class CompletionList(Widget):
    """Names that could stand where somebody types.

    One of them is marked, to be taken, once there is something to go by: two letters, or an arrow key.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"completion-list--cursor", "completion-list--more"}
    DEFAULT_CSS = """
    CompletionList {
        overlay: screen;
        constrain: inside inflect;
        height: auto;
        padding: 0 1 0 2;
        background: $panel-lighten-1;
        & > .completion-list--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: $block-cursor-text-style;
        }
        & > .completion-list--more { color: $text-muted; }
    }
    """

    offer: reactive[Offer | None] = reactive(None, layout=True)
    cursor: reactive[int] = reactive(0)

    @dataclass
    class Clicked(Message):
        """A name was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.moved = False
        """Whether somebody went through the names: then Enter takes one, too."""

    def on_mount(self) -> None:
        """Nothing is offered before anything was typed."""
        self.display = False

    def watch_offer(self) -> None:
        """Begin at the first name; without any the list is not there."""
        self.cursor, self.moved = 0, False
        self.display = self.offer is not None

    @property
    def name_at_cursor(self) -> str:
        """The name under the cursor."""
        return self.offer.names[self.cursor] if self.offer is not None else ""

    @property
    def has_mark(self) -> bool:
        """Whether a name is marked, so that Tab takes it; after one letter it goes to the next field."""
        return self.offer is not None and (self.moved or len(self.offer.typed) >= _ENOUGH)

    def move(self, by: int) -> None:
        """Mark another name; the first or the last one when none is marked."""
        if self.offer is not None:
            at = self.cursor + by if self.has_mark else min(by, 0)
            self.moved = True
            self.cursor = at % len(self.offer.names)
            self.refresh()

    @property
    def _top(self) -> int:
        return max(0, self.cursor - _SHOWN + 1)

    def on_click(self, event: events.Click) -> None:
        """Take what is clicked."""
        at = self._top + event.y
        if self.offer is not None and event.y < _SHOWN and at < len(self.offer.names):
            self.cursor = at
            self.post_message(self.Clicked())

    def render(self) -> Text:
        """Some of the names, the one under the cursor among them."""
        if self.offer is None:
            return Text()
        names, top, width = self.offer.names, self._top, max(1, self.content_size.width)
        cursor = self.get_component_rich_style("completion-list--cursor")
        marked = self.cursor if self.has_mark else None
        lines = [
            Text(padded(f"▸ {name}", width), cursor) if at == marked else Text(cut(f"  {name}", width))
            for at, name in enumerate(names[top : top + _SHOWN], top)
        ]
        left = len(names) - top - _SHOWN
        if left > 0:
            lines.append(Text(f"  … {left} more", self.get_component_rich_style("completion-list--more")))
        return Text("\n").join(lines)
