"""A state as rows: all of it, what a step changed, or what a graph declares; folded where it is long."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal, Protocol

from stepgraph.expressions import Path
from stepgraph.runs import MASK
from stepgraph.stores import is_big
from stepgraph.values import Json, StateKey

from ...text.cells import cell_len, cut, widest
from ...text.plain import value_text
from ...text.state_diff import StateChange, changes
from ..lines import Role, Span

if TYPE_CHECKING:
    from ...run_view import RunSnapshot


_LONGEST = 60  # characters of a key
_NAMED = 100  # keys or items; more do not fit into any line
_ALIKE = 8  # characters of what two texts share that are shown before their difference
_FAR = 200_000  # characters in which the difference of two texts is looked for


def name_of(key: str | int) -> str:
    """Write a key or a position as a row shows it."""
    if isinstance(key, int):
        return f"[{key}]"
    return key if len(key) <= _LONGEST else f"{key[:_LONGEST]}…"


def preview(value: Json, width: int) -> str:
    """Show a value in at most ``width`` cells: JSON, but of a list or table its size and what is in it."""
    if is_big(value):
        return cut(f"{value.size // 1024:,} KB, not loaded yet", width)
    if value == {} or value == []:
        return value_text(value)
    if isinstance(value, dict):
        return cut(" ".join([f"{{{len(value):,}}}", *map(name_of, islice(value, _NAMED))]), width)
    if isinstance(value, list):
        return cut(" ".join([f"[{len(value):,}]", *_scalars(value, width)]), width)
    return _text_preview(value, 0, width) if isinstance(value, str) else cut(value_text(value), width)


def _scalars(items: list[Json], width: int) -> list[str]:
    """Preview the first items of a list, when they are no lists or tables themselves."""
    first = items[:_NAMED]
    if any(isinstance(item, (dict, list)) for item in first):
        return []
    return [preview(item, width) for item in first]


def _text_preview(text: str, start: int, width: int) -> str:
    """Put a text in quotes from ``start`` on, with an ellipsis for what is left out at either end."""
    end = start + max(1, width)
    quoted = value_text(text[start:end])
    if start:
        quoted = f'"…{quoted[1:]}'
    if end < len(text):
        quoted = f"{quoted[:-1]}…"
    return cut(quoted, width)


def change_preview(old: Json, new: Json, width: int) -> tuple[str, str]:
    """Show two values in at most ``width`` cells together; long texts from just before they differ."""
    half = max(1, width // 2)
    start = 0
    if isinstance(old, str) and isinstance(new, str):
        differ = _first_difference(old, new)
        alike = min(_ALIKE, half // 4)
        start = differ - alike if differ > half - alike else 0
    one, other = (
        _text_preview(value, start, width) if isinstance(value, str) else preview(value, width)
        for value in (old, new)
    )
    kept = cut(one, max(half, width - cell_len(other)))  # what one leaves of its half is the other's
    return kept, cut(other, max(1, width - cell_len(kept)))


def _first_difference(one: str, other: str) -> int:
    """Find where two texts begin to differ, by halving; 0 when that is too far away to look for."""
    low, high = 0, min(len(one), len(other), _FAR)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low if low < _FAR else 0


Kind = Literal["value", "more", "unchanged", "words"]
"""A value; a gap of items that are not shown yet; the heading of what did not change; a plain sentence."""
_SIGNS: dict[str, Role] = {"+": "good", "~": "warn", "-": "bad"}
_LEAST = 10  # cells that a value needs to say anything


@dataclass(frozen=True, slots=True)
class StateRow:
    """A row of the state pane."""

    kind: Kind
    path: Path = ()
    """The value; of a gap and of a heading, what they belong to."""
    name: str = ""
    """The key, safe to show; of other kinds, what they say."""
    value: Json = None
    old: Json = None
    """The value before the step, where it was changed."""
    sign: str = ""
    """``+``, ``~`` or ``-`` for a value that the step changed."""
    depth: int = 0
    column: int = 0
    """How many cells the keys around it need."""
    dim: bool = False
    note: str = ""
    """What is in the value's place."""
    open: bool = False
    """Whether what is inside is shown below."""
    page: int = 0
    """The page that a gap begins with."""

    @property
    def place(self) -> tuple[Kind, Path, int]:
        """What stays the same when rows are made again."""
        return self.kind, self.path, self.page

    @property
    def folds(self) -> bool:
        """Whether it can be folded and unfolded."""
        return self.kind == "unchanged" or (
            self.kind == "value" and isinstance(self.value, (dict, list)) and bool(self.value)
        )

    @property
    def has_value(self) -> bool:
        """Whether there is anything to copy."""
        return self.kind == "value" and self.note in ("", MASK)

    @property
    def selectable(self) -> bool:
        """Whether the cursor can be there."""
        return self.kind != "words"


def row_spans(row: StateRow, width: int, signed: bool) -> Iterator[Span]:
    """Write a row in at most ``width`` cells, from left to right.

    Args:
        row: The row.
        width: How many cells there are.
        signed: Whether there is a column for the signs of changes.
    """
    if row.kind == "words" and not row.name:
        return
    left = _indent(row, width, signed)
    if row.sign:
        yield f" {row.sign} ", _SIGNS[row.sign]
    else:
        yield " " * left, "plain"
    fold = ("▾ " if row.open else "▸ ") if row.folds else "  "
    if row.kind != "value":
        yield f"{fold}{row.name}" if row.kind == "unchanged" else f"  {row.name}", "dim"
        return
    role: Role = "dim" if row.dim else "plain"
    yield fold, role
    room = max(0, width - left - 2)
    column = min(row.column, max(_LEAST, room * 2 // 5))
    name = cut(row.name, room if room < 2 * _LEAST else room - _LEAST)
    yield name, "dim" if row.dim else "key"
    gap = max(0, column - cell_len(name)) + 2
    yield " " * gap, "plain"
    yield from _value(row, room - cell_len(name) - gap, role)


def _value(row: StateRow, width: int, role: Role) -> Iterator[Span]:
    if width <= 0:
        return
    if row.note:
        yield cut(row.note, width), role
    elif row.sign == "~":
        arrow = " → " if width > _LEAST else " "
        old, new = change_preview(row.old, row.value, max(2, width - len(arrow)))
        yield f"{old}{arrow}", "dim"
        yield new, role
    else:
        yield preview(row.value, width), role


def fold_cells(row: StateRow, width: int, signed: bool) -> range:
    """Find the cells of the mark that folds and unfolds a row; none when it does neither."""
    left = _indent(row, width, signed)
    return range(left, left + 2) if row.folds else range(0)


def _indent(row: StateRow, width: int, signed: bool) -> int:
    return 1 + 2 * signed + min(2 * row.depth, width // 3)


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


Mode = Literal["diff", "after", "before"]
"""What is shown of a moment: what its step changed, or the state after it or before it."""
CHANGES: Path = (-1,)
"""What the pages of the changes go by; no value has this path."""


class StateView(Protocol):
    """A way to look at a state."""

    def rows(self) -> Iterator[StateRow]:
        """Build the lines, as far as they are unfolded."""

    def find_all(self) -> Iterator[Found]:
        """Walk through everything that unfolding could show."""

    def reveal(self, path: Path) -> None:
        """Unfold so far that a value can be seen."""


class WholeState:
    """All of a state.

    Args:
        branches: Makes the rows.
        state: The state.
        lacking: The declared keys to list that have no value.
    """

    def __init__(self, branches: Branches, state: dict[str, Json], lacking: Sequence[str] = ()) -> None:
        self._branches = branches
        self._state = state
        self._lacking = lacking

    def rows(self) -> Iterator[StateRow]:
        """List the values, then the keys without one."""
        if not self._state and not self._lacking:
            yield StateRow("words", name="empty", dim=True)
        column = widest([name_of(name) for name in [*islice(self._state, PAGE), *self._lacking]])
        yield from self._branches.inside((), self._state, 0, dim=False, column=column)
        for name in self._lacking:
            yield StateRow("value", (name,), name_of(name), column=column, dim=True, note="(none)")

    def find_all(self) -> Iterator[Found]:
        """Walk through the same, all of it."""
        yield from descend((), self._state)
        for name in self._lacking:
            yield (name,), name, None

    def reveal(self, path: Path) -> None:
        """Unfold so far that a value can be seen."""
        if path[0] in self._state:
            self._branches.show((), self._state, path)


class ChangedValues:
    """What a step changed, and below it what it left alone.

    Args:
        branches: Makes the rows.
        changes: What it changed.
        state: The state after it.
    """

    def __init__(self, branches: Branches, changes: Sequence[StateChange], state: Mapping[str, Json]) -> None:
        self._branches = branches
        self._changes = changes
        touched = {change.path[0] for change in changes}
        self._rest = {name: value for name, value in state.items() if name not in touched}

    def rows(self) -> Iterator[StateRow]:
        """List the changes, a heading, and the rest."""
        names = [_name(change) for change in self._changes[:PAGE]]
        column = widest([*names, *map(name_of, islice(self._rest, PAGE))])
        if not self._changes:
            yield StateRow("words", name="nothing changed", dim=True)
        for span in self._branches.folding.spans(CHANGES, len(self._changes)):
            if not span.shown:
                yield gap(CHANGES, 0, span)
                continue
            for change in self._changes[span.start : span.stop]:
                row = self._row(change, column)
                yield row
                yield from self._branches.below(row)
        if self._rest:
            yield from self._unchanged(column)

    def _unchanged(self, column: int) -> Iterator[StateRow]:
        opened = self._branches.folding.unchanged
        yield StateRow("words")
        yield StateRow("unchanged", (), f"{len(self._rest):,} unchanged", dim=True, open=opened)
        if opened:
            yield from self._branches.inside((), self._rest, 0, dim=True, column=column)

    def _row(self, change: StateChange, column: int) -> StateRow:
        gone = change.sign == "-"
        return StateRow(
            "value",
            change.path,
            _name(change),
            change.old if gone else change.new,
            change.old,
            change.sign,
            column=column,
            dim=gone,
            note=self._branches.hidden(change.path),
            open=self._branches.folding.is_open(change.path),
        )

    def find_all(self) -> Iterator[Found]:
        """Walk through the changes with the values before them, and the rest."""
        for change in self._changes:
            gone = change.sign == "-"
            yield change.path, _name(change), change.old if gone else change.new
            if change.sign == "~" and not isinstance(change.old, (dict, list)):
                yield change.path, "", change.old
            yield from descend(change.path, change.old if gone else change.new)
        yield from descend((), self._rest)

    def reveal(self, path: Path) -> None:
        """Unfold so far that a value can be seen."""
        for index, change in enumerate(self._changes):
            if path[: len(change.path)] == change.path:
                self._branches.folding.show_item(CHANGES, index)
                value = change.old if change.sign == "-" else change.new
                self._branches.show(change.path, value, path[len(change.path) :])
                return
        if path[0] in self._rest:
            self._branches.folding.unchanged = True
            self._branches.show((), self._rest, path)


class DeclaredKeys:
    """The keys that a graph declares: what the state will hold.

    Args:
        keys: The keys by name; None without a graph.
    """

    def __init__(self, keys: Mapping[str, StateKey] | None) -> None:
        self._keys = keys or {}
        self._nothing = "The graph declares no keys." if keys is not None else "what the graph will say"

    def rows(self) -> Iterator[StateRow]:
        """Build a line for each key."""
        if not self._keys:
            yield StateRow("words", name=self._nothing, dim=True)
        column = widest([name_of(name) for name in self._keys])
        for name, key in self._keys.items():
            yield StateRow("value", (name,), name_of(name), column=column, note=declaration(key))

    def find_all(self) -> Iterator[Found]:
        """Walk through the keys with what is declared of them."""
        for name, key in self._keys.items():
            yield (name,), name, f"{declaration(key)} {key.note}"

    def reveal(self, path: Path) -> None:
        """Do nothing: everything can be seen."""


class UnreadableState:
    """Nothing but why there is nothing.

    Args:
        reason: A sentence.
    """

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def rows(self) -> Iterator[StateRow]:
        """Return the reason."""
        yield StateRow("words", name=self._reason)

    def find_all(self) -> Iterator[Found]:
        """Nothing."""
        yield from ()

    def reveal(self, path: Path) -> None:
        """Do nothing: there is nothing to see."""


def declaration(key: StateKey) -> str:
    """Write what a graph says of a key, but for its note: ``text, input = "a"``."""
    words = [
        key.type or "any value",
        "input" if key.input else "",
        "secret" if key.secret else "",
        key.reducer if key.reducer != "replace" else "",
    ]
    declared = ", ".join(filter(None, words))
    if not key.has_default:
        return declared
    default: Json = key.default  # type: ignore[assignment]  # checked when the graph was made
    return f"{declared} = {MASK if key.secret else value_text(default)}"


def _name(change: StateChange) -> str:
    return ".".join(map(name_of, change.path))


def view_of(moment: RunSnapshot, mode: Mode, folding: Folding) -> StateView:
    """Look at the state of a moment in one of the ways.

    Raises:
        StepgraphError: The store cannot be read.
    """
    declared = moment.view.plan.keys
    branches = Branches(folding, declared)
    before, after = moment.around()
    if mode == "diff":
        return ChangedValues(branches, list(changes(before, after)), after)
    if mode == "before":
        return WholeState(branches, before)
    return WholeState(branches, after, [name for name in declared if name not in after])
