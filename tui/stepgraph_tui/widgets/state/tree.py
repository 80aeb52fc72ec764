"""The rows of a state as far as they are unfolded, and what is searched in it."""

from __future__ import annotations

from itertools import islice

from stepgraph.compare import shown
from stepgraph.json_values import Json

from .folding import Folding
from .row import Path, StateRow
from .views import DeclaredKeys, StateView

MOST_VALUES = 50_000
"""In how many values a text is looked for; more would keep the keys waiting."""
MOST_CHARACTERS = 2_000_000
"""In how many characters of them all."""
LONGEST = 200_000
"""In how many characters of one of them."""


class StateTree:
    """The rows of a view of values; folds stay with the values' paths, whatever is looked at."""

    def __init__(self) -> None:
        self.folding = Folding()
        self.view: StateView = DeclaredKeys({})
        self.rows: list[StateRow] = []
        self.paths: list[Path] = []
        """The values that were searched last, in order."""
        self.searched_all = True
        """Whether they are all that there are, each in full."""

    def read(self) -> None:
        """Make the rows of the view anew."""
        self.rows = list(self.view.rows())

    def place_of(self, old: StateRow, at: int) -> int:
        """Find where a row is now; of one that is gone, what it was in, what was in it, or its line."""
        places = {row.place: index for index, row in enumerate(self.rows)}
        if old.place in places:
            return places[old.place]
        if old.kind == "value":
            for length in range(len(old.path) - 1, 0, -1):
                if ("value", old.path[:length], 0) in places:
                    return places["value", old.path[:length], 0]
            inside = (i for i, row in enumerate(self.rows) if row.path[: len(old.path)] == old.path)
            return next(inside, at)
        return at

    def around(self, at: int) -> int | None:
        """Find the row that a row is in; None for one that is in no other."""
        depth = self.rows[at].depth
        above = ((index, self.rows[index]) for index in range(at - 1, -1, -1))
        return next(
            (index for index, row in above if row.folds and (row.depth < depth or row.kind == "unchanged")),
            None,
        )

    def unfold(self, row: StateRow, opened: bool = True) -> None:
        """Show what is inside a row, or no more; of a gap, its first page."""
        if row.kind == "more":
            self.folding.show_page(row.path, row.page)
        elif row.kind == "unchanged":
            self.folding.unchanged = opened
        elif row.folds:
            self.folding.set_open(row.path, opened)
        self.read()

    def reveal(self, path: Path) -> int | None:
        """Unfold so far that a value can be seen, and find its row."""
        self.view.reveal(path)
        self.read()
        rows = enumerate(self.rows)
        return next((index for index, row in rows if row.path == path and row.kind == "value"), None)

    def texts(self) -> list[str]:
        """Collect the texts of everything that unfolding could show, up to a bound."""
        self.paths, self.searched_all = [], True
        texts: list[str] = []
        left, found = MOST_CHARACTERS, self.view.found()
        for path, name, value in islice(found, MOST_VALUES):
            self.paths.append(path)
            texts.append(f"{self._cut(name)} {self._cut(_text(value))}")
            left -= len(texts[-1])
            if left <= 0:
                break
        self.searched_all = self.searched_all and next(found, None) is None
        return texts

    def _cut(self, text: str) -> str:
        self.searched_all = self.searched_all and len(text) <= LONGEST
        return text[:LONGEST]


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "" if isinstance(value, (dict, list)) else shown(value)
