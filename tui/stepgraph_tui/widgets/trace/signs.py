"""What each row of a run changed, in signs: worked out where somebody looks, page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stepgraph.runs.pages import PAGE
from stepgraph_tui.text.state_diff import Before

if TYPE_CHECKING:
    from stepgraph_tui.run_view import RunView

_KEPT = 16  # pages


class RowSigns:
    """The signs of the rows of one run. Only those of the pages that were looked at last are kept.

    Args:
        view: The run.
    """

    def __init__(self, view: RunView) -> None:
        self._view = view
        self._pages: dict[int, tuple[Before, list[list[str]]]] = {}  # the one looked at last comes last

    def __getitem__(self, seq: int) -> list[str]:
        view = self._view
        number, at = divmod(seq - 1, PAGE)
        first = number * PAGE
        page = self._pages.pop(number, None)
        if page is None:
            page = Before(view.store.values(view.run_id, first) if first else {}), []
        before, signs = page
        signs += map(before.of_row, view.rows[first + len(signs) : first + at + 1])
        self._pages[number] = page
        if len(self._pages) > _KEPT:
            del self._pages[next(iter(self._pages))]
        return signs[at]
