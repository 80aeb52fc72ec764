"""What a review looks like: the lines of the frame, and between them the page that is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph.values import StepgraphError
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import plural
from stepgraph_tui.widgets.chrome.status_lines import OneLine, between, shorten
from stepgraph_tui.widgets.lines import LOOKS, strip_of

from ...widgets.part_styles import PartStyles
from .pages import details, difference, proposal, summary
from .rows import Reading, ReviewRow, Role

if TYPE_CHECKING:
    from stepgraph_tui.commands.hints import Hints

    from .proposal import Proposal
    from .rows import MustRead, Told
    from .subject import Difference, Subject

PageName = Literal["summary", "details", "difference", "proposal"]
FRAME = 4
"""Cells of a row that the frame takes at its two ends."""
_LEAST = 24  # cells that a row needs beside what is at its right end


class FrameLine(OneLine):
    """A line of the frame with words in it.

    Args:
        ends: What it begins and ends with.
        line: What lies between.
    """

    DEFAULT_CSS = "FrameLine { color: $primary; }"

    def __init__(self, ends: tuple[str, str], line: str) -> None:
        super().__init__()
        self._ends, self._line = ends, line
        self._words, self._strong = ("", ""), False

    def say(self, left: str, right: str = "", *, strong: bool = False) -> None:
        """Show words at the two ends of the line, which may be strong; they are safe to show."""
        if (self._words, self._strong) != ((left, right), strong):
            self._words, self._strong = (left, right), strong
            self.refresh()

    def line(self, width: int) -> Text:
        """Draw the line, as long as there is room."""
        line, (first, last) = self._line, self._ends
        left, right = (
            Text(f"{line} {words} " if words else "", "bold" if self._strong or line == "━" else "")
            for words in self._words
        )
        inner = max(0, width - len(first) - len(last))
        if right.cell_len + left.cell_len > inner:
            shorten(left, max(0, inner - right.cell_len))
        right.append(line * 3 if right and inner > 40 else "")
        return Text.assemble(first, between(left, right, inner, line), last)


_LOOKS = {
    **LOOKS,
    "frame": "$primary",
    "frame-high": "$error",
    "label": LOOKS["name"],
    "asks": "bold",
    "action": "reverse $text-accent",
    "data": LOOKS["value"],
}


class ReviewView(ScrollView, can_focus=False, inherit_bindings=False):
    """Shows a review page by page, row by row between the two sides of the frame, scrolled without a bar.

    It knows what of the question and of the action has been painted: nothing is approved before all was.

    Args:
        hints: Names the keys.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ReviewView {
        overflow: hidden;
        overflow-y: auto;
        scrollbar-size: 0 0;
    }
    """

    class Looked(Message):
        """Another part of the rows is seen."""

        def can_replace(self, message: Message) -> bool:
            """Allow one message for all the rows that come into view at once."""
            return isinstance(message, type(self))

    def __init__(self, hints: Hints) -> None:
        super().__init__()
        self._hints = hints
        self._part_styles = PartStyles(self, _LOOKS)
        self._subject: Subject | None = None
        self._since_then: tuple[Difference, ...] | None = None  # once it is not what waits any more
        self._walked: int | None = None  # the step whose changes are shown; None for all since the last look
        self._seen = Reading()
        self._kept: dict[tuple[str, str], Reading] = {}  # by the review and the hash of what it asks
        self.kept_from: Collection[str] = ()
        """The verbs that the person may not use."""
        self.page: PageName = "summary"
        self.rows: Sequence[ReviewRow] = ()
        self._stop_of: Mapping[Told, int] = {}  # how far each text is in them
        self._unseen: dict[int, Told] = {}  # the rows of which not all was seen
        self.proposed: Proposal | None = None
        """What is about to be confirmed."""

    def open(self, subject: Subject | None) -> None:
        """Show another review; nothing for None. What was seen of the very same question before counts."""
        self._subject, self._since_then = subject, None
        at = (subject.review.id, subject.review.hash) if subject is not None else ("", "")
        self._seen = self._kept.setdefault(at, Reading())
        self.page, self.proposed = "summary", None

    def turn(self, page: PageName) -> None:
        """Turn to a page; to the summary instead of the one that is shown already."""
        self.page = "summary" if page == self.page else page
        self._walked, self.proposed = None, None

    def can_walk(self, by: int) -> bool:
        """Check whether there are changes of a step before or after those that are shown."""
        if self.page != "difference" or self._subject is None or self._since_then is not None:
            return False
        if self._walked is None:
            return by < 0 and bool(self._subject.walk.rows)
        return by > 0 or self._walked > 0

    def walk(self, by: int) -> None:
        """Show the changes of the step before or after; after the last one, all since the last look again."""
        if self._subject is not None and self.can_walk(by):
            last = len(self._subject.walk.rows)
            at = (last if self._walked is None else self._walked) + by
            self._walked = at if at < last else None

    def propose(self, proposed: Proposal) -> None:
        """Turn to what is about to be confirmed: what an edit would change, else what is asked."""
        self.page = "proposal" if proposed.decision.verb == "edit" else "summary"
        self.proposed = proposed

    def outdate(self, since_then: tuple[Difference, ...]) -> None:
        """Turn to what was changed after the question: it is not what waits any more."""
        self.page, self._since_then, self.proposed = "difference", since_then, None

    def paint(self, width: int, *, from_top: bool) -> None:
        """Show the page as it is now.

        Args:
            width: How many cells a row has.
            from_top: Whether it is shown from its top.
        """
        self._show(self._rows(width), from_top=from_top)

    def _show(self, rows: Sequence[ReviewRow], *, from_top: bool) -> None:
        self.rows = rows
        self._stop_of = _stops(rows)
        passages = ((number, row.passage) for number, row in enumerate(rows) if row.passage is not None)
        self._unseen = {number: passage.of for number, passage in passages if not self._seen.has(passage)}
        self.virtual_size = Size(self.size.width, len(rows))
        if from_top:
            self.scroll_to(0, 0, animate=False)
        self._keep_question()
        self.refresh()
        self.post_message(self.Looked())

    def _rows(self, width: int) -> list[ReviewRow]:
        subject = self._subject
        if subject is None:
            return []
        if self.page == "details":
            return details(subject, width)
        if self.page == "difference":
            if self._since_then is not None:
                return difference(self._since_then, "since the question", width)
            if self._walked is not None:
                try:
                    return difference(*subject.walk.changes(self._walked), width)
                except StepgraphError as error:
                    return difference((), f"can be shown: {error}", width)
            note = f"{self._hints.key('approval.earlier')} step by step"
            return difference(subject.changed, f"since {subject.since}", width, note)
        if self.page == "proposal" and self.proposed is not None:
            return proposal(self.proposed, width)
        rows = summary(subject, width, self._hints, self.kept_from)
        whole = self.proposed is None or _are_whole(subject.must_read, _stops(rows))
        return rows if whole else details(subject, width)

    def _keep_question(self) -> None:
        """Keep the question in view while it is confirmed, and as much of the action as there is room for."""
        if self.proposed is not None and self.page == "summary":
            passages = [number for number, row in enumerate(self.rows) if row.passage is not None]
            below = passages[-1] + 1 - self.size.height
            self.scroll_to(0, max(0, min(passages[0], below)), animate=False)

    # What has been seen

    @property
    def outside(self) -> tuple[str, str]:
        """How much there is below, and above, what can be seen; empty where there is nothing."""
        above = self.scroll_offset.y
        below = max(0, len(self.rows) - above - self.size.height)
        key = self._hints.key("approval.page_down")
        return (
            f"▼ {plural(below, 'more line')}: {key}" if below else "",
            f"▲ {above:,} above" if above else "",
        )

    @property
    def _missing(self) -> MustRead:
        """What must be read and has not been seen, of the review, or of what is about to be confirmed."""
        wanted = self.proposed or self._subject
        return self._seen.missing(wanted.must_read) if wanted is not None else {}

    @property
    def is_read(self) -> bool:
        """Whether all that must be read before anything is approved has been on the screen."""
        return not self._missing

    @property
    def too_long(self) -> list[str]:
        """What to say where something that must be read cannot be shown to its end; nothing elsewhere."""
        if self._subject is None or not any(text.left_out for text in _texts(self._missing)):
            return []
        how = "too long to show in full here: approve it on the command line"
        return [how, f"stepgraph approvals show {self._subject.review.id}"]

    @property
    def gate(self) -> str:
        """What must be done before anything can be approved; empty when it was done."""
        return next(iter(self.too_long), self.way_on)

    @property
    def way_on(self) -> str:
        """How the rest of what must be read before anything is approved comes into view; empty without."""
        missing = self._missing
        way = self._way_to(missing) if missing and not self.too_long else ""
        return f"{way} · read the whole {' and '.join(missing)} before you approve" if way else ""

    def _way_to(self, missing: MustRead) -> str:
        if not _are_whole(missing, self._stop_of):
            return f"{self._hints.key('approval.details')} shows the rest"
        texts, top, height = _texts(missing), self.scroll_offset.y, self.size.height
        left = [number for number, text in self._unseen.items() if text in texts]
        in_view = (self.rows[number] for number in left if top <= number < top + height)
        if not self.display or any(row.width > self._room for row in in_view):
            return "there is too little room to show it"
        below, above = sum(number >= top + height for number in left), sum(number < top for number in left)
        if below:
            return f"▼ {plural(below, 'more line')}: {self._hints.key('approval.page_down')}"
        return f"▲ {plural(above, 'line')} above: {self._hints.key('approval.page_up')}" if above else ""

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Report that the visible part changed."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Looked())

    def on_resize(self) -> None:
        """Report that the visible part changed with the size."""
        self.virtual_size = Size(self.size.width, len(self.rows))
        self._keep_question()
        self.post_message(self.Looked())

    # Painting

    @property
    def _room(self) -> int:
        """How many cells there are between the two sides of the frame."""
        return max(0, self.size.width - FRAME)

    def render_line(self, y: int) -> Strip:
        """Paint a row."""
        width, number = self.size.width, y + self.scroll_offset.y
        is_high = self._subject is not None and self._subject.high
        frame = self._part_styles["frame-high" if is_high else "frame"]
        row = self.rows[number] if number < len(self.rows) else ReviewRow()
        if row.rule:
            return Strip([Segment(f"┠{'─' * (width - 2)}┨"[:width], frame)])
        inner = self._room
        self._note(number, row, inner)
        ends = Strip([Segment("┃ ", frame)]), Strip([Segment(" ┃", frame)])
        return Strip.join([ends[0], self._painted(row, inner), ends[1]]).crop(0, width)

    def _note(self, number: int, row: ReviewRow, width: int) -> None:
        """Note what a row shows that is painted whole, with nothing above it."""
        if (
            number in self._unseen
            and row.passage is not None
            and row.width <= width
            and self.screen.is_active
        ):
            del self._unseen[number]
            self._seen.note(row.passage)
            self.post_message(self.Looked())

    def _painted(self, row: ReviewRow, width: int) -> Strip:
        parts = [(text, self._style(role)) for text, role in row.parts]
        right = row.right or ("", "plain")
        size = cell_len(right[0])
        used = sum(cell_len(text) for text, _ in row.parts)
        if not size or width - size - 2 < min(_LEAST, used):
            return strip_of(parts, width, self.rich_style)
        left = strip_of(parts, width - size - 2, self.rich_style)
        return Strip.join([left, Strip([Segment(f"  {right[0]}", self._style(right[1]))])])

    def _style(self, role: Role) -> Style:
        return self.rich_style if role == "plain" else self._part_styles[role]


def _texts(wanted: MustRead) -> set[Told]:
    return {text for ways in wanted.values() for way in ways for text in way}


def _stops(rows: Iterable[ReviewRow]) -> dict[Told, int]:
    """Find how far each text is in rows."""
    return {row.passage.of: row.passage.stop for row in rows if row.passage is not None}


def _are_whole(wanted: MustRead, stops: Mapping[Told, int]) -> bool:
    """Check whether texts are in rows to their ends, each in one of its ways."""
    return all(
        any(all(stops.get(text, 0) == len(text.text) for text in way) for way in ways)
        for ways in wanted.values()
    )
