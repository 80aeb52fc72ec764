"""The pane that lists watches: what each is now, what it was before, and a strip of its values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple

from textual import events
from textual.message import Message
from textual.reactive import var

from stepgraph.values import StepgraphError

from ..commands import bindings
from ..commands.hints import UNMAPPED, Hints
from ..drawing.picture.glyphs import UNICODE, Glyphs
from ..run_view import RunSnapshot
from ..text.cells import cell_len, cut, padded, shares
from ..text.state_diff import parted
from .chrome.pane import Pane
from .lines import LineView, Margins, Role, Search, Span, TextLine, wrapped

if TYPE_CHECKING:
    from stepgraph.runs import Mask
    from stepgraph.runs.debug import Watch, WatchedValue, WatchPoint, WatchStrip


BARS, PLAIN_BARS = "▁▂▃▄▅▆▇█", "_.-~=+*#"
"""Numbers from the smallest to the largest, and the same in ASCII."""
CHANGED, SAME, ERROR = "●", "·", "!"


def cells_for(last: int, room: int) -> int:
    """Count the cells of a strip: one a step while there is room for it."""
    return max(0, min(room, last + 1))


def step_of_cell(cell: int, cells: int, last: int) -> int:
    """Find the last step that a cell stands for."""
    return (cell + 1) * (last + 1) // cells - 1


def cell_of_step(step: int, cells: int, last: int) -> int:
    """Find the cell that a step is in."""
    return next((cell for cell in range(cells) if step <= step_of_cell(cell, cells, last)), cells - 1)


def sparkline(
    points: Sequence[WatchPoint], last: int, room: int, mask: Mask, *, plain: bool = False
) -> list[Span]:
    """Draw values over the steps from 0 to the last one; a cell shows what its last step left.

    Numbers are bars between the smallest and the largest of them; of anything else, the changes are marked.

    Args:
        points: The changes of a watch, in order; the first is what it was at the start.
        last: The last step.
        room: How many cells there are.
        mask: Hides what became known as a secret after the points were read.
        plain: Whether bars are ASCII.
    """
    cells = cells_for(last, room)
    places = [
        bisect_right(points, step_of_cell(cell, cells, last), key=lambda point: point.step)
        for cell in range(cells)
    ]
    shown = [points[place - 1] for place in places]
    numbers = [
        None if point.number is None or mask.text(point.text) != point.text else Fraction(point.number)
        for point in shown
    ]
    known = [number for number in numbers if number is not None]
    low, high = (min(known), max(known)) if known else (Fraction(0), Fraction(0))
    bars = PLAIN_BARS if plain else BARS
    spans: list[Span] = []
    before = 1  # the value at the start is not a change
    for place, point, number in zip(places, shown, numbers, strict=True):
        if point.is_error:
            spans.append((ERROR, "warn"))
        elif number is not None:
            level = int((number - low) / (high - low) * (len(bars) - 1)) if high > low else len(bars) // 2
            spans.append((bars[level], "value"))
        else:
            spans.append((CHANGED, "value") if place > before else (SAME, "dim"))
        before = place
    return spans


_EMPTY = (
    "Nothing is watched yet. {watches.add} watches an expression, such as order.amount or visits.draft; "
    "{state.watch} in State watches the selected value."
)
_CURSOR, _OFF = "▸ ", "○ "
_MARKS = len(_CURSOR) + len(_OFF)
_LEAST = 8  # cells of a column, and of a strip
_WEIGHTS = (2, 1, 1)  # of name, now and before, where there is too little room: the name tells rows apart
_TITLES = ("watch", "now", "before")
_STRIP = 0.35  # of the width that a strip is left at least, where it needs so much
_GAPS = 8  # cells between the columns, the sign of a change among them
_TITLED, _FOOTED = 3, 5  # lines from which the columns have titles, and the selected watch is shown in full
_CRAMPED = 9  # lines from which it is also where that hides another watch
_TOLD = 4  # lines that it takes at most
_STEPS = 6  # changes that are listed by their steps
_LONGEST = 2_000  # characters of a value in which a difference is looked for

Verb = Literal["add", "edit", "remove", "switch"]


@dataclass(frozen=True, slots=True)
class WatchEntry:
    """A watch as it is kept, or what should be one."""

    id: str
    watch: Watch | None
    """None for an entry that is damaged."""
    problem: str = ""
    """What is wrong with a damaged one."""
    on: bool = True
    """Whether going from stop to stop stops at its changes."""


class _Row(NamedTuple):
    """What is shown of an entry."""

    entry: WatchEntry
    name: str
    now: str = ""
    before: str = ""
    changed: bool = False
    failed: bool = False


class WatchesPane(Pane, inherit_bindings=False):
    """The watches of a graph at the step that is viewed.

    Args:
        hints: Names the keys.
        glyphs: What the strips are drawn with.
    """

    BINDINGS = bindings("watches")
    DEFAULT_CSS = """
    WatchesPane {
        overflow: hidden auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
    }
    """

    @dataclass
    class Asked(Message):
        """Something is to be done with a watch."""

        verb: Verb
        entry: WatchEntry | None

    @dataclass
    class Viewed(Message):
        """A step is to be viewed: that of the cell that was clicked."""

        step: int

    class Opened(Message):
        """The pane is seen again: what is kept may have changed meanwhile."""

    lines: LineView
    search: Search
    entries: var[tuple[WatchEntry, ...]] = var(())
    """What is watched, in the order in which it was added."""

    def __init__(self, hints: Hints = UNMAPPED, glyphs: Glyphs = UNICODE) -> None:
        super().__init__()
        self.strips: Callable[[], Sequence[WatchStrip] | None] = lambda: None
        """Gives the strips of the watches; None while they are still being read."""
        self._plain = glyphs.plain
        self._rows: list[_Row] = []
        self._strips: dict[Watch, WatchStrip] = {}
        self._widths = [0, 0, 0]
        self._read: RunSnapshot | None = None
        self.lines = LineView(
            self,
            self,
            empty=hints(_EMPTY),
            margins=self._margins,
            keep=lambda: self.lines.select(self.lines.at),
        )
        self.lines.search = self.search = Search(self._texts, lambda: self.lines.at, self.lines.show_match)

    def on_show(self) -> None:
        """Catch up, and have what is kept looked at."""
        super().on_show()
        self.post_message(self.Opened())

    # What is shown

    def watch_entries(self, before: tuple[WatchEntry, ...], entries: tuple[WatchEntry, ...]) -> None:
        """List other watches; the cursor stays where it was, or goes to one that was added."""
        added = [place for place, entry in enumerate(entries) if entry.id not in {old.id for old in before}]
        if before and added:
            self.lines.at = added[-1]
        self.lines.at = max(0, min(self.lines.at, len(entries) - 1))
        self.show_anew()

    def show(self, moment: RunSnapshot | None) -> None:
        """Read the watches at a moment."""
        self._read = moment
        strips = self.strips() if moment is not None else None
        self._strips = {strip.watch: strip for strip in strips or ()}
        try:
            self._rows = self._rows_of(moment)
            wrong = ""
        except StepgraphError as error:
            wrong = str(error)
            self._rows = [_Row(entry, _name(entry)) for entry in self.entries]
        self.lines.items = [range(place, place + 1) for place in range(len(self._rows))]
        waits = moment is not None and strips is None and any(entry.watch for entry in self.entries)
        self.inform(wrong or ("reading the run …" if waits else self._remarks))
        self.search.renew()
        self.lines.arrange()
        self.refresh_bindings()

    def _rows_of(self, moment: RunSnapshot | None) -> list[_Row]:
        if moment is None:
            return [_Row(entry, _name(entry), entry.problem) for entry in self.entries]
        from stepgraph.runs.debug import read_watches

        view = moment.view
        watches = [entry.watch for entry in self.entries if entry.watch is not None]
        readings = iter(read_watches(view.run, watches, None if moment.live else moment.step))
        rows = []
        for entry in self.entries:
            name = view.mask.text(_name(entry))
            if entry.watch is None:
                rows.append(_Row(entry, name, entry.problem))
                continue
            reading = next(readings)
            _, now, before = reading.hidden(view.mask.value)
            is_now, was = (_value_text(value, entry.watch) for value in (now, before))
            rows.append(_Row(entry, name, is_now, was, reading.is_changed, now.error is not None))
        return rows

    @property
    def _remarks(self) -> str:
        """Add remarks that the number on the tab does not cover."""
        damaged = sum(entry.watch is None for entry in self.entries)
        off = sum(not entry.on for entry in self.entries)
        return ", ".join(f"{count} {word}" for count, word in ((damaged, "damaged"), (off, "off")) if count)

    def fit(self, width: int, height: int) -> int:
        """Share the width among the columns."""
        columns = zip(_TITLES, *((row.name, row.now, row.before) for row in self._rows), strict=True)
        wanted = [max(map(cell_len, texts)) for texts in columns]
        room = width - _MARKS - _GAPS - cells_for(self._last, int(width * _STRIP))
        given = shares(room, wanted, _WEIGHTS)
        self._widths = [max(cells, min(want, _LEAST)) for cells, want in zip(given, wanted, strict=True)]
        return len(self._rows)

    @property
    def _strip_start(self) -> int:
        return _MARKS + sum(self._widths) + _GAPS

    @property
    def _last(self) -> int:
        return self._read.view.run.step if self._read is not None else 0

    @property
    def _cells(self) -> int:
        return cells_for(self._last, max(0, self.lines.width - self._strip_start))

    def _margins(self) -> Margins:
        """Title the columns, with a mark above the step that is viewed; tell all of the selected watch."""
        height, head, foot = self.size.height, [], []
        if not self._rows or self._read is None:
            return [], []
        if height >= _TITLED:
            name, now, before = map(padded, _TITLES, self._widths)
            cells, scale = self._cells, ""
            if cells:
                at = cell_of_step(self._read.step, cells, self._last)
                scale = " " * at + ("▼" if cells > 1 else "")
            titles = f"{' ' * _MARKS}{name}    {now}  {before}  {scale}"
            head.append(TextLine([(titles, "dim")]))
        below = height - len(head) - len(self._rows)
        if height >= (_FOOTED if below > 0 else _CRAMPED):
            lines = self._in_full(max(1, min(below, _TOLD)))
            foot = [TextLine()] * (below - len(lines)) + [
                TextLine([(f"    {line}", "dim")]) for line in lines
            ]
        return head, foot

    def _in_full(self, most: int) -> list[str]:
        """Describe when the selected watch changed, and its value, in at most ``most`` lines."""
        row = self._rows[self.lines.at]
        name = f"{row.name}: " if cell_len(row.name) > self._widths[0] else ""
        lines = wrapped(name + self._history(row), max(_LEAST, self.lines.width - _MARKS))
        return [*lines[: most - 1], " ".join(lines[most - 1 :])] if len(lines) > most else lines

    def _history(self, row: _Row) -> str:
        entry = row.entry
        strip = self._strips.get(entry.watch) if entry.watch is not None else None
        if strip is None:
            return row.now
        steps = list(strip.changes[-_STEPS:])
        more = ", …" if len(strip.changes) > _STEPS else ""
        numbers = ", ".join(map(str, reversed(steps)))
        noun = "step" if len(steps) == 1 else "steps"
        when = f"changed at {noun} {numbers}{more}" if steps else "never changed"
        off = "" if entry.on else "off, no stop at its changes; "
        return f"{off}{when}; now {row.now}"

    def line(self, number: int) -> TextLine:
        """Build the line of a watch."""
        row = self._rows[number]
        entry = row.entry
        mark = _CURSOR if number == self.lines.at else " " * len(_CURSOR)
        off = " " * len(_OFF) if entry.on else _OFF
        name, now, before = self._widths
        tone: Role = "warn" if row.failed else "value"
        if entry.watch is None:
            return TextLine([(mark + off, "plain"), (f"{row.name}: {row.now}", "bad")], number)
        is_now, was = row.now, row.before
        if row.changed:
            is_now, was = parted(is_now, was, min(now, before))
        spans: list[Span] = [
            (mark + off, "plain"),
            (padded(cut(row.name, name), name), "key" if entry.on else "dim"),
            (" ~ " if row.changed else "   ", "good"),
            (" ", "plain"),
            (padded(cut(is_now, now), now), tone),
            (f"  {padded(cut(was, before), before)}  ", "dim"),
        ]
        strip = self._strips.get(entry.watch)
        if strip is not None and strip.points and self._read is not None:
            room = self.lines.width - self._strip_start
            spans += sparkline(strip.points, self._last, room, self._read.view.mask, plain=self._plain)
        return TextLine(spans, number)

    # Keys and mouse

    @property
    def selected(self) -> WatchEntry | None:
        """The entry with the cursor."""
        return self._rows[self.lines.at].entry if self.lines.at < len(self._rows) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what is selected can be changed, and a damaged entry can only be removed."""
        if action == "ask" and parameters != ("add",):
            entry = self.selected
            return entry is not None and (entry.watch is not None or parameters == ("remove",))
        return super().check_action(action, parameters)

    def action_ask(self, verb: Verb) -> None:
        """Request an action on the selected watch."""
        self.post_message(self.Asked(verb, self.selected))

    def on_click(self, event: events.Click) -> None:
        """Select a watch, and view the step of the cell; switch it by its mark; edit it by a second click."""
        place = self.lines.item_at(event.y)
        if place is None:
            return
        self.lines.select(place)
        entry, cell = self._rows[place].entry, event.x - self._strip_start
        if entry.watch is None:
            return
        if event.x < _MARKS:
            self.action_ask("switch")
        elif 0 <= cell < self._cells and self._strips:
            self.post_message(self.Viewed(step_of_cell(cell, self._cells, self._last)))
        elif event.chain == 2:
            self.action_ask("edit")

    def copied(self) -> str | None:
        """Return the selected watch and its value."""
        if self.selected is None:
            return None
        row = self._rows[self.lines.at]
        return f"{row.name} = {row.now}" if row.now else row.name

    def copied_path(self) -> str | None:
        """Return the expression."""
        entry = self.selected
        return entry.watch.text if entry is not None and entry.watch is not None else None

    def _texts(self) -> Iterable[str]:
        return (f"{row.name} {row.now}" for row in self._rows)


def _name(entry: WatchEntry) -> str:
    return entry.watch.text if entry.watch is not None else f"{entry.id} is damaged"


def _value_text(value: WatchedValue | None, watch: Watch) -> str:
    """Write a value, or why there is none; the name of the watch comes before it already."""
    return value.preview(_LONGEST).removeprefix(f"{watch.text}: ") if value is not None else ""
