"""The edits of a run's state between two steps, as pages of runs and of steps tell them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from .plain import clock, visible
from .state_text import edit_lines

if TYPE_CHECKING:
    from stepgraph.runs.masks import Mask
    from stepgraph.runs.run import Run
    from stepgraph.stores.ledger import Row


def edits_after(run: Run, step: int) -> Iterator[Row]:
    """Read every edit behind a step."""
    return run.rows_after(step, ("edit",))


def edits_at(run: Run, step: int) -> Iterator[Row]:
    """Read the edits between a step and the next one."""
    return takewhile(lambda row: row.step == step, edits_after(run, step))


def told_edits(
    run: Run, edits: Iterable[Row], mask: Mask, arrow: str = "->"
) -> Iterator[tuple[str, list[str]]]:
    """Tell of each edit when it was made, by whom and why, and line by line what it changed."""
    for row in edits:
        by, comment = _said(row, mask)
        why = f": {comment}" if comment else ""
        before = run.store.values(run.id, row.seq - 1)
        said = visible(f"after step {row.step}, {clock(row.at)}, by {by or 'somebody'}{why}")
        yield said, edit_lines(mask, before, row.updates or {}, arrow)


def edits_json(edits: Iterable[Row], mask: Mask) -> Iterator[dict[str, Any]]:
    """Write edits as JSON, secrets masked; null is a key that was taken away."""
    for row in edits:
        by, comment = _said(row, mask)
        yield {
            "step": row.step,
            "at": row.at,
            "by": by,
            "comment": comment,
            "updates": mask.values(row.updates or {}),
        }


def _said(row: Row, mask: Mask) -> tuple[str, str]:
    by, comment = (mask.text(str((row.data or {}).get(key) or "")) for key in ("by", "comment"))
    return by, comment
