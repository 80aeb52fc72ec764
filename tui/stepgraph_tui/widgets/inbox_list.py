"""Reviews line by line, in columns, with a cursor and marks; groups of those that ask the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual import events
from textual.message import Message

from stepgraph.reviews import ListedReview, question_of
from stepgraph_tui.text.cells import cell_len, padded
from stepgraph_tui.text.inbox import (
    BrokenReview,
    ReviewState,
    act_text,
    deadline_text,
    ended_text,
    outcome_text,
    place_text,
)
from stepgraph_tui.text.plain import age

from ..text.cells import widest
from .lines import LineList, Margins, Role, RowCursor, Span, TextLine

if TYPE_CHECKING:
    from stepgraph.reviews import Review

_GAP = "  "
_LEAD = 4  # cells of the cursor and the mark
_RISK, _TIME = len("unknown"), len("23h 59m")
_WIDE = 100  # cells from which on the run and who started it have columns
_PERSON = 14  # cells of who started the run, or has decided
_ACT = 20  # cells without which what is asked tells too little
_LOOKS: dict[str, Role] = {"high": "bad", "medium": "warn", "unknown": "warn", "low": "plain"}
_TITLES: dict[ReviewState, tuple[str, str, str]] = {
    "pending": ("WAITING", "DEADLINE", "ASKED FOR BY"),
    "decided": ("AGO", "OUTCOME", "DECIDED BY"),
    "expired": ("AGO", "OUTCOME", "DECIDED BY"),
    "broken": ("", "", ""),
}
"""What the columns of time, of deadline or outcome, and of people are called."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A row of the inbox: a review, several that ask the same, or what is broken."""

    key: str
    """What the row is known by."""
    reviews: tuple[ListedReview, ...] = ()
    """The review; all of them for the heading of a group; none for what cannot be read."""
    fold: str = ""
    """The fold mark of a group's heading."""
    is_member: bool = False
    """Whether it is one of an unfolded group."""
    is_gone: bool = False
    """Whether it has ceased to wait since it was listed."""
    standing: str = ""
    """How its run stands since then."""
    broken: BrokenReview | None = None
    """What is broken, where something is."""

    @classmethod
    def of_broken(cls, broken: BrokenReview) -> InboxRow:
        """Make the row of a broken review."""
        reviews = () if broken.review is None else (broken.review,)
        return cls(f"{broken.run_id}\0{broken.why}", reviews, broken=broken)

    @property
    def group(self) -> str:
        """What all rows of a group are known by together."""
        return "\0".join(question_of(self.reviews[0].review))

    @property
    def is_decided(self) -> bool:
        """Whether it is one review, which waits no more: its run may go on."""
        is_one = not (self.fold or self.broken)
        return is_one and self.reviews[0].review.status in ("decided", "expired")

    @property
    def ids(self) -> list[str]:
        """The reviews of the row that can be decided."""
        can_be = not (self.is_gone or self.broken)
        return [one.review.id for one in self.reviews if can_be and one.review.status == "pending"]


class InboxList(LineList, can_focus=True, inherit_bindings=False):
    """Shows reviews; one of the rows has the cursor, as long as there is one at all.

    Args:
        now: What tells the time, in seconds since 1970.
    """

    class Moved(Message):
        """The cursor stands on another row, or on none."""

    class Opened(Message):
        """A row was clicked twice."""

    @dataclass
    class Sorted(Message):
        """The title of a column was clicked that has an order."""

        order: str

    class Folded(Message):
        """The fold mark of the row with the cursor was clicked."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__(self, margins=self._margins, keep=lambda: self.cursor.keep())
        self.cursor = RowCursor(self, lambda: self.post_message(self.Moved()))
        """Which row the keys are for."""
        self._now = now
        self._rows: Sequence[InboxRow] = ()
        self._state: ReviewState = "pending"
        self._empty: Sequence[str] = ()
        # Cells of the columns; 0 for one that there is no room for.
        self._second = self._place = self._run = self._by = 0
        self._times: dict[int, str] = {}  # what was painted of lines that change by themselves
        self.marked: set[str] = set()
        """The ids of the reviews that are marked."""

    @property
    def selected(self) -> InboxRow | None:
        """The row with the cursor."""
        return self._rows[self.lines.at] if self._rows else None

    def show(self, state: ReviewState, rows: Sequence[InboxRow], empty: Sequence[str] = ()) -> None:
        """Show other rows, or the same ones as they are now; the cursor stays on its row, where that is.

        Args:
            state: What is listed.
            rows: The rows, from top to bottom.
            empty: What is said where there are none.
        """
        before = self.selected
        self._rows, self._state, self._empty = rows, state, empty
        ids = {listed.review.id for listed in before.reviews} if before is not None else set()
        heirs = (row.key for row in rows if not ids.isdisjoint(one.review.id for one in row.reviews))
        self.cursor.show([row.key for row in rows], heir=next(heirs, None))

    # The cursor

    def go_to(self, review_id: str) -> bool:
        """Move the cursor to a review, or to the group that it is in; False where it is not listed."""
        for number, row in enumerate(self._rows):
            if any(listed.review.id == review_id for listed in row.reviews):
                self.cursor.go_to(number)
                return True
        return False

    def mark(self, row: InboxRow) -> None:
        """Mark what a row has to decide; take the marks away where all of it is marked."""
        ids = set(row.ids)
        self.marked = self.marked - ids if ids <= self.marked else self.marked | ids
        self.lines.repaint()

    def on_click(self, event: events.Click) -> None:
        """Select what is clicked, fold by its mark; open what is clicked twice. Nothing is decided so."""
        at = self.lines.item_at(event.y)
        if at is None:
            order = self._order_at(event.x) if event.y == 0 else None
            if order is not None:
                self.post_message(self.Sorted(order))
            return
        self.cursor.go_to(at)
        row, start = self._rows[at], self._act_at
        if row.fold and start <= event.x < start + 2:
            self.post_message(self.Folded())
        elif event.chain == 2:
            self.post_message(self.Opened())

    def _order_at(self, x: int) -> str | None:
        """Describe what a click on a title sorts by; None where that has no order."""
        if self._state != "pending" or not self._rows:
            return None
        start = _LEAD
        for order, cells in (("risk", _RISK), ("age", _TIME), ("deadline", self._second)):
            if start <= x < start + cells:
                return order
            start += cells + len(_GAP)
        return None

    # Painting

    def tick(self) -> None:
        """Paint the lines in view anew on which a time is written that has passed."""
        top = self.lines.top
        for number, row in enumerate(self._rows[top : top + self.size.height], top):
            if self._times.get(number) not in (None, self._passes(row)):
                self.lines.repaint_line(number)

    @property
    def _act_at(self) -> int:
        """Where the column begins that tells what is asked."""
        return _LEAD + sum(cells + len(_GAP) for cells in (_RISK, _TIME, self._second, self._place) if cells)

    def fit(self, width: int, height: int) -> int:
        """Share out the columns; names are cut where there is too little room."""
        self._times.clear()
        reviews = [row.reviews[0].review for row in self._rows if row.reviews]
        places = widest(place_text(review) for review in reviews)
        self._place = self._run = self._by = 0
        second = (cell_len(self._second_text([review])) for review in reviews)
        self._second = max(len(_TITLES[self._state][1]), *second, 0)
        room = width - self._act_at - _ACT - len(_GAP)
        self._place = max(0, min(max(places, len("GRAPH/NODE")), 28 if width >= _WIDE else 20, room))
        if self._place < len("GRAPH/NODE"):
            self._place = 0
        if width >= _WIDE:
            runs = widest(review.run_id for review in reviews)
            self._run = min(max(runs, len("RUN")), 16)
            people = max((cell_len(_person(review)) for review in reviews), default=0)
            self._by = min(max(people, len(_TITLES[self._state][2])), _PERSON) if people else 0
        return len(self._rows)

    def _margins(self) -> Margins:
        if not self._rows:
            return [TextLine([(f"{'':{_LEAD}}{line}", "dim")]) for line in ("", *self._empty)], ()
        if self._state == "broken":
            return [TextLine([(f"{'':{_LEAD}}{'RUN':16}{_GAP}WHY", "dim")])], ()
        time, second, people = _TITLES[self._state]
        first = f"{'':{_LEAD}}{'RISK':{_RISK}}{_GAP}{time:>{_TIME}}{_GAP}{second:{self._second}}{_GAP}"
        where = f"{'GRAPH/NODE':{self._place}}{_GAP}" if self._place else ""
        act = (
            self.lines.width
            - self._act_at
            - sum(cells + len(_GAP) for cells in (self._run, self._by) if cells)
        )
        run = f"{_GAP}{'RUN':{self._run}}" if self._run else ""
        run += f"{_GAP}{people:{self._by}}" if self._by else ""
        return [TextLine([(f"{first}{where}{padded('ACTION', act)}{run}", "dim")])], ()

    def line(self, number: int) -> TextLine:
        """Make the line of a row."""
        row = self._rows[number]
        lead: Span = ("▸ " if number == self.lines.at else "  ", "plain")
        if row.broken is not None:
            told = f"{padded(row.broken.run_id, 16)}{_GAP}"
            return TextLine([lead, ("  ", "plain"), (told, "plain"), (row.broken.why, "bad")])
        self._times[number] = self._passes(row)
        return TextLine([lead, *self._spans(row, self._times[number])])

    def _spans(self, row: InboxRow, times: str) -> Iterator[Span]:
        review = row.reviews[0].review
        plain: Role = "gone" if row.is_gone else "plain"
        dim: Role = "gone" if row.is_gone else "dim"
        marked = bool(row.ids) and self.marked.issuperset(row.ids)
        yield ("● " if marked else "○ " if self.marked.intersection(row.ids) else "  "), "title"
        risk = review.request.risk
        yield padded(risk, _RISK), "gone" if row.is_gone else _LOOKS[risk]
        yield _GAP + times + _GAP, dim
        if self._place:
            yield padded(place_text(review), self._place), plain
            yield _GAP, "plain"
        yield from self._act(row, plain)
        if self._run:
            several = len({one.review.run_id for one in row.reviews}) > 1
            run = f"{len(row.reviews)} runs" if several else review.run_id
            yield _GAP, "plain"
            yield padded(run, self._run), dim
        if self._by:
            yield _GAP, "plain"
            yield padded(_person(review) or "-", self._by), dim

    def _act(self, row: InboxRow, plain: Role) -> Iterator[Span]:
        """Describe what is asked; where it waits no more, what became of it."""
        width = self.lines.width - self._act_at
        width -= sum(cells + len(_GAP) for cells in (self._run, self._by) if cells)
        review = row.reviews[0].review
        lead = f"{row.fold} x{len(row.reviews)} " if row.fold else "└ " if row.is_member else ""
        said = ""
        if row.is_gone:
            said = f"{row.standing} ({outcome_text(review)})" if row.standing else ended_text(review)
        told = padded(said, min(width, cell_len(said)))
        yield lead + told, "warn" if row.is_gone else "title"
        rest = width - cell_len(lead + told)
        act = f"{_GAP}{act_text(review)}" if said else act_text(review)
        yield padded(act, max(0, rest)), plain

    def _passes(self, row: InboxRow) -> str:
        """Tell the times of a row, which change by themselves, and the outcome where it has one."""
        if row.broken is not None:
            return ""
        reviews = [listed.review for listed in row.reviews]
        decided = reviews[0].decision if self._state != "pending" else None
        since = decided.at if decided is not None else min(review.asked_at for review in reviews)
        return f"{age(self._now() - since):>{_TIME}}{_GAP}{padded(self._second_text(reviews), self._second)}"

    def _second_text(self, reviews: Sequence[Review]) -> str:
        """Tell the soonest deadline of what waits, the outcome of what does not."""
        return deadline_text(reviews, self._now()) if self._state == "pending" else outcome_text(reviews[0])


def _person(review: Review) -> str:
    """Name who has decided a review, or who has started its run; empty where nobody knows."""
    return review.decision.by if review.decision is not None else review.started_by
