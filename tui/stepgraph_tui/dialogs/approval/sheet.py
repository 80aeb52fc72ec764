"""The dialog's frame, and the sheet in it that is read: painted row by row, scrolled without a bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph_tui.widgets.chrome.one_line import OneLine, between, shorten
from stepgraph_tui.widgets.lines import strip_of

from .rows import Role, Row

FRAME = 4
"""Cells of a row that the frame takes at its two ends."""
_LEAST = 24  # cells that a row needs beside what stands at its right end


class Edge(OneLine):
    """A line of the frame with words in it.

    Args:
        ends: What it begins and ends with.
        line: What lies between.
    """

    DEFAULT_CSS = "Edge { color: $primary; }"

    def __init__(self, ends: str, line: str) -> None:
        super().__init__()
        self._ends, self._line = ends, line
        self._words = ("", "")

    def say(self, left: str, right: str = "") -> None:
        """Put words at the two ends of the line; they are safe to show."""
        if self._words != (left, right):
            self._words = left, right
            self.refresh()

    def line(self, width: int) -> Text:
        """The line, as long as there is room."""
        line, first, last = self._line, self._ends[0], self._ends[1]
        left, right = (
            Text(f"{line} {words} " if words else "", "bold" if line == "━" else "") for words in self._words
        )
        inner = max(0, width - 2)
        if right.cell_len + left.cell_len > inner:
            shorten(left, max(0, inner - right.cell_len))
        right.append(line * 3 if right and inner > 40 else "")
        return Text.assemble(first, between(left, right, inner, line), last)


class Sheet(ScrollView, can_focus=False, inherit_bindings=False):
    """The rows between the two sides of the frame."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Sheet {
        overflow: hidden;
        overflow-y: auto;
        scrollbar-size: 0 0;
        & > .sheet--frame { color: $primary; }
        & > .sheet--label { text-style: bold; color: $text-primary; }
        & > .sheet--data { color: $text-accent; }
        & > .sheet--dim { color: $text-muted; }
        & > .sheet--good { color: $text-success; text-style: bold; }
        & > .sheet--bad { color: $text-error; text-style: bold; }
        & > .sheet--warn { color: $text-warning; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"sheet--{part}" for part in ("frame", "label", "data", "dim", "good", "bad", "warn")
    }

    class Looked(Message):
        """Another part of the rows is seen."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[Row] = ()

    @property
    def seen(self) -> int:
        """How many rows, from the top, have come into view down to where the sheet is scrolled now."""
        return min(len(self.rows), self.scroll_offset.y + self.size.height)

    def show(self, rows: Sequence[Row], *, from_top: bool) -> None:
        """Show other rows."""
        self.rows = rows
        self.virtual_size = Size(self.size.width, len(rows))
        if from_top:
            self.scroll_to(0, 0, animate=False)
        self.refresh()
        self.post_message(self.Looked())

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell what is seen now."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Looked())

    def on_resize(self) -> None:
        """Tell what is seen now."""
        self.virtual_size = Size(self.size.width, len(self.rows))
        self.post_message(self.Looked())

    def render_line(self, y: int) -> Strip:
        """Paint a row."""
        width, number = self.size.width, y + self.scroll_offset.y
        frame = self.get_component_rich_style("sheet--frame")
        row = self.rows[number] if number < len(self.rows) else Row()
        if row.rule:
            return Strip([Segment(f"┠{'─' * (width - 2)}┨"[:width], frame)])
        inner = max(0, width - FRAME)
        ends = Strip([Segment("┃ ", frame)]), Strip([Segment(" ┃", frame)])
        return Strip.join([ends[0], self._painted(row, inner), ends[1]]).crop(0, width)

    def _painted(self, row: Row, width: int) -> Strip:
        parts = [(text, self._style(role)) for text, role in row.parts]
        right = row.right or ("", "plain")
        size = cell_len(right[0])
        used = sum(cell_len(text) for text, _ in row.parts)
        if not size or width - size - 2 < min(_LEAST, used):
            return strip_of(parts, width, self.rich_style)
        left = strip_of(parts, width - size - 2, self.rich_style)
        return Strip.join([left, Strip([Segment(f"  {right[0]}", self._style(right[1]))])])

    def _style(self, role: Role) -> Style:
        return self.rich_style if role == "plain" else self.get_component_rich_style(f"sheet--{role}")
