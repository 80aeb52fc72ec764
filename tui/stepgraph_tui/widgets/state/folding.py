"""What is unfolded, how much of what is long is shown, and the rows that this makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from stepgraph.expressions import Path
from stepgraph.runs import MASK
from stepgraph.values import Json, StateKey
from stepgraph_tui.text.cells import widest

from .row import StateRow, name_of

Found = tuple[Path, str, Json]
"""A value on the way to a search: where it is, what comes before it, and itself."""
PAGE = 200
"""How many items of a list or table are shown at once; each gap unfolds as many more."""


@dataclass(frozen=True, slots=True)
class ItemRange:
    """Items that follow each other in a list or table, shown or left out."""

    start: int
    stop: int
    shown: bool


class Folding:
    """The folds of a state by their paths; they outlive the step that they were made at."""

    def __init__(self) -> None:
        self.unchanged = True
        """Whether what a step left alone is listed."""
        self._open: set[Path] = set()
        self._pages: dict[Path, set[int]] = {}

    def is_open(self, path: Path) -> bool:
        """Whether what is inside a value is shown."""
        return path in self._open

    def set_open(self, path: Path, opened: bool) -> None:
        """Unfold a value, or fold it; its pages are forgotten with that, not the folds inside."""
        if opened:
            self._open.add(path)
        else:
            self._open.discard(path)
            self._pages.pop(path, None)

    def show_page(self, path: Path, page: int) -> None:
        """Show one more page of a value's items."""
        self._pages.setdefault(path, {0}).add(page)

    def show_item(self, path: Path, index: int) -> None:
        """Unfold a value and show the page of one of its items."""
        if path:
            self._open.add(path)
        self.show_page(path, index // PAGE)

    def spans(self, path: Path, count: int) -> Iterator[ItemRange]:
        """List the pages of a value's items that are shown, and the gaps between them."""
        at = 0
        for page in sorted(self._pages.get(path, {0})):
            start, stop = page * PAGE, min(count, (page + 1) * PAGE)
            if start >= count:
                break
            if at < start:
                yield ItemRange(at, start, False)
            yield ItemRange(start, stop, True)
            at = stop
        if at < count:
            yield ItemRange(at, count, False)


class Branches:
    """Makes the rows of what is in lists and tables.

    Args:
        folding: What is unfolded.
        keys: The declared keys; the values of secret ones are left out.
    """

    def __init__(self, folding: Folding, keys: Mapping[str, StateKey]) -> None:
        self.folding = folding
        self.keys = keys

    def inside(
        self, path: Path, container: Json, depth: int, dim: bool, column: int = 0
    ) -> Iterator[StateRow]:
        """Build the rows of the items of a list or table, page by page, and of what is unfolded in them.

        Args:
            path: Where it is.
            container: Anything else has no items.
            depth: How far its items are indented.
            dim: Whether they are of less interest.
            column: How many cells the keys around them need.
        """
        if not isinstance(container, (dict, list)):
            return
        for span in self.folding.spans(path, len(container)):
            if not span.shown:
                yield gap(path, depth, span)
                continue
            items = list(_items(container, span))
            aligned = max(column, widest([name_of(key) for key, _ in items]))
            for key, value in items:
                row = self._row((*path, key), value, depth, dim, aligned)
                yield row
                yield from self.below(row)

    def below(self, row: StateRow) -> Iterator[StateRow]:
        """Build the rows of what is unfolded in a row's value."""
        if row.open:
            yield from self.inside(row.path, row.value, row.depth + 1, row.dim)

    def _row(self, path: Path, value: Json, depth: int, dim: bool, column: int) -> StateRow:
        opened = self.folding.is_open(path)
        note = self.hidden(path)
        return StateRow("value", path, name_of(path[-1]), value, None, "", depth, column, dim, note, opened)

    def hidden(self, path: Path) -> str:
        """Mask a value under a secret key; empty for any other."""
        key = self.keys.get(str(path[0]))
        return MASK if key is not None and key.secret else ""

    def show(self, path: Path, container: Json, below: Path) -> None:
        """Unfold so far that a value can be seen.

        Args:
            path: A value on the way.
            container: That value.
            below: The rest of the way.
        """
        for step in below:
            if not isinstance(container, (dict, list)):
                return
            self.folding.show_item(path, index_of(container, step))
            container = container[step]  # type: ignore[index]  # the step fits its container
            path = (*path, step)


def index_of(container: dict[str, Json] | list[Json], key: str | int) -> int:
    """Find the position of an item among its neighbors."""
    return key if isinstance(key, int) else next(i for i, name in enumerate(container) if name == key)


def gap(path: Path, depth: int, span: ItemRange) -> StateRow:
    """Build the row for items that are left out."""
    words = f"… {span.stop - span.start:,} more"
    return StateRow("more", path, words, depth=depth, dim=True, page=span.start // PAGE)


def descend(path: Path, value: Json) -> Iterator[Found]:
    """Walk through everything inside a value, in the order in which it is shown."""
    for key, item in _children(value):
        inner = (*path, key)
        yield inner, "" if isinstance(key, int) else key, item
        yield from descend(inner, item)


def _children(value: Json) -> Iterator[tuple[str | int, Json]]:
    if isinstance(value, dict):
        return iter(value.items())
    return enumerate(value) if isinstance(value, list) else iter(())


def _items(container: dict[str, Json] | list[Json], span: ItemRange) -> Iterator[tuple[str | int, Json]]:
    if isinstance(container, dict):
        return islice(container.items(), span.start, span.stop)
    return iter(enumerate(container[span.start : span.stop], span.start))
