"""What the state pane shows in a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from stepgraph.expressions.spelling import spelt, step_text
from stepgraph.values.json_values import Json
from stepgraph_tui.words.masks import MASK
from stepgraph_tui.words.text import visible

Path = tuple[str | int, ...]
"""Where a value is: a key of the state, then keys of tables and positions in lists."""
Kind = Literal["value", "more", "unchanged", "words"]
"""A value; a gap of items that are not shown yet; the heading of what did not change; a plain sentence."""
_LONGEST = 60  # characters of a key


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the pane."""

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


def name_of(key: str | int) -> str:
    """A key or a position as a row shows it."""
    if isinstance(key, int):
        return f"[{key}]"
    return visible(key) if len(key) <= _LONGEST else f"{visible(key[:_LONGEST])}…"


def widest(names: list[str]) -> int:
    """How many cells the longest of some keys takes."""
    return max(map(cell_len, names), default=0)


def spelling(path: Path) -> str:
    """A path as conditions write it: ``order.amount``, ``state["my-key"]``, ``docs[3]``."""
    key, *parts = path
    return spelt(str(key)) + "".join(map(step_text, parts))
