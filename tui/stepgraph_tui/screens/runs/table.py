"""What the list of runs lists: read once, and from then on only what has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from stepgraph.reviews import Reviews
from stepgraph.runs import Branch, fork_tree, parent_of
from stepgraph.stores import Damage, RunStatus, StateStore, StoredRun
from stepgraph.values import StepgraphError, StoreError, UnknownRun
from stepgraph_tui.store_look import LastSeen
from stepgraph_tui.text.reviews import wait_text
from stepgraph_tui.text.run_filter import RunFilter
from stepgraph_tui.text.run_list import ORDERS, RunOrder

_MANY = 200
"""Runs from which on all are read at once."""


class RunTable:
    """The runs of a store as they are listed: chosen, sorted, as a tree of forks, folded.

    A run that changes stays where it is, so that nothing moves away below somebody's eyes; new ones come
    where they belong. Sorting again restores the order.

    Args:
        store: A connection of the reader's own.
        stamp: Gives the store's stamp, which each commit changes; None asks the store.
    """

    def __init__(self, store: StateStore, stamp: Callable[[], object] | None = None) -> None:
        self._store, self._seen = store, LastSeen(stamp or store.stamp)
        self._runs: dict[str, StoredRun] = {}
        self._ranks: dict[str, Any] = {}
        self._waits: dict[str, tuple[int, str]] = {}  # by the run, at which version
        self._holds: dict[str, tuple[int, bool]] = {}  # by the run: at which version, what the filter says
        self._order = 0
        self.filter = RunFilter()
        self.folded: set[str] = set()
        """The runs whose forks are folded away."""
        self.damages: list[Damage] = []
        """What cannot be read."""
        self.listed_damages: Sequence[Damage] = ()
        """Of that, what is asked for."""
        self.branches: list[Branch] = []
        """The runs that are listed, from top to bottom."""

    def __len__(self) -> int:
        return len(self._runs)

    def __contains__(self, run_id: object) -> bool:
        return run_id in self._runs

    def get(self, run_id: str) -> StoredRun | None:
        """Return a run as it was read last, whether it is listed or not."""
        return self._runs.get(run_id)

    @property
    def order(self) -> RunOrder:
        """What the runs are sorted by."""
        return ORDERS[self._order]

    @property
    def counts(self) -> Counter[RunStatus]:
        """How many runs there are of each status."""
        return Counter(run.pointer.status for run in self._runs.values())

    def look(self) -> bool:
        """Read what has changed in the store.

        Returns:
            Whether anything has.

        Raises:
            StoreError: The store cannot be read.
        """
        if self._seen.is_current():
            return False
        before, damages = self._runs, self.damages
        self._runs = self._read_all() if self._seen.is_first else self._read_new()
        self._seen.keep()
        if self._runs == before and self.damages == damages:
            return False
        if self.damages == damages and self._are_same(before):
            runs = self._runs
            self.branches = [
                branch if (run := runs[branch.run.head.id]) is branch.run else branch._replace(run=run)
                for branch in self.branches
            ]
            return True
        self._ranks = {
            run_id: self._ranks.get(run_id) or self.order.key(run) for run_id, run in self._runs.items()
        }
        self._arrange()
        return True

    def _are_same(self, before: Mapping[str, StoredRun]) -> bool:
        """Check whether the same runs are to be listed, in the same tree, wherever each stands by now."""
        if self.filter.terms or self._runs.keys() != before.keys():
            return False
        return all(
            run is before[run_id] or run.head == before[run_id].head for run_id, run in self._runs.items()
        )

    def _read_all(self) -> dict[str, StoredRun]:
        found = self._store.runs()
        self.damages = found.damages
        return {run.head.id: run for run in found}

    def _read_new(self) -> dict[str, StoredRun]:
        """Read the runs that moved; one by one damage is an error, and a listing has it as a value."""
        try:
            return self._read_moved()
        except StoreError:
            return self._read_all()

    def _read_moved(self) -> dict[str, StoredRun]:
        versions, known = self._store.versions(), self._runs
        moved = [
            run_id
            for run_id, version in versions.items()
            if run_id not in known or known[run_id].pointer.version != version
        ]
        if len(moved) > _MANY or self.damages:  # what is damaged is known to a listing alone
            return self._read_all()
        runs = {run_id: run for run_id, run in known.items() if run_id in versions}
        for run_id in moved:
            try:
                runs[run_id] = self._store.load(run_id)
            except UnknownRun:  # it was deleted just now
                runs.pop(run_id, None)
        return runs

    def _arrange(self) -> None:
        self.listed_damages = self.filter.damaged(self.damages)
        chosen = self.filter.choose(list(self._runs.values()))
        if self.filter.of_content:
            chosen = [run for run in chosen if self._holds.get(run.head.id) == (run.pointer.version, True)]
        self.branches = fork_tree(chosen, self._ranks, self.folded)

    @property
    def unread(self) -> list[StoredRun]:
        """The runs that must be read to know whether they are asked for, the last changed first."""
        if not self.filter.of_content:
            return []
        chosen = self.filter.choose(list(self._runs.values()))
        known = self._holds
        left = [run for run in chosen if known.get(run.head.id, (0,))[0] != run.pointer.version]
        return sorted(left, key=lambda run: run.pointer.updated_at, reverse=True)

    def learn(self, read: Sequence[tuple[StoredRun, bool]]) -> None:
        """Record which runs the filter holds."""
        self._holds |= {run.head.id: (run.pointer.version, holds) for run, holds in read}
        self._arrange()

    def choose(self, text: str) -> None:
        """List only the runs that a filter asks for."""
        self.filter = RunFilter(text)
        self._holds = {}
        self._arrange()

    def sort(self, by: str | None = None) -> None:
        """Sort again, by the order of this name, else by the next one."""
        names = [order.name for order in ORDERS]
        self._order = (self._order + 1) % len(ORDERS) if by is None else names.index(by)
        self._ranks = {run_id: self.order.key(run) for run_id, run in self._runs.items()}
        self._arrange()

    def fold(self, run_id: str, *, folded: bool) -> None:
        """Fold the forks of a run away, or show them again."""
        (self.folded.add if folded else self.folded.discard)(run_id)
        self._arrange()

    def forks_of(self, run_id: str) -> list[str]:
        """Name the runs that were forked from a run."""
        return [other for other, run in self._runs.items() if parent_of(run.head) == run_id]

    def awaits(self, run: StoredRun) -> str:
        """Describe what a run waits for: how risky that is, or until when; empty where that is not known.

        It is read where a line is looked at, once for each version of the run.
        """
        pointer = run.pointer
        if pointer.status is not RunStatus.PAUSED or pointer.review is None:
            return ""
        known = self._waits.get(run.head.id)
        if known is None or known[0] != pointer.version:
            known = self._waits[run.head.id] = pointer.version, self._read_wait(pointer.review)
        return known[1]

    def _read_wait(self, review: str) -> str:
        try:
            found = Reviews(self._store).read(review)[0]
        except StepgraphError:
            return ""
        return wait_text(found) if found.is_wait else f"{found.request.risk} risk"
