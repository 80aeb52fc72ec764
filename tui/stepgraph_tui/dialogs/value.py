"""The dialog that shows the whole of a value, however large."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.text import Text
from textual import on, work
from textual.geometry import Size
from textual.message import Message
from textual.worker import get_current_worker

from stepgraph.values.compare import type_name
from stepgraph.values.json_values import Json
from stepgraph_tui.commands import COMMANDS, LIST, dialog_bindings
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.text.cells import cut
from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.widgets.chrome.find_bar import FindBar

from .long_text import TextRows, row_starts, safe
from .page import Copy, Page

_LARGE = 50_000  # characters and items, from which on a value is not wrapped while keys wait
_FIND = ("workbench.find", "workbench.find_next", "workbench.find_previous")
_TITLE = 60  # cells
_LOWEST = 5  # lines of the frame


class ValueDialog(Page, inherit_bindings=False):
    """Shows a text with its line breaks, anything else as indented JSON; both can be searched.

    Args:
        title: The value's path.
        value: Secrets in it are masked already.
        copy: Copies a text; nothing can be copied without it.
        hints: Names the keys.
    """

    BINDINGS = dialog_bindings([*LIST, *(COMMANDS[command] for command in _FIND)])

    class Wrapped(Message):
        """A large value was wrapped."""

        def __init__(self, rows: TextRows, width: int) -> None:
            super().__init__()
            self.rows = rows
            self.width = width

    def __init__(self, title: str, value: Json, copy: Copy | None = None, hints: Hints = UNMAPPED) -> None:
        super().__init__(f"{cut(visible(title[:_TITLE]), _TITLE)}  {size_of(value)}", copy)
        self._value = value
        self._large = is_large(value)
        self._safe: str | None = None  # the text that is shown, once it was made
        self._rows: TextRows | None = None
        self._wrapped = 0  # cells
        self._find_bar = FindBar(hints, closes="list.close")

    def on_mount(self) -> None:
        """Have a search field; it is there while it is used."""
        self._find_bar.display = False
        self._frame.mount(self._find_bar, after=self._lines)

    # What is shown

    def lines(self, width: int) -> Sequence[Text]:
        """Arrange the value in rows; a large one is wrapped aside, and shown when that is done."""
        if self._rows is None or width != self._wrapped:
            if self._large:
                self._wrap_aside(width)
                return self._rows or [Text("…", style="dim")]
            self._take(self._made(width), width)
        return self._rows or []

    def show_lines(self, size: Size) -> None:
        """Show the value in a frame that has room for a search field beside the shortest one."""
        self._frame.styles.min_height = min(size.height, _LOWEST)
        super().show_lines(size)

    def _made(self, width: int) -> TextRows:
        if self._safe is None:
            self._safe = safe(self._value if isinstance(self._value, str) else json_text(self._value))
        return TextRows(self._safe, row_starts(self._safe, width))

    @work(thread=True, exclusive=True, exit_on_error=False, group="wrapping")
    def _wrap_aside(self, width: int) -> None:
        rows = self._made(width)
        if not get_current_worker().is_cancelled:
            self.post_message(self.Wrapped(rows, width))

    @on(Wrapped)
    def _show_wrapped(self, message: Wrapped) -> None:
        self._take(message.rows, message.width)
        self.show_lines(self.size)

    def _take(self, rows: TextRows, width: int) -> None:
        self._rows, self._wrapped = rows, width
        if self._find_bar.display:
            self._find()

    def text(self) -> str:
        """Give the value itself: a text as it is, anything else as JSON."""
        return self._value if isinstance(self._value, str) else json_text(self._value)

    # Searching

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a next match only while a search is on."""
        if action == "find_next":
            return bool(self._find_bar.display)
        return super().check_action(action, parameters)

    def action_find(self) -> None:
        """Ask what to find."""
        self._find_bar.display = True
        self._find_bar.open()
        self.refresh_bindings()

    def action_find_next(self, by: int) -> None:
        """Go to the next match, or the one before."""
        if self._rows is not None:
            self._rows.turn(by)
            self._show_match(self._rows)

    @on(FindBar.Changed)
    def _find(self) -> None:
        """Go to the first match at or below the top of what is seen."""
        if self._rows is not None:
            self._rows.find(self._find_bar.text, self._lines.scroll_offset.y)
            self._show_match(self._rows)

    def _show_match(self, rows: TextRows) -> None:
        row, top = rows.match_row, self._lines.scroll_offset.y
        if row is not None and not top <= row < top + self._lines.size.height:
            self._lines.scroll_to(y=row - self._lines.size.height // 3, animate=False)
        self._lines.refresh()
        self._find_bar.found = rows.found() if self._find_bar.text else ""

    @on(FindBar.Submitted)
    def _leave_find_bar(self) -> None:
        self.set_focus(None)

    @on(FindBar.Closed)
    def _end_search(self) -> None:
        self.set_focus(None)
        self._find_bar.display = False
        if self._rows is not None:
            self._rows.find("", 0)
        self._lines.refresh()
        self.refresh_bindings()

    def action_close(self) -> None:
        """End the search; without one, close the dialog."""
        if self._find_bar.display:
            self._end_search()
        else:
            super().action_close()


def json_text(value: Json) -> str:
    """Write the value as JSON, indented."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def size_of(value: Json) -> str:
    """Tell the type of a value and how large it is: ``text, 10,485,760 characters``."""
    kind = type_name(value)
    if isinstance(value, str):
        return f"{kind}, {plural(len(value), 'character')}"
    if isinstance(value, list):
        return f"{kind}, {plural(len(value), 'item')}"
    return f"{kind}, {plural(len(value), 'key')}" if isinstance(value, dict) else kind


def is_large(value: Json, most: int = _LARGE) -> bool:
    """Whether a value has more characters and items than could be wrapped while keys wait."""
    waiting = [value]
    while waiting and most >= 0:
        part = waiting.pop()
        if isinstance(part, dict):
            most -= sum(map(len, part))
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
        most -= len(part) if isinstance(part, str) else 1
    return most < 0
