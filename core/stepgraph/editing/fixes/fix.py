"""What a fix is, and what all of them need: the part that a problem is about, and an edit of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..edges import EditEdge
from ..edit import EditError
from ..naming import said
from ..parts import EditPart, EditSettings

if TYPE_CHECKING:
    from ...values.problems import Problem
    from ..design import Design, Part
    from ..edit import Edit


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to put a problem right."""

    label: str
    """What it does, as a command in a few words: ``add an edge from review to END``."""
    edit: Edit

    def works_in(self, design: Design) -> bool:
        """Whether the edit can be made."""
        try:
            self.edit.apply(design)
        except EditError:
            return False
        return True


def respelt(wrong: str, right: str, edit: Edit) -> Fix:
    """Make the fix that corrects a name."""
    return Fix(f"write {said(right)} instead of {said(wrong)}", edit)


def edge_at(problem: Problem, design: Design) -> Part | None:
    """Find the edge that a problem is about."""
    position = problem.place.edge
    known = position is not None and 0 <= position < len(design.edges)
    return design.edges[position] if known and position is not None else None


def changing(design: Design, part: Part | None, table: Mapping[str, Any]) -> Edit:
    """Make the edit that gives a part another content; None stands for the settings of the graph."""
    if part is None:
        return EditSettings(table)
    if part.kind == "edges":
        return EditEdge(design.edges.index(part), table)
    return EditPart(part.kind, part.name, part.name, table)


def part_of(problem: Problem, design: Design) -> Part | None:
    """Find the node or the edge that a problem is about."""
    return design.nodes.get(problem.place.node or "") or edge_at(problem, design)
