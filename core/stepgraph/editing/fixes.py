"""Quick fixes: for a problem that has one obvious answer, the edit that puts it right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..problems import Problem
    from .design import Design
    from .edit import Edit


@dataclass(frozen=True, slots=True)
class Fix:
    """The one obvious answer to a problem."""

    label: str
    """What it does, as a command in a few words: ``add an edge from review to END``."""
    edit: Edit


def fix_for(problem: Problem, design: Design) -> Fix | None:
    """The fix of a problem; None where a person must think.

    Args:
        problem: What ``check`` found in the design's graph.
        design: The design as it is now.
    """
    return None
