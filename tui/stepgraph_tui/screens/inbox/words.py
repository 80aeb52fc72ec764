"""What the inbox says beside its rows: of the selected one, and where there is none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from stepgraph.stores.ledger import RunStatus
from stepgraph.values.errors import StepgraphError
from stepgraph_tui.text.inbox import ReviewState, ended_text, place_text
from stepgraph_tui.text.plain import moment, visible
from stepgraph_tui.text.system import command
from stepgraph_tui.text.terms import term_rows

if TYPE_CHECKING:
    from stepgraph.stores.base import StateStore
    from stepgraph_tui.widgets.inbox_list import InboxRow

_EMPTY: dict[ReviewState, str] = {
    "pending": "Nothing waits for you.",
    "decided": "Nothing was decided yet.",
    "expired": "Nothing has expired.",
    "broken": "Nothing is broken.",
}


def empty_text(state: ReviewState, store: StateStore) -> list[str]:
    """Say that there is nothing, line by line; where nothing waits, also what runs meanwhile."""
    if state != "pending":
        return [_EMPTY[state]]
    try:
        ready = len(store.runs(RunStatus.READY))
    except StepgraphError:
        return [_EMPTY[state]]
    runs = "run is" if ready == 1 else "runs are"
    return [_EMPTY[state], f"{ready:,} {runs} running, or ready to go on." if ready else "Nothing runs."]


def row_text(row: InboxRow | None, now: float, address: str | None, standing: Callable[[str], str]) -> str:
    """Tell of a row what has no column, or no room in one; of what is broken, what to do.

    Args:
        row: The row; None where there is none.
        now: The time, in seconds since 1970.
        address: The store's address where commands must name it.
        standing: Tells how a run stands.
    """
    if row is None:
        return ""
    if row.broken is not None:
        return row.broken.ways_on(partial(command, store=address))
    review = row.reviews[0].review
    name = f"{len(row.reviews)} reviews that ask the same" if row.fold else visible(review.run_id)
    decision = review.decision
    if decision is not None:
        comment = decision.comment or decision.text
        said = f"{ended_text(review)}{f': {visible(comment)}' if comment else ''}"
        stands = standing(review.run_id)
        return "   ".join((name, said, stands, f"at {moment(decision.at, now)}", place_text(review)))
    told = [name, place_text(review)]
    terms = term_rows(review, now, counts=False)
    told += [f"{heading}: {text}" for heading, text in terms if heading in ("decides", "votes")]
    told += [visible(review.request.prompt)] if review.request.action else []
    return "   ".join(told)
