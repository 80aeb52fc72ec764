"""JSON as exports write it: no character in it is the end of a line to some readers and not to others."""

from __future__ import annotations

import json
from typing import Any

_LINE_ENDS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def one_line(text: str) -> str:
    """End JSON as a line; what may stand in it and is the end of a line to some readers is escaped."""
    return text.translate(_LINE_ENDS) + "\n"


def indented(value: Any) -> str:
    """Write JSON over several lines, as people read it, without a line break at its end."""
    return json.dumps(value, indent=2, ensure_ascii=False).translate(_LINE_ENDS)
