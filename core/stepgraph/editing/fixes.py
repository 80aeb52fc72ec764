"""Quick fixes: for a problem that has one obvious answer, the edit that puts it right."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import fixing_edges, fixing_names, fixing_tables
from .fix import Fix

if TYPE_CHECKING:
    from ..values.problems import Problem
    from .design import Design

__all__ = ["Fix", "fix_for"]

_FIXES: dict[str, Callable[[Problem, Design], Fix | None]] = {
    "F008": fixing_tables.add_format,
    "F020": fixing_tables.respell_key,
    "F021": fixing_tables.respell_type,
    "F022": fixing_tables.mend_value,
    "G007": fixing_names.start,
    "G008": fixing_names.start,
    "G009": fixing_names.start,
    "G010": fixing_edges.leave_known,
    "G011": fixing_edges.lead_to_known,
    "G013": fixing_edges.remove,
    "G014": fixing_edges.lead_to_end,
    "G015": fixing_names.respell_quiet,
    "G019": fixing_names.respell_tool,
    "G020": fixing_names.respell_visits,
    "G030": fixing_tables.mend_value,
    "G031": fixing_tables.respell_key,
    "G033": fixing_tables.mend_value,
    "G103": fixing_edges.remove,
    "G104": fixing_edges.lead_to_end,
    "G105": fixing_edges.join,
    "G107": fixing_names.respell_read,
}
"""Every other problem takes a decision: what an unreachable node is for, what a prompt should say."""


def fix_for(problem: Problem, design: Design) -> Fix | None:
    """The fix of a problem; None where a person must think.

    Args:
        problem: What ``check`` found in the graph of this very design.
        design: The design.
    """
    found = _FIXES.get(problem.code)
    return found(problem, design) if found is not None else None
