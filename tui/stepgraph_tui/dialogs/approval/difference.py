"""The page of a review that shows what changed: since a person last looked, or step by step before that."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from stepgraph.runs.pages import LedgerRows, PagedSlice
from stepgraph.stores.reading import each_row
from stepgraph_tui.dialogs.long_text import row_starts
from stepgraph_tui.text.plain import key_text
from stepgraph_tui.text.state_diff import differences
from stepgraph_tui.text.value_diff import value_diff
from stepgraph_tui.text.versions import written_at
from stepgraph_tui.widgets.lines import wrapped

from .reading import LONGEST, full_text
from .rows import ReviewRow, RowWriter

if TYPE_CHECKING:
    from stepgraph.runs.masks import Mask
    from stepgraph.stores.base import StateStore
    from stepgraph.stores.ledger import Row
    from stepgraph.values.json_values import Json

Difference = tuple[str, str, "Json", "Json"]
"""A sign, a path, and the values before and after."""
_MOST = 1_000  # changes


class StateWalk:
    """What each step has changed in a run's state before a question, read when it is looked at.

    Args:
        store: Where the run is.
        run_id: The run.
        upto: The last row of its ledger that counts.
        mask: Hides the run's secrets.
    """

    def __init__(self, store: StateStore, run_id: str, upto: int, mask: Mask) -> None:
        self._store, self._run_id, self._upto, self._mask = store, run_id, upto, mask

    @cached_property
    def rows(self) -> Sequence[Row]:
        """What has changed something, in order; each is read when it is looked at."""
        rows = LedgerRows(self._store, self._run_id)
        rows.version = self._upto
        changing = (
            row.seq - 1 for row in each_row(self._store, self._run_id, upto=self._upto) if row.updates
        )
        return PagedSlice(rows, array("Q", changing))

    def changes(self, at: int) -> tuple[list[Difference], str]:
        """Find what one of the rows has changed, masked, and say which it is."""
        row = self.rows[at]
        before = self._state(row.seq - 1) if row.seq > 1 else {}
        changed = list(differences(before, self._state(row.seq)))
        return changed, f"{at + 1:,} of {len(self.rows):,}: {written_at(row)}"

    def _state(self, seq: int) -> dict[str, Json]:
        return self._mask.values(self._store.values(self._run_id, seq))


def difference(changed: Sequence[Difference], when: str, width: int, note: str = "") -> list[ReviewRow]:
    """Show every changed value in full, what is there before and after word by word.

    Args:
        changed: What changed, masked already.
        when: Since when, or in which step.
        width: How many cells a row has.
        note: What stands at the right end of the first row.
    """
    page = RowWriter(width)
    for number, line in enumerate(wrapped(when if changed else f"nothing {when}", page.room)):
        page.add(
            "" if number else "Changed", [(line, "plain")], None if number or not note else (note, "dim")
        )
    for sign, path, old, new in changed[:_MOST]:
        page.rule()
        page.add("", [(f"{sign} {key_text(path)}", "label")])
        if sign == "~":
            _changed(page, old, new)
        else:
            _whole(page, "  before" if sign == "-" else "", old if sign == "-" else new)
    if len(changed) > _MOST:
        page.words("", f"… {len(changed) - _MOST:,} more, not shown here", "warn")
    return page.rows


def _changed(page: RowWriter, old: Json, new: Json) -> None:
    shown = value_diff(old, new)
    starts = [*row_starts(shown.text[:LONGEST], page.marked_room), min(len(shown.text), LONGEST)]
    for start, stop in pairwise(starts):
        page.marked(shown.parts(start, start + len(shown.text[start:stop].rstrip("\n"))))
    page.left_out(len(shown.text) - LONGEST)


def _whole(page: RowWriter, label: str, value: Json) -> None:
    page.data(label, full_text(value))
