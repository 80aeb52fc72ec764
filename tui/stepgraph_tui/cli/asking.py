"""Asking the person at the terminal a question that is answered with yes or no."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .output import Output


def can_ask() -> bool:
    """Tell whether somebody is there to be asked."""
    return sys.stdin is not None and sys.stdin.isatty()


def says_yes(output: Output, question: str) -> bool:
    """Ask; everything but a yes is a no."""
    output.told_stream.write(f"{question} [y/N] ")
    output.told_stream.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")
