"""A dialog that shows lines, to be scrolled, copied and closed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph_tui.commands import LIST, bindings
from stepgraph_tui.widgets.chrome.key_line import KeyLine

from .dialog import scroll

_WIDEST = 124  # cells of the frame
_AROUND = 5  # cells beside the lines: the frame, a blank at both ends, the scroll bar
_ABOVE_AND_BELOW = 3  # the frame and the keys
Copy = Callable[[str], None]
"""Copies a text, and says so."""


class PageLines(ScrollView, can_focus=False, inherit_bindings=False):
    """PageLines of which only those in view are drawn; each is cut at the width."""

    DEFAULT_CSS = """
    PageLines {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
    }
    """
    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._lines: Sequence[Text] = ()

    def show(self, lines: Sequence[Text]) -> None:
        """Show other lines; each is safe to show."""
        self._lines = lines
        self.virtual_size = Size(1, len(lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one of the lines in view."""
        number = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        if number >= len(self._lines):
            return Strip.blank(width, self.rich_style)
        strip = Strip(self._lines[number].render(self.app.console, end=""))
        return strip.apply_style(self.rich_style).crop_extend(0, width, self.rich_style)


class Page(ModalScreen[None], inherit_bindings=False):
    """Shows the lines that ``lines`` makes for a width.

    Args:
        title: What is shown.
        copy: Copies a text; nothing can be copied without it.
    """

    BINDINGS = bindings(LIST)
    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    Page {
        align: center middle;
        & > Vertical {
            width: 100%;
            border: heavy $primary;
            background: $surface;
            color: $foreground;
        }
        & PageLines { height: 1fr; padding: 0 1; }
    }
    """

    def __init__(self, title: str, copy: Copy | None = None) -> None:
        super().__init__()
        self._title, self._copy = title, copy
        self._frame = Vertical()
        self._lines = PageLines()
        self._width = 0
        self._more = 0  # rows that other widgets take in the frame

    def lines(self, width: int) -> Sequence[Text]:
        """Make what there is to show, wrapped to so many cells."""
        raise NotImplementedError

    def text(self) -> str:
        """Join what can be copied."""
        return "\n".join(line.plain.rstrip() for line in self.lines(self._width))

    def compose(self) -> ComposeResult:
        """Put a frame with the title around the lines, and the keys below them."""
        self._frame.border_title = Content(self._title)
        with self._frame:
            yield self._lines
            yield KeyLine()

    def on_resize(self, event: events.Resize) -> None:
        """Make the lines anew for the width."""
        self.show_lines(event.size)

    def show_lines(self, size: Size) -> None:
        """Show what ``lines`` makes, in a frame that is no larger than it must be."""
        width = min(size.width, _WIDEST)
        self._width = max(1, width - _AROUND)
        lines = self.lines(self._width)
        self._lines.show(lines)
        self._frame.styles.width = width
        self._frame.styles.height = min(size.height, len(lines) + _ABOVE_AND_BELOW + self._more)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let copy only where somebody copies."""
        return action != "copy" or self._copy is not None

    def action_copy(self) -> None:
        """Copy all of it."""
        if self._copy is not None:
            self._copy(self.text())

    def action_scroll(self, way: str) -> None:
        """Scroll the lines."""
        scroll(self._lines, way)

    def action_close(self) -> None:
        """Close the dialog."""
        self.dismiss()
