"""Quick fixes: for a problem, the edits that put it right in a way that a machine can know."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import names, routing, tables
from .routing import Fix

if TYPE_CHECKING:
    from ...values.problems import Problem
    from ..design import Design

__all__ = ["Fix", "fixes_for"]

_FIXES: dict[str, tuple[Callable[[Problem, Design], Fix | None], ...]] = {
    "F008": (tables.add_format,),
    "F020": (tables.respell_key, tables.leave_out),
    "F021": (tables.respell_type, routing.give_an_end, routing.remove),
    "F022": (tables.mend_value, tables.leave_out),
    "F023": (tables.mend_value, tables.leave_out),
    "G001": (names.name_graph,),
    "G003": (names.rename_node,),
    "G005": (names.rename_node,),
    "G006": (tables.leave_out_setting,),
    "G007": (routing.start,),
    "G008": (routing.start,),
    "G009": (routing.start,),
    "G010": (routing.leave_known, routing.remove),
    "G011": (routing.lead_to_known, routing.remove),
    "G012": (routing.give_an_end, routing.remove),
    "G013": (routing.remove,),
    "G014": (routing.lead_to_end, routing.lead_to_unreached),
    "G015": (names.respell_quiet, names.leave_out_quiet),
    "G016": (names.respell_condition,),
    "G019": (names.respell_tool, names.declare_tool),
    "G020": (names.respell_visits,),
    "G021": (names.respell_handler,),
    "G022": (tables.mend_key, tables.leave_out_of_key),
    "G026": (tables.leave_out,),
    "G027": (names.give_answers,),
    "G029": (tables.leave_out,),
    "G030": (tables.mend_value,),
    "G031": (tables.respell_key, tables.leave_out),
    "G032": (tables.add_setting,),
    "G033": (tables.mend_value, tables.leave_out),
    "G035": (tables.mend_allow,),
    "G100": (routing.lead_there, routing.delete_node),
    "G102": (routing.leave_cycle,),
    "G103": (routing.move_up, routing.remove),
    "G104": (routing.lead_to_end, routing.take_the_last_always, routing.end_where_none_matches),
    "G105": (routing.join,),
    "G107": (names.respell_read, names.quote_text, names.make_input, names.give_default),
}
"""By code, the likeliest first. Every other problem takes a decision or Python: what a prompt should say."""


def fixes_for(problem: Problem, design: Design) -> list[Fix]:
    """Find the fixes of a problem, the likeliest first; none where a person must think.

    Args:
        problem: What ``check`` found in the graph of this very design.
        design: The design.
    """
    found = (make(problem, design) for make in _FIXES.get(problem.code, ()))
    return [fix for fix in found if fix is not None]
