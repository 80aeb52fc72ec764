"""Quick fixes of names: a start that is missing, and nodes, keys and tools that are misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..values.problems import meant
from . import references
from .declaring import EditSettings
from .edit import EditError
from .fix import Fix, changing, edge_at, respelt
from .graph_settings import with_setting, without_feedback
from .naming import said
from .nodes import SetStart

if TYPE_CHECKING:
    from ..values.problems import Problem
    from .design import Design, Part


def start(problem: Problem, design: Design) -> Fix | None:
    """A start that is missing, or no node: the node that was meant, else the one that nothing leads to.

    Where that does not tell, it is the first of the file: files are written from the start on.
    """
    name = meant(problem.hint)
    if name is None:
        led_to = {edge.target for edge in design.edges if edge.target != edge.source}
        free = [node for node in design.nodes if node not in led_to]
        name = free[0] if len(free) == 1 else next(iter(design.nodes), None)
    if name is None or name not in design.nodes:
        return None
    return Fix(f"start at {said(name)}", SetStart(name))


def respell_quiet(problem: Problem, design: Design) -> Fix | None:
    """A misspelt node in ``no_feedback``."""
    names, name = without_feedback(design), meant(problem.hint)
    if problem.about not in names or name is None:
        return None
    new = list(dict.fromkeys(name if old == problem.about else old for old in names))
    return respelt(problem.about, name, EditSettings(with_setting(design, "no_feedback", new).head))


def respell_tool(problem: Problem, design: Design) -> Fix | None:
    """A misspelt tool of a node."""
    part, name = design.nodes.get(problem.place.node or ""), meant(problem.hint)
    if part is None or name is None:
        return None
    return _followed(problem.about, name, design, part, references.of_tool(problem.about, name))


def respell_visits(problem: Problem, design: Design) -> Fix | None:
    """A misspelt node in a condition that counts its visits."""
    edge, name = edge_at(problem, design), meant(problem.hint)
    if edge is None or name is None:
        return None
    return _followed(problem.about, name, design, edge, references.of_nodes({problem.about: name}))


def respell_read(problem: Problem, design: Design) -> Fix | None:
    """A misspelt key of the state in a condition, a template or another setting."""
    part = design.nodes.get(problem.place.node or "") or edge_at(problem, design)
    name = meant(problem.hint)
    if part is None or name is None:
        return None
    renaming = references.of_key(problem.about, name, design.keys)
    return _followed(problem.about, name, design, part, renaming)


def _followed(
    wrong: str, right: str, design: Design, part: Part, renaming: references.Renaming
) -> Fix | None:
    try:
        renamed = renaming.part(part)
    except EditError:  # where it stands no other name can stand
        return None
    return respelt(wrong, right, changing(design, part, renamed.table)) if renamed is not part else None
