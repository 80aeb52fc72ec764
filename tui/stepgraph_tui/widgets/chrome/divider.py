"""The line between two columns of panes, which the mouse can move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget


class Divider(Widget):
    """A line from top to bottom; where rules touch it, it has the characters that join them."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Divider {
        width: 1;
        height: 1fr;
        color: $text-muted;
        pointer: ew-resize;
        &:hover, &.-dragged { color: $primary; text-style: bold; }
    }
    """

    joints: reactive[Mapping[int, str]] = reactive(dict)
    """Other characters than ``│``, by their row; rows below 0 are counted from the bottom."""

    @dataclass
    class Moved(Message):
        """The mouse drags the line by so many cells, to the right when positive."""

        by: int

    _held_at: int | None = None

    def render_line(self, y: int) -> Strip:
        """Draw one cell of the line."""
        joint = self.joints.get(y) or self.joints.get(y - self.size.height)
        return Strip([Segment(joint or "│", self.rich_style)], 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the line."""
        self.capture_mouse()
        self.add_class("-dragged")
        self._held_at = event.screen_x

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Move the line with the mouse."""
        if self._held_at is not None and event.screen_x != self._held_at:
            by, self._held_at = event.screen_x - self._held_at, event.screen_x
            self.post_message(self.Moved(by))

    def on_mouse_up(self) -> None:
        """Let go of the line."""
        self.release_mouse()
        self.remove_class("-dragged")
        self._held_at = None
