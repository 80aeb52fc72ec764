"""Lengths of time as people write them: ``30s``, ``10m``, ``4h``, ``2d``, ``2w``."""

from __future__ import annotations

import re
from typing import Any

_UNITS = {"w": 7 * 86_400, "d": 86_400, "h": 3_600, "m": 60, "s": 1}
LONGEST = 3_650 * 86_400
"""Ten years, in seconds: what waits longer waits for ever."""

PATTERN = r"^\s*(0|[0-9]{1,9}(\.[0-9]{1,6})?[wdhms])\s*$"
"""Matches lengths of time as JSON Schema has it."""
_WRITTEN = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)([wdhms])")


def parse_duration(text: str) -> float:
    """Read a length of time, in seconds; a plain ``0`` is none at all.

    Raises:
        ValueError: It is none, or longer than ten years.
    """
    found = _WRITTEN.fullmatch(text.strip())
    seconds = 0.0 if text.strip() == "0" else float(found[1]) * _UNITS[found[2]] if found else None
    if seconds is None:
        raise ValueError("a duration is written 30s, 10m, 4h, 2d or 2w")
    if seconds > LONGEST:
        raise ValueError("at most ten years")
    return seconds


def as_duration(schema: dict[str, Any]) -> dict[str, Any]:
    """Say in the JSON Schema of a text that it is a length of time."""
    return {**schema, "pattern": PATTERN}


def duration_text(seconds: float) -> str:
    """Write a length of time as ``parse_duration`` reads it, in the largest unit that divides it."""
    for unit, size in _UNITS.items():
        if unit != "w" and seconds >= size and seconds % size == 0:
            return f"{seconds // size:.0f}{unit}"
    return f"{seconds:.6f}".rstrip("0").rstrip(".") + "s" if seconds else "0"
