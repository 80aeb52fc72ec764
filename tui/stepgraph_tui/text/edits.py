"""Edits of a run's state in words, as pages of runs and of steps tell them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from .plain import clock, visible
from .state_diff import difference_lines

if TYPE_CHECKING:
    from stepgraph_tui.view.runs import EditStory, StateChanges


def told_edits(edits: Iterable[EditStory], arrow: str = "->") -> Iterator[tuple[str, list[str]]]:
    """Tell of each edit when it was made, by whom and why, and line by line what it changed."""
    for edit in edits:
        why = f": {edit.comment}" if edit.comment else ""
        said = visible(f"after step {edit.step}, {clock(edit.at)}, by {edit.by or 'somebody'}{why}")
        yield said, change_lines(edit.changes, arrow)


def change_lines(changes: StateChanges, arrow: str = "->") -> list[str]:
    """Tell what an edit changes, a line each: ``~ order.amount 240 -> 90``, ``~ token (secret)``.

    Args:
        changes: What it changes.
        arrow: What stands between an old value and the new one.
    """
    lines = difference_lines(changes.touched, changes.becomes, arrow)
    return [*lines, *(f"~ {visible(key)} (secret)" for key in changes.hidden)]


def edits_json(edits: Iterable[EditStory]) -> Iterator[dict[str, Any]]:
    """Write edits as JSON; null is a key that was taken away."""
    for edit in edits:
        yield {
            "step": edit.step,
            "at": edit.at,
            "by": edit.by,
            "comment": edit.comment,
            "updates": edit.updates,
        }
