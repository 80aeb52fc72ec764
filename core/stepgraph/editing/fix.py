"""What a quick fix is, and the edits that change one part of a design."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .declaring import EditKey, EditSettings, EditTool
from .edges import EditEdge
from .naming import said
from .nodes import EditNode

if TYPE_CHECKING:
    from ..values.problems import Problem
    from .design import Design, Part
    from .edit import Edit


@dataclass(frozen=True, slots=True)
class Fix:
    """The one obvious answer to a problem."""

    label: str
    """What it does, as a command in a few words: ``add an edge from review to END``."""
    edit: Edit


def respelt(wrong: str, right: str, edit: Edit) -> Fix:
    """The fix that corrects a name."""
    return Fix(f"write {said(right)} instead of {said(wrong)}", edit)


def edge_at(problem: Problem, design: Design) -> Part | None:
    """The edge that a problem is about."""
    position = problem.place.edge
    known = position is not None and 0 <= position < len(design.edges)
    return design.edges[position] if known and position is not None else None


def changing(design: Design, part: Part | None, table: Mapping[str, Any]) -> Edit:
    """The edit that gives a part another content; None stands for the settings of the graph."""
    if part is None:
        return EditSettings(table)
    if part.kind == "state":
        return EditKey(part.name, part.name, table)
    if part.kind == "tools":
        return EditTool(part.name, part.name, table)
    if part.kind == "nodes":
        return EditNode(part.name, part.name, table)
    return EditEdge(design.edges.index(part), table)
