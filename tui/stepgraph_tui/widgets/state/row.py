"""A row of the state: what it stands for, and how it is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from stepgraph.expressions.paths import Path
from stepgraph.runs.masks import MASK
from stepgraph.values.json_values import Json
from stepgraph_tui.text.cells import cell_len, cut
from stepgraph_tui.widgets.lines import Role, Span

from .preview import change_preview, preview

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
    """What stands in the value's place."""
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
    """Write a row in at most so many cells, from left to right.

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
