"""What the inbox lists: read once, and anew when the store has changed; filtered, sorted, grouped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from stepgraph.reviews.waiting import (
    ORDERS,
    InboxFilter,
    ListedReview,
    ReviewGroup,
    ReviewOrder,
    grouped,
    question_of,
)
from stepgraph.stores.base import StateStore
from stepgraph.values.errors import FilterError
from stepgraph_tui.store_look import LastSeen
from stepgraph_tui.text.inbox import BrokenReview, InboxLists, InboxReader, ReviewState
from stepgraph_tui.widgets.inbox_list import InboxRow


class InboxTable:
    """The reviews of one tab, row by row.

    What waits no more stays in its row, struck through, until another tab is shown or the inbox is left: no
    row moves away below somebody's eyes.

    Args:
        store: A connection of the reader's own.
        now: What tells the time, in seconds since 1970.
        me: The person at the terminal, for the filter ``mine``.
        stamp: Gives the store's stamp, which each commit changes; None asks the store.
        standing: Tells how a run stands whose review waits no more.
    """

    def __init__(
        self,
        store: StateStore,
        now: Callable[[], float],
        me: str,
        stamp: Callable[[], object] | None = None,
        standing: Callable[[str], str] = lambda run_id: "",
    ) -> None:
        self._reader, self._seen = InboxReader(store, now), LastSeen(stamp or store.stamp)
        self._now, self._me = now, me
        self._order = 0
        self._filter = InboxFilter()
        self._unfolded: set[str] = set()
        self._gone: dict[str, ListedReview] = {}
        self._standing, self._standings = standing, dict[str, str]()  # by the review that is gone
        self.lists = InboxLists([], [], [], [], [])
        """All that there is."""
        self.has_read = False
        """Whether the store could be read at all."""
        self.state: ReviewState = "pending"
        """What is listed of it."""
        self.rows: Sequence[InboxRow] = ()
        """The rows, from top to bottom."""

    @property
    def order(self) -> ReviewOrder:
        """What the pending reviews are sorted by."""
        return ORDERS[self._order]

    @property
    def chips(self) -> list[str]:
        """The parts of the filter, as they were written."""
        return [term.written for term in self._filter.terms]

    @property
    def markable(self) -> set[str]:
        """The ids of all reviews that are listed, those in folded groups too, and that can be decided."""
        return {review_id for row in self.rows for review_id in row.ids}

    def __contains__(self, review_id: object) -> bool:
        """Tell whether a review waits."""
        return any(listed.review.id == review_id for listed in self.lists.pending)

    def look(self) -> bool:
        """Read what has changed in the store.

        Returns:
            Whether anything has.

        Raises:
            StoreError: The store cannot be read.
        """
        moved = self._read() if not self._seen.is_current() or self._reader.is_due else False
        standings = {at: self._standing(gone.review.run_id) for at, gone in self._gone.items()}
        if standings != self._standings:
            self._standings, moved = standings, True
            self._arrange()
        return moved

    def _read(self) -> bool:
        before, self.lists = self.lists, self._reader.read()
        self._seen.keep()
        first, self.has_read = not self.has_read, True
        if self.lists == before:
            return first
        self._keep_gone(before.pending)
        self._arrange()
        return True

    def _keep_gone(self, before: Sequence[ListedReview]) -> None:
        """Keep in the list what has just ceased to wait, with what became of it."""
        waiting = {listed.review.id for listed in self.lists.pending}
        past = {each.review.id: each for each in (*self.lists.decided, *self.lists.expired)}
        for listed in before:
            at = listed.review.id
            if at not in waiting:
                self._gone[at] = past.get(at, listed)
        self._gone = {at: listed for at, listed in self._gone.items() if at not in waiting}

    # What is listed

    def turn(self, state: ReviewState) -> None:
        """List something else."""
        self.state = state
        self._gone.clear()
        self._arrange()

    def choose(self, text: str) -> str:
        """List only what a filter asks for.

        Returns:
            What is wrong with the filter, and what is possible; then the list stays as it was.
        """
        try:
            self._filter = InboxFilter.parse(text)
        except FilterError as error:
            return f"{error.message}; {error.hint}"
        self._arrange()
        return ""

    def sort(self, by: str | None = None) -> None:
        """Sort by the order of this name, else by the next one."""
        names = [order.name for order in ORDERS]
        self._order = (self._order + 1) % len(ORDERS) if by is None else names.index(by)
        self._arrange()

    def fold(self, key: str, *, folded: bool) -> None:
        """Fold a group, or unfold it."""
        (self._unfolded.discard if folded else self._unfolded.add)(key)
        self._arrange()

    def _arrange(self) -> None:
        if self.state == "broken":
            chosen = {id(listed) for listed in self._chosen(self.lists.of("broken"))}
            has_filter = bool(self._filter.terms)
            self.rows = [
                InboxRow.of_broken(broken)
                for broken in self.lists.broken
                if not has_filter or self._finds(broken, chosen)
            ]
        elif self.state == "pending":
            waiting = [*self.lists.pending, *self._gone.values()]
            waiting.sort(key=lambda listed: self.order.key(listed.review))
            self.rows = [row for group in grouped(self._chosen(waiting)) for row in self._rows_of(group)]
        else:
            past = self._chosen(self.lists.of(self.state))
            self.rows = [InboxRow(listed.review.id, (listed,)) for listed in past]

    def _chosen(self, reviews: Sequence[ListedReview]) -> list[ListedReview]:
        return self._filter.choose(reviews, self._now(), self._me)

    def _finds(self, broken: BrokenReview, chosen: set[int]) -> bool:
        """Tell whether a broken review is asked for; of one that cannot be read only its run is known."""
        if broken.review is not None:
            return id(broken.review) in chosen
        said = f"{broken.run_id} {broken.why}".lower()
        return all(term.field in ("", "run") and term.text in said for term in self._filter.terms)

    def _rows_of(self, group: ReviewGroup) -> list[InboxRow]:
        """Make the rows of reviews that ask the same; those that are gone stand by themselves."""
        gone = [
            InboxRow(at, (listed,), is_gone=True, standing=self._standings.get(at, ""))
            for listed in group
            if (at := listed.review.id) in self._gone
        ]
        waiting = tuple(listed for listed in group if listed.review.id not in self._gone)
        if len(waiting) < 2:
            rows = [InboxRow(listed.review.id, (listed,)) for listed in waiting]
            return sorted([*gone, *rows], key=lambda row: self.order.key(row.reviews[0].review))
        heading = InboxRow("\0".join(question_of(waiting[0].review)), waiting, fold="▸")
        unfolded = heading.group in self._unfolded
        heading = replace(heading, fold="▾") if unfolded else heading
        members = [InboxRow(listed.review.id, (listed,), is_member=True) for listed in waiting]
        return [heading, *(members if unfolded else ()), *gone]
