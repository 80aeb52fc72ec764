"""What a review looks like: the lines of the frame, and between them the page that is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from stepgraph.values.errors import StepgraphError
from stepgraph_tui.text.cells import cell_len
from stepgraph_tui.text.plain import visible
from stepgraph_tui.widgets.chrome.one_line import OneLine, between, shorten
from stepgraph_tui.widgets.lines import strip_of

from .difference import Difference, difference
from .pages import Summary, details, proposal, summary, too_long
from .rows import ReviewRow, Role

if TYPE_CHECKING:
    from stepgraph_tui.commands.hints import Hints

    from .proposal import Proposal
    from .watching import Subject

PageName = Literal["summary", "details", "difference", "proposal"]
FRAME = 4
"""Cells of a row that the frame takes at its two ends."""
_LEAST = 24  # cells that a row needs beside what stands at its right end


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
        self._words = ("", "")

    def say(self, left: str, right: str = "") -> None:
        """Put words at the two ends of the line; they are safe to show."""
        if self._words != (left, right):
            self._words = left, right
            self.refresh()

    def line(self, width: int) -> Text:
        """Draw the line, as long as there is room."""
        line, (first, last) = self._line, self._ends
        left, right = (
            Text(f"{line} {words} " if words else "", "bold" if line == "━" else "") for words in self._words
        )
        inner = max(0, width - len(first) - len(last))
        if right.cell_len + left.cell_len > inner:
            shorten(left, max(0, inner - right.cell_len))
        right.append(line * 3 if right and inner > 40 else "")
        return Text.assemble(first, between(left, right, inner, line), last)


class ReviewView(ScrollView, can_focus=False, inherit_bindings=False):
    """Shows a review page by page, row by row between the two sides of the frame, scrolled without a bar.

    It knows how much of the question and of the action has been seen: nothing is approved before.

    Args:
        hints: Names the keys.
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    ReviewView {
        overflow: hidden;
        overflow-y: auto;
        scrollbar-size: 0 0;
        & > .review-view--frame { color: $primary; }
        & > .review-view--label { text-style: bold; color: $text-primary; }
        & > .review-view--asks { text-style: bold; }
        & > .review-view--action { color: $text-accent; text-style: reverse; }
        & > .review-view--data { color: $text-accent; }
        & > .review-view--dim { color: $text-muted; }
        & > .review-view--good { color: $text-success; text-style: bold; }
        & > .review-view--bad { color: $text-error; text-style: bold; }
        & > .review-view--warn { color: $text-warning; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"review-view--{part}"
        for part in ("frame", "label", "asks", "action", "data", "dim", "good", "bad", "warn")
    }

    class Looked(Message):
        """Another part of the rows is seen."""

    def __init__(self, hints: Hints) -> None:
        super().__init__()
        self._hints = hints
        self._subject: Subject | None = None
        self._proposed: Proposal | None = None
        self._since_then: tuple[Difference, ...] | None = None  # once it is not what waits any more
        self._walked: int | None = None  # the step whose changes are shown; None for all since the last look
        self._summary = Summary([], 0, 0, whole=False)
        self.page: PageName = "summary"
        self.rows: Sequence[ReviewRow] = ()
        self.read = False
        """Whether the question and the whole action have been seen."""

    def open(self, subject: Subject | None) -> None:
        """Take another review, of which nothing has been seen yet; nothing for None."""
        self._subject, self._since_then, self.read = subject, None, False
        self.page, self._proposed = "summary", None

    def turn(self, page: PageName) -> None:
        """Turn to a page; to the summary instead of the one that is shown already."""
        self.page = "summary" if page == self.page else page
        self._walked = None

    def can_walk(self, by: int) -> bool:
        """Tell whether there are changes of a step before or after those that are shown."""
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
        self._proposed = None

    def propose(self, proposed: Proposal) -> None:
        """Turn to what is about to be confirmed: what an edit would change, else the question."""
        self.page = "proposal" if proposed.decision.verb == "edit" else "summary"
        self._proposed = proposed

    def outdate(self, since_then: tuple[Difference, ...]) -> None:
        """Turn to what was changed after the question: it is not what waits any more."""
        self.page, self._since_then = "difference", since_then

    def paint(self, width: int, *, from_top: bool) -> None:
        """Show the page as it is now.

        Args:
            width: How many cells a row has.
            from_top: Whether it is shown from its top.
        """
        self._show(self._rows(width), from_top=from_top)

    def _show(self, rows: Sequence[ReviewRow], *, from_top: bool) -> None:
        self.rows = rows
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
                    return difference((), f"can be shown: {visible(str(error))}", width)
            note = f"{self._hints.key('approval.earlier')} step by step"
            return difference(subject.changed, f"since {subject.since}", width, note)
        if self.page == "proposal" and self._proposed is not None:
            return proposal(self._proposed, width)
        self._summary = summary(subject, width, self._hints)
        return self._summary.rows

    def _keep_question(self) -> None:
        """Keep the question in view while it is confirmed, and as much of the action as there is room for."""
        if self._proposed is not None and self.page == "summary":
            below = self._summary.must_see - self.size.height
            self.scroll_to(0, max(0, min(self._summary.asks_at, below)), animate=False)

    # What has been seen

    @property
    def _seen(self) -> int:
        """How many rows, from the top, have come into view down to where it is scrolled now."""
        return min(len(self.rows), self.scroll_offset.y + self.size.height)

    @property
    def outside(self) -> tuple[str, str]:
        """How much there is below, and above, what can be seen; empty where there is nothing."""
        below, above = len(self.rows) - self._seen, self.scroll_offset.y
        return (
            f"▼ {below:,} more line{'s' if below > 1 else ''}" if below else "",
            f"▲ {above:,} above" if above else "",
        )

    def note_seen(self) -> bool:
        """Note what can be seen now.

        Returns:
            Whether that was the rest of what must be seen.
        """
        subject = self._subject
        if subject is None or self.read:
            return False
        on_summary = self.page == "summary" and self._summary.whole and self._seen >= self._summary.must_see
        self.read = on_summary or (self.page == "details" and not too_long(subject))
        return self.read

    @property
    def gate(self) -> str:
        """What must be done before anything can be approved; empty when it was done."""
        if self._subject is None or self.read:
            return ""
        if too_long(self._subject):
            return "too long to show in full here: approve it on the command line\nstepgraph approvals"
        details = self._hints.key("approval.details")
        return f"read the whole action before you approve: scroll down, or {details}"

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Tell that something else is seen now."""
        super().watch_scroll_y(old_value, new_value)
        self.post_message(self.Looked())

    def on_resize(self) -> None:
        """Tell that more or less is seen now."""
        self.virtual_size = Size(self.size.width, len(self.rows))
        self._keep_question()
        self.post_message(self.Looked())

    # Painting

    def render_line(self, y: int) -> Strip:
        """Paint a row."""
        width, number = self.size.width, y + self.scroll_offset.y
        frame = self.get_component_rich_style("review-view--frame")
        row = self.rows[number] if number < len(self.rows) else ReviewRow()
        if row.rule:
            return Strip([Segment(f"┠{'─' * (width - 2)}┨"[:width], frame)])
        inner = max(0, width - FRAME)
        ends = Strip([Segment("┃ ", frame)]), Strip([Segment(" ┃", frame)])
        return Strip.join([ends[0], self._painted(row, inner), ends[1]]).crop(0, width)

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
        return self.rich_style if role == "plain" else self.get_component_rich_style(f"review-view--{role}")
