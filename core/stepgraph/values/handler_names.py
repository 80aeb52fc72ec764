"""How a graph names a Python function: ``module:function``."""

from __future__ import annotations

import re

HANDLER_HINT = "such as refund_tools:lookup_order"

_SPELLING = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def is_handler(ref: str) -> bool:
    """True when ``ref`` is spelled ``module:function``; nothing is looked up."""
    return _SPELLING.fullmatch(ref) is not None
