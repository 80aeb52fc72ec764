"""A row of the state: what it stands for, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from stepgraph.expressions import Path
from stepgraph.runs import MASK
from stepgraph.stores import is_big
from stepgraph.values import Json

from ...text.cells import cell_len, cut
from ...text.plain import value_text
from ..lines import Role, Span

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
        """What stays the same when rows are made anew."""
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
