"""The dialog that shows the whole of a value, however large."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, overload

from rich.style import Style
from rich.text import Text
from textual import on, work
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.worker import get_current_worker

from stepgraph.expressions import MISSING, Missing
from stepgraph.values import Json, StepgraphError, type_name

from ..commands import dialog_bindings
from ..commands.hints import UNMAPPED, Hints
from ..text.cells import cut, reach
from ..text.diffs import Mark, MarkedText, value_diff
from ..text.plain import plural, visible_lines
from ..widgets.chrome.find_bar import FindBar
from ..widgets.chrome.status_lines import OneLine, between
from ..widgets.part_styles import PartStyles
from .pages import Copy, Page

if TYPE_CHECKING:
    from ..widgets.state.pane import ValueVersions


MOST_MATCHES = 10_000
"""How many matches of a search are counted."""


def safe(text: str) -> str:
    """Return the text with its line breaks, and whatever else could fool a terminal as escapes."""
    return "\n".join(visible_lines(text))


def row_starts(text: str, width: int) -> array[int]:
    """Find where the rows of a safe text begin at a width of ``width`` cells; lines break between words."""
    starts = array("Q")
    at = 0
    while at <= len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        for start in _starts_in_line(text, at, end, max(2, width)):
            starts.append(start)
        at = end + 1
    return starts


def _starts_in_line(text: str, at: int, end: int, width: int) -> Iterator[int]:
    yield at
    while True:
        last = min(end, reach(text, at, width))
        if last >= end:
            return
        space = text.rfind(" ", at + 1, last + 1)
        at = space + 1 if space > 0 else last
        if at >= end:  # nothing but the space that the line was broken at
            return
        yield at


class TextRows(Sequence[Text]):
    """The rows of a text, made as they are asked for, with the matches of a search in them.

    Args:
        shown: Safe to show.
        starts: Where the rows begin, from ``row_starts``.
        looks: How what went and what came looks.
    """

    def __init__(self, shown: MarkedText, starts: array[int], looks: Mapping[Mark, Style] = {}) -> None:
        self.shown = shown
        self.text = shown.text
        self._looks = looks
        self._starts = starts
        self._matches: list[int] = []
        self._length = 0
        self._at = 0
        self._more = False
        self.mark = Style(underline=True)
        """How matches look."""
        self.mark_here = Style(reverse=True)
        """How the match looks that is looked at."""

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Text: ...
    @overload
    def __getitem__(self, index: slice) -> list[Text]: ...
    def __getitem__(self, index: int | slice) -> Text | list[Text]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        start = self._starts[index]
        stop = self._starts[index + 1] if index + 1 < len(self) else len(self.text)
        stop = start + len(self.text[start:stop].rstrip("\n"))
        row = Text(no_wrap=True, end="")
        for mark, text in self.shown.parts(start, stop):
            row.append(text, self._looks.get(mark))
        first = bisect_right(self._matches, start - self._length)
        for number in range(first, bisect_left(self._matches, stop)):
            match = self._matches[number]
            look = self.mark_here if number == self._at else self.mark
            row.stylize(look, max(0, match - start), match + self._length - start)
        return row

    def find(self, text: str, near: int) -> None:
        """Mark a text wherever it is, whatever its case, and look at the first at or after a row."""
        pattern = re.compile(re.escape(text), re.IGNORECASE)
        found = islice(pattern.finditer(self.text), MOST_MATCHES + 1) if text else iter(())
        self._matches, self._length = [match.start() for match in found], len(text)
        self._more = len(self._matches) > MOST_MATCHES
        del self._matches[MOST_MATCHES:]
        top = self._starts[min(near, len(self) - 1)]
        self._at = bisect_left(self._matches, top)
        self.turn(0)

    def turn(self, by: int) -> None:
        """Look at the next match, or the one before; after the last comes the first."""
        self._at = (self._at + by) % max(1, len(self._matches))

    @property
    def match_row(self) -> int | None:
        """The row where the match begins that is looked at."""
        return bisect_right(self._starts, self._matches[self._at]) - 1 if self._matches else None

    def match_text(self) -> str:
        """Describe which match is looked at."""
        if not self._matches:
            return "not found"
        return f"{self._at + 1} of {len(self._matches):,}{' and more' if self._more else ''}"


_LARGE = 50_000  # characters and items, from which on a value is not wrapped while keys wait
_FIND = ("workbench.find", "workbench.find_next", "workbench.find_previous")
_TITLE = 60  # cells
_LOWEST = 5  # lines of the frame


class VersionLine(OneLine):
    """Says which version of a value is shown, and how."""

    DEFAULT_CSS = "VersionLine { padding: 0 1; color: $text-muted; }"

    def __init__(self) -> None:
        super().__init__()
        self._words = ("", "")

    def say(self, left: str, right: str) -> None:
        """Show words at the two ends; they are safe to show."""
        self._words = left, right
        self.refresh()

    def line(self, width: int) -> Text:
        """Put both on one line, as far as there is room."""
        left, right = self._words
        return between(Text(left), Text(f"  {right}"), width)


_LOOKS = {"+": "bold $text-success", "-": "strike $text-error"}
"""What has come into a value, and what has gone."""


class ValueDialog(Page, inherit_bindings=False):
    """Shows a text with its line breaks, anything else as indented JSON; both can be searched.

    Of a value with versions it shows one of them: what changed in it, or the whole of it.

    Args:
        title: The value's path.
        value: Secrets in it are masked already.
        copy: Copies a text; nothing can be copied without it.
        hints: Names the keys.
        versions: The versions of the value, and which of them is shown at first.
        compare: Whether what changed in it is shown at first.
    """

    BINDINGS = dialog_bindings("list", "value", *_FIND)

    class Wrapped(Message):
        """A large value was wrapped."""

        def __init__(self, rows: TextRows, width: int, version: int, compare: bool) -> None:
            super().__init__()
            self.rows = rows
            self.width = width
            self.about = version, compare

    def __init__(
        self,
        title: str,
        value: Json,
        copy: Copy | None = None,
        hints: Hints = UNMAPPED,
        *,
        versions: tuple[ValueVersions, int] | None = None,
        compare: bool = False,
    ) -> None:
        super().__init__("", copy)
        self._path = cut(title[:_TITLE], _TITLE)
        self._value: Json = value
        self._old: Json | Missing = MISSING
        self._is_gone = False
        self._versions: ValueVersions | None = None
        self._at = 0
        if versions is not None:
            self._versions, self._at = versions
        self._more = int(versions is not None)
        self._compare = compare
        self._looks: dict[Mark, Style] = {}
        self._rows: TextRows | None = None
        self._wrapped = 0  # cells
        self._find_bar = FindBar(hints, closes="list.close")
        self._version_line = VersionLine()
        self._take_version()

    def on_mount(self) -> None:
        """Create a search field, visible while it is used."""
        self._find_bar.display = False
        self._frame.mount(self._find_bar, after=self._lines)
        self._version_line.display = self._versions is not None
        self._frame.mount(self._version_line, before=self._lines)

    # Versions

    def _take_version(self) -> None:
        """Take the version that is to be shown."""
        versions = self._versions
        if versions is not None:
            try:
                self._old, new = versions.values(self._at)
            except StepgraphError as error:
                self._old, new = MISSING, str(error)
            self._is_gone = isinstance(new, Missing)
            self._value = self._old if isinstance(new, Missing) else new  # type: ignore[assignment]  # one is there
            shown = "what changed" if self._comparing else "removed" if self._is_gone else "whole"
            self._version_line.say(versions.words(self._at), shown)
        self._title = f"{self._path}  {size_of(self._value)}"
        self._frame.border_title = Content(self._title)
        self._large = is_large(self._value) or (self._comparing and is_large(self._old))  # type: ignore[arg-type]
        self._rows = None

    @property
    def _comparing(self) -> bool:
        """Whether what changed is shown, rather than the whole value."""
        return self._compare and not isinstance(self._old, Missing) and not self._is_gone

    @property
    def _ways(self) -> tuple[int, ...]:
        """Where there are other versions: before (-1) and after (1) the one that is shown."""
        last = len(self._versions) - 1 if self._versions is not None else 0
        return (-1,) * (self._at > 0) + (1,) * (self._at < last)

    def action_version(self, by: int) -> None:
        """Show the version before or after."""
        self._at += by
        self._show_version()

    def action_mode(self) -> None:
        """Show what changed, or the whole value."""
        self._compare = not self._compare
        self._show_version()

    def _show_version(self) -> None:
        self._take_version()
        self._lines.scroll_home(animate=False)
        self.show_lines(self.size)
        self.refresh_bindings()

    # What is shown

    def lines(self, width: int) -> Sequence[Text]:
        """Arrange the value in rows; a large one is wrapped aside, and shown when that is done."""
        if self._rows is None or width != self._wrapped:
            if self._large:
                self._wrap_aside(width, self._at, self._compare)
                return self._rows or [Text("…", style="dim")]
            self._take(self._make_rows(width), width)
        return self._rows or []

    def show_lines(self, size: Size) -> None:
        """Show the value in a frame that has room for a search field beside the shortest one."""
        styles = PartStyles(self, _LOOKS, over=_LOOKS)
        self._looks = {"+": styles["+"], "-": styles["-"]}
        self._frame.styles.min_height = min(size.height, _LOWEST + self._more)
        super().show_lines(size)

    def _make_rows(self, width: int) -> TextRows:
        shown = self._rows.shown if self._rows is not None else self._marked_text()
        return TextRows(shown, row_starts(shown.text, width), self._looks)

    def _marked_text(self) -> MarkedText:
        if self._comparing:
            return value_diff(self._old, self._value)  # type: ignore[arg-type]  # there is one to compare with
        text = safe(self.text())
        return MarkedText(text, ((0, len(text), "-"),) if self._is_gone else ())

    @work(thread=True, exclusive=True, exit_on_error=False, group="wrapping")
    def _wrap_aside(self, width: int, version: int, compare: bool) -> None:
        rows = self._make_rows(width)
        if not get_current_worker().is_cancelled:
            self.post_message(self.Wrapped(rows, width, version, compare))

    @on(Wrapped)
    def _show_wrapped(self, message: Wrapped) -> None:
        if message.about == (self._at, self._compare):  # else somebody was quicker
            self._take(message.rows, message.width)
            self.show_lines(self.size)

    def _take(self, rows: TextRows, width: int) -> None:
        self._rows, self._wrapped = rows, width
        if self._find_bar.display:
            self._find()

    def text(self) -> str:
        """Return the value itself: a text as it is, anything else as JSON."""
        return self._value if isinstance(self._value, str) else json_text(self._value)

    # Searching

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a next match only while a search is on, and an earlier version only where one is."""
        if action == "find_next":
            return bool(self._find_bar.display)
        if action == "version":
            return self._versions is not None and parameters[0] in self._ways
        if action == "mode":
            return not isinstance(self._old, Missing) and not self._is_gone
        return super().check_action(action, parameters)

    def action_find(self) -> None:
        """Ask what to find."""
        self._find_bar.display = True
        self._find_bar.open()
        self.refresh_bindings()

    def action_find_next(self, by: int) -> None:
        """Move to the next match, or the one before."""
        if self._rows is not None:
            self._rows.turn(by)
            self._show_match(self._rows)

    @on(FindBar.Changed)
    def _find(self) -> None:
        """Move to the first match at or below the top of what is seen."""
        if self._rows is not None:
            self._rows.find(self._find_bar.text, self._lines.scroll_offset.y)
            self._show_match(self._rows)

    def _show_match(self, rows: TextRows) -> None:
        row, top = rows.match_row, self._lines.scroll_offset.y
        if row is not None and not top <= row < top + self._lines.size.height:
            self._lines.scroll_to(y=row - self._lines.size.height // 3, animate=False)
        self._lines.refresh()
        self._find_bar.found = rows.match_text() if self._find_bar.text else ""

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
    """Describe a value's type and size: ``text, 10,485,760 characters``."""
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
