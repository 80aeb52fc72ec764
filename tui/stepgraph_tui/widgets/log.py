"""The pane that shows what node code printed and what models replied, step by step."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, pairwise
from math import inf
from typing import NamedTuple, overload

from textual import events
from textual.message import Message
from textual.reactive import var

from ..commands import bindings
from ..text.cells import cell_len, ends_of_rows
from ..text.plain import LONG, plural, visible_lines
from ..worker import Printed, Source
from .chrome.pane import Pane
from .lines import FOUND, LineView, Role, Search, TextLine, Way

FIRST, LAST = 200_000, 4_000_000
"""How many characters are kept from the beginning, and from the end."""
_COST = 50  # characters that a line costs beside its own


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line as it was printed, but not made safe to show; or the heading of what a step printed."""

    text: str
    step: int
    heading: bool = False
    source: Source = "output"
    """Who said it."""
    goes_on: bool = False
    """Whether it goes on with the line before, which had no room for it."""


class KeptLines(Sequence[PrintedLine]):
    """The first lines of all, and the last ones; of very many, those in between are forgotten."""

    def __init__(self) -> None:
        self._first: list[PrintedLine] = []
        self._last: deque[PrintedLine] = deque()
        self._room, self._held = FIRST, 0  # characters that can still be first, and that are last
        self.gone = 0
        """How many lines in between are forgotten."""
        self.gone_characters = 0
        self.gone_from = 0
        """The step that the first of those belonged to."""

    @property
    def gap(self) -> int:
        """The place of the line before which some are forgotten."""
        return len(self._first)

    def __len__(self) -> int:
        return len(self._first) + len(self._last)

    @overload
    def __getitem__(self, index: int) -> PrintedLine: ...
    @overload
    def __getitem__(self, index: slice) -> list[PrintedLine]: ...
    def __getitem__(self, index: int | slice) -> PrintedLine | list[PrintedLine]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        return self._first[index] if index < len(self._first) else self._last[index - len(self._first)]

    def __iter__(self) -> Iterator[PrintedLine]:
        return chain(self._first, self._last)

    def add(self, line: PrintedLine) -> int:
        """Keep a line.

        Returns:
            How many are forgotten for it.
        """
        cost = len(line.text) + _COST
        if not self._last and not self.gone and cost <= self._room:
            self._first.append(line)
            self._room -= cost
            return 0
        self._last.append(line)
        self._held += cost
        before = self.gone
        while self._held > LAST and len(self._last) > 1:
            old = self._last.popleft()
            self._held -= len(old.text) + _COST
            self.gone_from = self.gone_from or old.step
            self.gone += 1
            self.gone_characters += len(old.text)
        return self.gone - before

    def take_back(self) -> None:
        """Remove the last line: it goes on."""
        if self._last:
            self._held -= len(self._last.pop().text) + _COST
        else:
            self._room += len(self._first.pop().text) + _COST

    def rewrap(self, width: int) -> None:
        """Break the lines of replies into rows of ``width`` cells again."""
        self._first = list(rewrapped(self._first, width))
        self._last = deque(rewrapped(self._last, width))
        self._held = sum(len(line.text) + _COST for line in self._last)


def rewrapped(lines: Iterable[PrintedLine], width: int) -> Iterator[PrintedLine]:
    """Join the rows of each line of a reply, and break it into rows of ``width`` cells; other lines stay."""
    whole: PrintedLine | None = None
    for line in chain(lines, (None,)):
        if line is not None and line.goes_on and whole is not None:
            whole = replace(whole, text=whole.text + line.text)
            continue
        if whole is not None:
            for row in reply_rows(whole.text, width, goes_on=whole.goes_on):
                yield replace(whole, text=row.text, goes_on=row.goes_on)
        whole = line if line is not None and line.source in ("model", "call") else None
        if line is not None and whole is None:
            yield line


class LineItems(Sequence[range]):
    """The lines that the cursor can be on: all but the one that counts those that are forgotten."""

    def __init__(self, kept: KeptLines) -> None:
        self._kept = kept

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> range: ...
    @overload
    def __getitem__(self, index: slice) -> list[range]: ...
    def __getitem__(self, index: int | slice) -> range | list[range]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        line = index + (self._kept.gone > 0 and index >= self._kept.gap)
        return range(line, line + 1)


HELD = 400
"""Characters of an unfinished line that can still change: a secret that comes in pieces is hidden in them."""


class ReplyRow(NamedTuple):
    """A row of a reply, safe to show."""

    text: str
    goes_on: bool
    """Whether it goes on with the line of the row before."""


def reply_rows(line: str, width: int, *, goes_on: bool) -> Iterator[ReplyRow]:
    """Break a line of a reply into rows of ``width`` cells; ``goes_on`` is that of its first row."""
    for start, end in pairwise((0, *ends_of_rows(line, width, width))):
        yield ReplyRow(line[start:end], goes_on or start > 0)


class WrappedReply:
    """Breaks what a model says into rows, piece by piece; what came long ago is not looked at again."""

    def __init__(self) -> None:
        self._rows: list[ReplyRow] = []  # the rows that what comes next may still change

    @property
    def changeable(self) -> int:
        """How many of the last rows are given again with the next piece."""
        return len(self._rows)

    def rewrap(self, rows: list[ReplyRow]) -> None:
        """Take the rows that its last line has now, if it is not ended."""
        self._rows = rows if self._rows else []

    def add(self, text: str, width: int, mask: Callable[[str], str]) -> list[ReplyRow]:
        """Add the next piece; return all rows from the first that may have changed.

        Args:
            text: The piece, as it came.
            width: The cells of a row.
            mask: Hides secrets in a text.
        """
        goes_on = bool(self._rows) and self._rows[0].goes_on
        whole = mask("".join(row.text for row in self._rows) + text.replace("\r\n", "\n"))
        rows: list[ReplyRow] = []
        for line in visible_lines(whole):
            rows += reply_rows(line, width, goes_on=goes_on)
            goes_on = False
        first = held = 0
        for first in range(len(rows) - 1, -1, -1):
            held += len(rows[first].text)
            if held >= HELD or not rows[first].goes_on:
                break
        self._rows = [] if rows[-1] == ReplyRow("", goes_on=False) else rows[first:]
        return rows if self._rows else rows[:-1]


_LONGEST = 100_000  # characters of a line
_LEAST = 8  # cells of a row of a reply
_EMPTY = "What the nodes print or log will appear here, step by step."
_GUTTERS: dict[Source, str] = {
    "output": " │ ",
    "error": "2│ ",  # as a shell calls it
    "model": "m│ ",
    "call": " ▸ ",
}
_SAID: dict[Source, str] = {
    "output": "stdout",
    "error": "stderr",
    "model": "a model's reply",
    "call": "a call",
}
_ROOM = len(_GUTTERS["output"])


class LogPane(Pane, inherit_bindings=False):
    """What node code printed and models replied. Of very much the beginning and the end are kept."""

    BINDINGS = bindings("log")
    DEFAULT_CSS = """
    LogPane {
        overflow: hidden auto;
        scrollbar-size-vertical: 1;
    }
    """

    @dataclass
    class WholeAsked(Message):
        """A line is to be shown in full."""

        title: str
        value: str
        versions: None = None
        changed: bool = False

    lines: LineView
    search: Search
    mask: var[Callable[[str], str]] = var(lambda: str)
    """Hides the secrets of the run in a text."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._kept = KeptLines()
        self._step: tuple[str, int] | None = None
        self._open: str | None = None  # the last line as it came, while its line break is still to come
        self._open_source: Source = "output"
        self._reply, self._reply_width = WrappedReply(), 0
        self._left = 0  # cells of all lines that are left of what is seen
        self._following = True  # whether the last line stays in view as lines come
        self.lines = LineView(
            self, self, empty=_EMPTY, keep=self._follow, looks={**FOUND, "here": f"reverse {FOUND['here']}"}
        )
        self.lines.items = LineItems(self._kept)
        self.lines.search = self.search = Search(self._texts, lambda: self.lines.at, self._show_match)

    def add(self, printed: Printed) -> None:
        """Show what was printed. A line that was not ended goes on with what the same step prints next."""
        if self.scroll_target_y < self.max_scroll_y:  # somebody has begun to scroll up
            self._following = False
        had_gap, gone = self._kept.gone > 0, 0
        for line in self._new(printed):
            gone += self._kept.add(line)
        moved = gone + (gone > 0 and not had_gap)  # lines that what is in view moves up by
        if self.lines.at >= self._kept.gap:
            self.lines.at = max(self._kept.gap, self.lines.at - gone)
        self.lines.cursor = self.lines.selected
        place = self.search.place or 0
        self.search.renew(place if place < self._kept.gap else max(self._kept.gap, place - gone))
        self.inform(plural(self._kept.gone + len(self._kept), "line"))
        self.lines.arrange()
        if moved and not self._following and self.lines.top > self._kept.gap:
            self.scroll_to(y=max(self._kept.gap, self.lines.top - moved), animate=False, force=True)

    def _new(self, printed: Printed) -> Iterator[PrintedLine]:
        """Build the lines that are to be added; an unended line is removed first."""
        text, step = printed.text, (printed.run_id, printed.step)
        if not text:
            return
        if step != self._step:
            yield PrintedLine(self._heading(printed), printed.step, heading=True)
            self._step, self._open = step, None
            self._reply = WrappedReply()
        if printed.source != self._open_source:
            self._reply = WrappedReply()
        if printed.source in ("model", "call"):
            self._open, self._open_source = None, printed.source
            yield from self._replied(printed)
            return
        if self._open is not None and self._open_source == printed.source:
            self._kept.take_back()
            text = self._open + text
        self._open = text[text.rfind("\n") + 1 :][:_LONGEST] or None
        self._open_source = printed.source
        for line in self.mask(text.removesuffix("\n")).split("\n"):
            shown = line.removesuffix("\r")
            if len(shown) > _LONGEST:
                shown = f"{shown[:_LONGEST]}… {len(shown) - _LONGEST:,} more characters are not kept"
            yield PrintedLine(shown, printed.step, source=printed.source)

    def _replied(self, printed: Printed) -> Iterator[PrintedLine]:
        """Build the rows of what a call says; those that may have changed are removed first."""
        for _ in range(self._reply.changeable):
            self._kept.take_back()
        if not self._reply_width:
            self._reply_width = _width_of_replies(self, self.app.size.width)  # it was not shown yet
        for row in self._reply.add(printed.text, self._reply_width, self.mask):
            yield PrintedLine(row.text, printed.step, source=printed.source, goes_on=row.goes_on)

    def _heading(self, printed: Printed) -> str:
        if not printed.run_id:
            return f"import of {printed.node}"
        run = "" if self._step is not None and self._step[0] == printed.run_id else f"  run {printed.run_id}"
        return f"step {printed.step}  {printed.node}{run}"

    def _follow(self) -> None:
        """Show the end, if it was in view before."""
        if self._following:
            self.lines.select(inf)
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the end for as long as it is in view."""
        super().watch_scroll_y(old_value, new_value)
        if self.size:
            self._following = round(new_value) >= self.max_scroll_y

    def watch_mask(self) -> None:
        """Hide what there is to hide now."""
        self.lines.repaint()

    # The lines

    def fit(self, width: int, height: int) -> int:
        """Count the lines; of each is shown what there is room for, but replies are broken into rows."""
        if width and (room := _width_of_replies(self, width)) != self._reply_width:
            self._rewrap(room)
        return len(self._kept) + (self._kept.gone > 0)

    def _rewrap(self, width: int) -> None:
        """Break replies into rows of this many cells; the cursor stays on its line."""
        kept, self._reply_width = self._kept, width
        before = sum(not line.goes_on for line in islice(kept, self.lines.at + 1))
        kept.rewrap(width)
        starts = [place for place, line in enumerate(kept) if not line.goes_on]
        if starts:
            self.lines.at = starts[max(0, before - 1)]
            last = kept[starts[-1] :]
            self._reply.rewrap([ReplyRow(line.text, line.goes_on) for line in last])
        self.lines.cursor = self.lines.selected

    def line(self, number: int) -> TextLine:
        """Build a line as it was printed, or one that counts how many are gone."""
        kept = self._kept
        if kept.gone and number == kept.gap:
            return TextLine([(self._gap_text, "dim")])
        place = number - (kept.gone > 0 and number > kept.gap)
        line = kept[place]
        text = self._in_pane(line)
        if line.source in ("model", "call"):
            text = text.rstrip(" ")  # the blank that a row ends behind has no room of its own
        if line.heading:
            return TextLine([(text, "heading")], place)
        role: Role = "warn" if line.source == "error" else "dim" if line.source == "call" else "plain"
        of_text: Role = "dim" if line.source == "call" else "plain"
        return TextLine([(_gutter(line), role), (_cut_left(text, self._left), of_text)], place, whole=True)

    @property
    def _gap_text(self) -> str:
        kept = self._kept
        until = kept[kept.gap].step if kept.gap < len(kept) else kept.gone_from
        steps = f"step {until}" if until == kept.gone_from else f"steps {kept.gone_from} to {until}"
        counts = f"{plural(kept.gone, 'line')} with {plural(kept.gone_characters, 'character')}"
        return f"… {counts} of {steps} not kept …"

    def _safe(self, line: PrintedLine) -> str:
        """Return a line that is safe to show; what became a secret after it was printed is hidden as well."""
        return visible_lines(self.mask(line.text))[0]

    def _in_pane(self, line: PrintedLine) -> str:
        """Return as much of a line, safe to show, as a pane shows; the rest is shown with the whole line."""
        text = self.mask(line.text)
        return visible_lines(text)[0] if len(text) <= LONG else f"{visible_lines(text[:LONG])[0]}…"

    # Keys

    def action_to(self, way: Way) -> None:
        """Move to another line."""
        super().action_to(way)
        self._follow_the_last()

    def _go_to(self, line: int) -> None:
        self.lines.select(line)
        self._follow_the_last()

    def _follow_the_last(self) -> None:
        self._following = self.lines.at == len(self._kept) - 1

    def action_turn(self, by: int) -> None:
        """Show what is further right (1) or left (-1) of the lines in view."""
        room = max(1, self.lines.width - _ROOM)
        seen = range(self.lines.top, min(self.lines.top + self.lines.room, self.lines.count))
        shown = (self._kept[self._place_of(number)] for number in seen)
        longest = max((cell_len(self._in_pane(line)) for line in shown if not line.heading), default=0)
        self._left = max(0, min(self._left + by * max(1, room // 2), longest - room + 1))
        self.lines.repaint()

    def _place_of(self, number: int) -> int:
        kept = self._kept
        return min(number - (kept.gone > 0 and number > kept.gap), len(kept) - 1)

    def action_whole(self) -> None:
        """Show the whole line; of a heading, all that its step printed."""
        if not self._kept:
            return
        line = self._kept[self.lines.at]
        if line.heading:
            self.post_message(self.WholeAsked(self._safe(line), self.copied_path() or ""))
        else:
            text = self.mask(self._whole_line(self.lines.at))
            self.post_message(self.WholeAsked(f"step {line.step}, {_SAID[line.source]}", text))

    def on_click(self, event: events.Click) -> None:
        """Select a line; with a second click, show the whole of it."""
        number = self.lines.line_at(event.y)
        if number is not None and self._kept:
            self._go_to(self._place_of(number))
            if event.chain == 2:
                self.action_whole()

    def copied(self) -> str | None:
        """Return the line with the cursor."""
        return visible_lines(self.mask(self._whole_line(self.lines.at)))[0] if self._kept else None

    def _whole_line(self, at: int) -> str:
        """Join a line that is shown in several rows."""
        first = last = at
        while first > 0 and self._kept[first].goes_on:
            first -= 1
        while last + 1 < len(self._kept) and self._kept[last + 1].goes_on:
            last += 1
        return "".join(line.text for line in self._kept[first : last + 1])

    def copied_path(self) -> str | None:
        """Return all that the step of the line printed, as far as it is kept."""
        if not self._kept:
            return None
        first = last = self.lines.at
        while first > 0 and not self._kept[first].heading:
            first -= 1
        while last + 1 < len(self._kept) and not self._kept[last + 1].heading:
            last += 1
        breaks = ("" if line.goes_on else "\n" for line in self._kept[first : last + 1])
        lines = map(self._safe, self._kept[first : last + 1])
        return "".join(chain.from_iterable(zip(breaks, lines, strict=True))).removeprefix("\n")

    # Searching

    def _texts(self) -> Iterable[str]:
        return (self.mask(line.text) for line in self._kept)

    def _show_match(self, place: int | None) -> None:
        """Move to a match, sideways too."""
        if place is None:
            self.lines.repaint()
            return
        self._go_to(place)
        found = self.search.pattern.search(self._in_pane(self._kept[place])) if self.search.pattern else None
        room = self.lines.width - _ROOM
        if found is not None and not self._kept[place].heading:
            start, end = (cell_len(found.string[:at]) for at in found.span())
            if start <= self._left or end > self._left + room:
                self._left = max(0, start - room // 3) if end > room else 0
        self.lines.repaint()


def _gutter(line: PrintedLine) -> str:
    return " " * _ROOM if line.goes_on and line.source == "call" else _GUTTERS[line.source]


def _width_of_replies(pane: LogPane, width: int) -> int:
    width -= not pane.show_vertical_scrollbar  # which comes with the lines
    return max(_LEAST, width - _ROOM)


def _cut_left(text: str, cells: int) -> str:
    """Replace ``cells`` cells at the left end of a text with an ellipsis."""
    if cells <= 0:
        return text
    used = 0
    for at, char in enumerate(text, 1):
        used += cell_len(char)
        if used > cells:
            return f"…{text[at:]}"
    return "…" if text else ""
