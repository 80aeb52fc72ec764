"""Spans of time as people write them: ``30s``, ``5m``, ``1h30m``, ``2d``."""

from __future__ import annotations

import math
import re

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
"""The seconds of each unit."""
LONGEST = 3650 * UNITS["d"]
"""The longest span that is taken: ten years."""
EXAMPLES = 'write it as "30s", "5m", "1h30m" or "2d"'

_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_MOST = 40  # characters


def seconds_of(span: object) -> float:
    """Read a span of time: a text such as ``1h30m``, or a number of seconds.

    Raises:
        ValueError: It is none, not above zero, or longer than LONGEST; the message says which.
    """
    if isinstance(span, str):
        text = "".join(span.split())
        if len(span) > _MOST or not text.isascii() or _WHOLE.fullmatch(text) is None:
            raise ValueError("which is no span of time")
        seconds = sum(float(number) * UNITS[unit] for number, unit in _PART.findall(text))
    elif isinstance(span, (int, float)) and not isinstance(span, bool):
        seconds = float(span) if abs(span) <= LONGEST else math.inf if span > 0 else -math.inf
    else:
        raise ValueError("which is no span of time")
    if math.isnan(seconds) or seconds <= 0:
        raise ValueError("which is no span above zero")
    if seconds > LONGEST:
        raise ValueError("which is more than ten years")
    return seconds


def span_text(seconds: float) -> str:
    """Write a span of time in its two largest units at most: ``1h30m``, ``45s``, ``2.5s``, ``300ms``."""
    if seconds < 1:
        return f"{round(seconds * 1000) or seconds * 1000:g}ms"
    if seconds < UNITS["m"]:
        return f"{seconds:.3g}s"
    whole, parts = round(seconds), []
    for unit in ("d", "h", "m", "s"):
        count, whole = divmod(whole, int(UNITS[unit]))
        if count:
            parts.append(f"{count}{unit}")
    return "".join(parts[:2])
