"""Claims: the right to move one run, which its driver was given and may lose."""

from __future__ import annotations

from typing import NamedTuple

from ...values.errors import Conflict


class ClaimLost(Conflict):
    """Another driver was given the run meanwhile; nothing was recorded."""


class Claim(NamedTuple):
    """A row in the store's own database that allows its holder to move a run: a job of a queue, say."""

    rows: str
    """The row that is there as long as the claim holds, in SQL behind FROM; ``{0}`` is the first value."""
    values: tuple[int, ...]


def lost(run_id: str) -> ClaimLost:
    """Refuse a commit whose claim is lost."""
    return ClaimLost(
        f"run {run_id!r} now belongs to another worker",
        hint="what its node has just done is not recorded, and the node is executed again",
    )
