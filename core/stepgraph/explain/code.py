"""What is said about one code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """The meaning of a code."""

    title: str
    """What is wrong, in a few words."""
    explanation: str
    """Why that is a problem, and what usually causes it."""
    fix: str = ""
    """An example of how to put it right; empty where the explanation says it all."""
