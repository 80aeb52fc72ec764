"""The runs of a store as trees: under each run those that were forked from it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any, NamedTuple

from ..stores.base import StoredRun
from ..stores.ledger import RunHead

_MOST_RAILS = 6


class Branch(NamedTuple):
    """A run in the tree."""

    run: StoredRun
    depth: int
    """How many runs are above it."""
    rails: tuple[bool, ...]
    """For each level above it, from the outermost in: whether more forks follow there. Empty for a run that
    stands for itself; of very deep ones the innermost levels only."""
    forks: int
    """How many runs were forked from it, directly."""
    hidden: int
    """How many runs are folded away below it."""


def parent_of(head: RunHead) -> str | None:
    """Name the run that a run was forked from; it may be deleted by now."""
    return head.origin.rpartition("@")[0] if head.origin is not None else None


def origin_text(head: RunHead, at: str = "@") -> str:
    """Describe what a run was forked from: ``r-1@3``, or ``r-1@3 with 2 edits`` with the edits after that.

    Args:
        head: The head of a run that was forked.
        at: What is written between the run and the step.
    """
    run_id, _, place = (head.origin or "").rpartition("@")
    step, _, edits = place.partition("+")
    taken = f" with {edits} edit{'' if edits == '1' else 's'}" if edits else ""
    return f"{run_id}{at}{step}{taken}"


def fork_tree(
    runs: Iterable[StoredRun], ranks: Mapping[str, Any] | None = None, folded: Container[str] = ()
) -> list[Branch]:
    """Place each run below the one that it was forked from, if that is there.

    A family is where the first of its members would stand by itself: so a fork that changes brings its
    origin up with it.

    Args:
        runs: The runs.
        ranks: What to sort them by, by their ids, the smallest first; the order in which they come when None.
        folded: The runs whose forks are left out.
    """
    known = {run.head.id: run for run in runs}
    rank = ranks if ranks is not None else {run_id: at for at, run_id in enumerate(known)}
    forks: dict[str, list[str]] = {}
    roots = []
    for run_id, run in known.items():
        parent = parent_of(run.head)
        if parent in known and parent != run_id:
            forks.setdefault(parent, []).append(run_id)
        else:
            roots.append(run_id)
    reached = _below(roots, forks)
    if len(reached) < len(known):  # only somebody else's store has runs that were forked from each other
        seen = set(reached)
        lost = [run_id for run_id in known if run_id not in seen]
        roots += lost
        reached += lost
        forks = {run_id: [each for each in below if each in seen] for run_id, below in forks.items()}
    best, count = {run_id: rank[run_id] for run_id in known}, dict.fromkeys(known, 0)
    for run_id in reversed(reached):
        for fork in forks.get(run_id, ()):
            best[run_id] = min(best[run_id], best[fork])
            count[run_id] += 1 + count[fork]
    return list(_branches(known, roots, forks, best, count, folded))


def _below(roots: list[str], forks: Mapping[str, list[str]]) -> list[str]:
    """List runs and all that were forked from them, each after its origin."""
    reached = list(roots)
    for run_id in reached:  # it grows meanwhile
        reached += forks.get(run_id, ())
    return reached


def _branches(
    known: Mapping[str, StoredRun],
    roots: list[str],
    forks: Mapping[str, list[str]],
    best: Mapping[str, Any],
    count: Mapping[str, int],
    folded: Container[str],
) -> Iterable[Branch]:
    """Walk the trees from top to bottom."""
    left: list[tuple[str, int, tuple[bool, ...]]]
    left = [(run_id, 0, ()) for run_id in sorted(roots, key=best.__getitem__, reverse=True)]
    while left:
        run_id, depth, rails = left.pop()
        below = forks.get(run_id, ())
        is_folded = bool(below) and run_id in folded
        yield Branch(known[run_id], depth, rails, len(below), count[run_id] if is_folded else 0)
        if is_folded or not below:
            continue
        ordered = sorted(below, key=best.__getitem__, reverse=True)
        last = ordered[0]
        left += [(fork, depth + 1, (*rails, fork != last)[-_MOST_RAILS:]) for fork in ordered]
