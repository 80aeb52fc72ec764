"""Values in one line, at a cost that does not grow with the value."""

from __future__ import annotations

from itertools import islice

from stepgraph.stores.big_values import is_big
from stepgraph.values.json_values import Json
from stepgraph_tui.text.cells import cell_len, cut
from stepgraph_tui.text.plain import value_text, visible

_LONGEST = 60  # characters of a key
_NAMED = 100  # keys or items; more do not fit into any line
_ALIKE = 8  # characters of what two texts share that are shown before their difference
_FAR = 200_000  # characters in which the difference of two texts is looked for


def name_of(key: str | int) -> str:
    """Write a key or a position as a row shows it."""
    if isinstance(key, int):
        return f"[{key}]"
    return visible(key) if len(key) <= _LONGEST else f"{visible(key[:_LONGEST])}…"


def preview(value: Json, width: int) -> str:
    """Show a value in at most so many cells: JSON, but of a list or table only its size and what is in it."""
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
    """Show two values in at most so many cells together; long texts from shortly before they differ."""
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
