"""The lines below a value: only what is unfolded is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from stepgraph.values.json_values import Json
from stepgraph.values.state import StateKey
from stepgraph_tui.words.masks import MASK

from .folding import PAGE, Folding, Span
from .row import Path, Row, name_of, widest

Found = tuple[Path, str, Json]
"""A value on the way to a search: where it is, what stands before it, and itself."""


class Branches:
    """Makes the rows of what is in lists and tables.

    Args:
        folding: What is unfolded.
        keys: The declared keys; the values of secret ones are left out.
    """

    def __init__(self, folding: Folding, keys: Mapping[str, StateKey]) -> None:
        self.folding = folding
        self.keys = keys

    def inside(self, path: Path, container: Json, depth: int, dim: bool, column: int = 0) -> Iterator[Row]:
        """The items of a list or table, page by page, and what is unfolded in them.

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

    def below(self, row: Row) -> Iterator[Row]:
        """What is unfolded in a row's value."""
        if row.open:
            yield from self.inside(row.path, row.value, row.depth + 1, row.dim)

    def _row(self, path: Path, value: Json, depth: int, dim: bool, column: int) -> Row:
        opened = self.folding.is_open(path)
        note = self.hidden(path)
        return Row("value", path, name_of(path[-1]), value, None, "", depth, column, dim, note, opened)

    def hidden(self, path: Path) -> str:
        """What stands in the place of a value under a secret key; empty for any other."""
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
    """The position of an item among its neighbours."""
    return key if isinstance(key, int) else next(i for i, name in enumerate(container) if name == key)


def gap(path: Path, depth: int, span: Span) -> Row:
    """The row for items that are left out."""
    words = f"… {span.stop - span.start:,} more"
    return Row("more", path, words, depth=depth, dim=True, page=span.start // PAGE)


def descend(path: Path, value: Json) -> Iterator[Found]:
    """Everything inside a value, in the order in which it is shown."""
    for key, item in _children(value):
        inner = (*path, key)
        yield inner, "" if isinstance(key, int) else key, item
        yield from descend(inner, item)


def _children(value: Json) -> Iterator[tuple[str | int, Json]]:
    if isinstance(value, dict):
        return iter(value.items())
    return enumerate(value) if isinstance(value, list) else iter(())


def _items(container: dict[str, Json] | list[Json], span: Span) -> Iterator[tuple[str | int, Json]]:
    if isinstance(container, dict):
        return islice(container.items(), span.start, span.stop)
    return iter(enumerate(container[span.start : span.stop], span.start))
