"""Reviews line by line, in columns, with a cursor and marks; groups of those that ask the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
from .lines import AGE, GAP, LEAD, Column, Margins, Role, Span, Table, TextLine

if TYPE_CHECKING:
    from stepgraph.reviews import Review

_RISK, _RUN = len("unknown"), 16  # cells of the risk, and of the longest name of a run
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
    run_status: str = ""
    """How its run stands since then."""
    broken: BrokenReview | None = None
    """What is broken, where something is."""

    @classmethod
    def of_broken(cls, broken: BrokenReview) -> InboxRow:
        """Build the row of a broken review."""
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


class InboxList(Table, can_focus=True, inherit_bindings=False):
    """Shows reviews; one of the rows has the cursor, as long as there is one at all.

    Args:
        now: What tells the time, in seconds since 1970.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._rows: Sequence[InboxRow] = ()
        self._state: ReviewState = "pending"
        self._empty: Sequence[str] = ()

    @property
    def selected(self) -> InboxRow | None:
        """The row with the cursor."""
        return self._rows[self.lines.at] if self._rows else None

    def show(self, state: ReviewState, rows: Sequence[InboxRow], empty: Sequence[str] = ()) -> None:
        """Show other rows, or the same ones as they are now; the cursor stays on its row, where that is.

        Args:
            state: What is listed.
            rows: The rows, from top to bottom.
            empty: The words where there are none.
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

    def fold_mark(self, number: int) -> range:
        """Find the fold mark of a group's heading, before what is asked. Nothing is decided by a click."""
        start = self.start_of("act") if self._rows[number].fold else 0
        return range(start, start + 2) if start else range(0)

    # Painting

    def fit(self, width: int, height: int) -> int:
        """Share out the columns; names are cut where there is too little room."""
        self._passing.clear()
        if self._state == "broken":
            self.columns = {"run": Column("RUN", _RUN), "why": Column("WHY", width - LEAD - _RUN - len(GAP))}
            return len(self._rows)
        reviews = [row.reviews[0].review for row in self._rows if row.reviews]
        time, second, people = _TITLES[self._state]
        sorts = self._state == "pending" and bool(self._rows)
        ends = max(len(second), *(cell_len(self._second_text([review])) for review in reviews), 0)
        self.columns = {
            "risk": Column("RISK", _RISK, "risk" if sorts else ""),
            "time": Column(time, AGE, "age" if sorts else "", right=True),
            "second": Column(second, ends, "deadline" if sorts else ""),
        }
        room = width - LEAD - sum(column.cells + len(GAP) for column in self.columns.values())
        places = max(widest(place_text(review) for review in reviews), len("GRAPH/NODE"))
        place = max(0, min(places, 28 if width >= _WIDE else 20, room - _ACT - len(GAP)))
        behind = {}
        if width >= _WIDE:
            runs = widest(review.run_id for review in reviews)
            behind["run"] = Column("RUN", min(max(runs, len("RUN")), _RUN))
            by = max((cell_len(_person(review)) for review in reviews), default=0)
            if by:
                behind["by"] = Column(people, min(max(by, len(people)), _PERSON))
        if place >= len("GRAPH/NODE"):
            self.columns |= {"place": Column("GRAPH/NODE", place)}
            room -= place + len(GAP)
        room -= sum(column.cells + len(GAP) for column in behind.values())
        self.columns |= {"act": Column("ACTION", max(0, room)), **behind}
        return len(self._rows)

    def margins(self) -> Margins:
        """Return the titles; where there are no reviews, say so."""
        if not self._rows:
            return [TextLine([(f"{'':{LEAD}}{line}", "dim")]) for line in ("", *self._empty)], ()
        return [self.titles], ()

    def line(self, number: int) -> TextLine:
        """Build the line of a row."""
        row = self._rows[number]
        lead: Span = ("▸ " if number == self.lines.at else "  ", "plain")
        if row.broken is not None:
            run = f"{padded(row.broken.run_id, _RUN)}{GAP}"
            return TextLine([lead, ("  ", "plain"), (run, "plain"), (row.broken.why, "bad")])
        return TextLine([lead, *self._spans(row, self.passing(number))])

    def _spans(self, row: InboxRow, times: str) -> Iterator[Span]:
        review = row.reviews[0].review
        plain: Role = "gone" if row.is_gone else "plain"
        dim: Role = "gone" if row.is_gone else "dim"
        marked = bool(row.ids) and self.marked.issuperset(row.ids)
        yield ("● " if marked else "○ " if self.marked.intersection(row.ids) else "  "), "title"
        risk = review.request.risk
        yield padded(risk, _RISK), "gone" if row.is_gone else _LOOKS[risk]
        yield GAP + times + GAP, dim
        if self.cells("place"):
            yield padded(place_text(review), self.cells("place")), plain
            yield GAP, "plain"
        yield from self._act(row, plain)
        if self.cells("run"):
            several = len({one.review.run_id for one in row.reviews}) > 1
            run = f"{len(row.reviews)} runs" if several else review.run_id
            yield GAP, "plain"
            yield padded(run, self.cells("run")), dim
        if self.cells("by"):
            yield GAP, "plain"
            yield padded(_person(review) or "-", self.cells("by")), dim

    def _act(self, row: InboxRow, plain: Role) -> Iterator[Span]:
        """Describe what is asked; where it waits no more, what became of it."""
        width, review = self.cells("act"), row.reviews[0].review
        lead = f"{row.fold} x{len(row.reviews)} " if row.fold else "└ " if row.is_member else ""
        text = ""
        if row.is_gone:
            text = f"{row.run_status} ({outcome_text(review)})" if row.run_status else ended_text(review)
        shown = padded(text, min(width, cell_len(text)))
        yield lead + shown, "warn" if row.is_gone else "title"
        rest = width - cell_len(lead + shown)
        act = f"{GAP}{act_text(review)}" if text else act_text(review)
        yield padded(act, max(0, rest)), plain

    def passes(self, number: int) -> str:
        """Return a row's times, which change by themselves, and its outcome if it has one."""
        row = self._rows[number]
        if row.broken is not None:
            return ""
        reviews = [listed.review for listed in row.reviews]
        decided = reviews[0].decision if self._state != "pending" else None
        since = decided.at if decided is not None else min(review.asked_at for review in reviews)
        second = padded(self._second_text(reviews), self.cells("second"))
        return f"{age(self._now() - since):>{AGE}}{GAP}{second}"

    def _second_text(self, reviews: Sequence[Review]) -> str:
        """Return the soonest deadline of what waits, the outcome of what does not."""
        return deadline_text(reviews, self._now()) if self._state == "pending" else outcome_text(reviews[0])


def _person(review: Review) -> str:
    """Name who has decided a review, or who has started its run; empty where nobody knows."""
    return review.decision.by if review.decision is not None else review.started_by
