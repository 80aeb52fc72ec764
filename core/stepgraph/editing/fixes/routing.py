"""Fixes of where runs begin, which way they go, and where they end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...expressions import parse
from ...graphs.parts import END
from ...values.errors import ExpressionError
from ...values.problems import proposed_name
from ..design import CompoundEdit, EditError
from ..edges import Connect, DeleteEdge, EditEdge, EditPart, EditSettings, MoveEdge
from ..naming import edge_said, name_text
from ..nodes import DeleteNodes, SetStart
from ..placing import with_setting

if TYPE_CHECKING:
    from ...values.problems import Problem
    from ..design import Design, Edit, Part


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
    """Build the fix that corrects a name."""
    return Fix(f"write {name_text(right)} instead of {name_text(wrong)}", edit)


def edge_at(problem: Problem, design: Design) -> Part | None:
    """Find the edge that a problem is about."""
    position = problem.place.edge
    known = position is not None and 0 <= position < len(design.edges)
    return design.edges[position] if known and position is not None else None


def changing(design: Design, part: Part | None, table: Mapping[str, Any]) -> Edit:
    """Build the edit that replaces a part's content; None stands for the settings of the graph."""
    if part is None:
        return EditSettings(table)
    if part.kind == "edges":
        return EditEdge(design.edges.index(part), table)
    return EditPart(part.kind, part.name, part.name, table)


def part_of(problem: Problem, design: Design) -> Part | None:
    """Find the node or the edge that a problem is about."""
    return design.nodes.get(problem.place.node or "") or edge_at(problem, design)


_FAR = 100  # nodes of a cycle that are looked at for a way out


def lead_to_end(problem: Problem, design: Design) -> Fix | None:
    """Lead a node to END that leads nowhere, or nowhere when no condition holds."""
    node = problem.place.node
    if node not in design.nodes:
        return None
    last = "a last edge" if design.outgoing.get(node) else "an edge"
    return Fix(f"add {last} from {name_text(node)} to END", Connect(node, END))


def remove(problem: Problem, design: Design) -> Fix | None:
    """Remove an edge that is never taken.

    Without it runs go just as they went.
    """
    edge = edge_at(problem, design)
    if edge is None or problem.place.edge is None:
        return None
    if edge.source in design.nodes and len(design.outgoing[edge.source]) == 1:
        return None  # its node would lead nowhere
    return Fix(f"remove the edge {edge_said(edge)}", DeleteEdge(problem.place.edge))


def leave_known(problem: Problem, design: Design) -> Fix | None:
    """Correct the misspelt node that an edge leaves."""
    return _redirected(problem, design, "from", proposed_name(problem.hint))


def lead_to_known(problem: Problem, design: Design) -> Fix | None:
    """Correct the misspelt node that an edge leads to, or the end in another spelling."""
    edge = edge_at(problem, design)
    if edge is not None and edge.target.strip("_ ").casefold() == "end":
        return _redirected(problem, design, "to", END)
    return _redirected(problem, design, "to", proposed_name(problem.hint))


def _redirected(problem: Problem, design: Design, end: str, name: str | None) -> Fix | None:
    edge, position = edge_at(problem, design), problem.place.edge
    if edge is None or position is None or name is None:
        return None
    verb = "lead it to" if end == "to" else "let it leave"
    return Fix(f"{verb} {name_text(name)}", EditEdge(position, {**edge.table, end: name}))


def join(problem: Problem, design: Design) -> Fix | None:
    """Join two edges with the same ends, one tried right after the other, each on its own condition.

    One edge on either condition is taken whenever one of the two was. With an edge between them that would
    not be so.
    """
    second, position = edge_at(problem, design), problem.place.edge
    if second is None or position is None:
        return None
    places = design.outgoing[second.source]
    at = places.index(position)
    first = design.edges[places[at - 1]] if at else second
    if first is second or first.target != second.target:
        return None
    joined = _merge_conditions(first, second)
    if joined is None:
        return None
    label = f"join both edges {edge_said(first)} by `or`"
    return Fix(label, CompoundEdit((EditEdge(places[at - 1], joined), DeleteEdge(position)), label))


def _merge_conditions(first: Part, second: Part) -> dict[str, Any] | None:
    one, other = first.table.get("when"), second.table.get("when")
    if not isinstance(one, str) or not isinstance(other, str) or "#" in one:
        return None  # in a condition a comment goes to the end of the line
    when = f"{one} or {other}"  # nothing in a condition binds less than `or`
    try:
        parse(when)
    except ExpressionError:  # it would be too long
        return None
    words = {key: (first.table.get(key), second.table.get(key)) for key in ("label", "note")}
    if any(mine and theirs and mine != theirs for mine, theirs in words.values()):
        return None
    return {**second.table, **{key: value for key, value in first.table.items() if value}, "when": when}


def start(problem: Problem, design: Design) -> Fix | None:
    """Start at the node that was meant, else at the one that nothing leads to.

    Where that does not tell, it is the first of the file: files are written from the start on.
    """
    name = proposed_name(problem.hint)
    if name is None:
        led_to = {edge.target for edge in design.edges if edge.target != edge.source}
        free = [node for node in design.nodes if node not in led_to]
        name = free[0] if len(free) == 1 else next(iter(design.nodes), None)
    if name is None or name not in design.nodes:
        return None
    return Fix(f"start at {name_text(name)}", SetStart(name))


def move_up(problem: Problem, design: Design) -> Fix | None:
    """Try an edge before the one without a condition that always comes first."""
    edge, position = edge_at(problem, design), problem.place.edge
    if edge is None or position is None or edge.unconditional:
        return None
    places = design.outgoing[edge.source]
    at = places.index(position)
    first = next((place for place, one in enumerate(places[:at]) if design.edges[one].unconditional), None)
    if first is None:
        return None
    before = edge_said(design.edges[places[first]])
    return Fix(f"try {edge_said(edge)} before {before}", MoveEdge(position, first - at))


def end_where_none_matches(problem: Problem, design: Design) -> Fix | None:
    """End runs where no condition holds, instead of failing."""
    if problem.place.node not in design.nodes:
        return None
    head = with_setting(design, "on_no_match", "end").head
    return Fix('let runs end where no edge matches: on_no_match = "end"', EditSettings(head))


def take_the_last_always(problem: Problem, design: Design) -> Fix | None:
    """Remove the condition of the last edge of a node, so that it is the fallback."""
    places = design.outgoing.get(problem.place.node or "", [])
    if not places:
        return None
    edge = design.edges[places[-1]]
    table = {key: value for key, value in edge.table.items() if key != "when"}
    return Fix(f"take {edge_said(edge)} when no other edge matches", EditEdge(places[-1], table))


def leave_cycle(problem: Problem, design: Design) -> Fix | None:
    """Lead out of a cycle to END, from a node of it whose edges all have conditions."""
    ahead, seen = [problem.place.node or ""], set[str]()
    while ahead and len(seen) < _FAR:
        node = ahead.pop(0)
        edges = [design.edges[place] for place in design.outgoing.get(node, ())]
        if node in design.nodes and not any(edge.unconditional for edge in edges):
            return Fix(f"add a last edge from {name_text(node)} to END", Connect(node, END))
        seen.add(node)
        ahead += [edge.target for edge in edges if edge.target not in seen and edge.target not in ahead]
    return None


def lead_to_unreached(problem: Problem, design: Design) -> Fix | None:
    """Lead a node that leads nowhere to the only other node that nothing leads to."""
    node, free = problem.place.node or "", _unreached(design)
    others = [name for name in free if name != node]
    if node not in design.nodes or len(others) != 1:
        return None
    return Fix(f"add an edge from {name_text(node)} to {name_text(others[0])}", Connect(node, others[0]))


def lead_there(problem: Problem, design: Design) -> Fix | None:
    """Lead to a node that is never reached from the only other one that leads nowhere."""
    node = problem.place.node or ""
    ends = [name for name in _dead_ends(design) if name != node]
    if node not in _unreached(design) or len(ends) != 1:
        return None
    return Fix(f"add an edge from {name_text(ends[0])} to {name_text(node)}", Connect(ends[0], node))


@lru_cache(maxsize=4)  # it is asked for each of many problems
def _dead_ends(design: Design) -> list[str]:
    """Find the nodes that no edge leaves."""
    return [name for name in design.nodes if not design.outgoing.get(name)]


@lru_cache(maxsize=4)  # it is asked for each of many problems
def _unreached(design: Design) -> list[str]:
    """Find the nodes to which no edge leads, the start aside."""
    led_to = {edge.target for edge in design.edges if edge.target != edge.source}
    return [name for name in design.nodes if name not in led_to and name != design.start]


def delete_node(problem: Problem, design: Design) -> Fix | None:
    """Delete a node that no run comes to, with its edges."""
    node = problem.place.node
    if node is None or node not in design.nodes or len(design.nodes) == 1:
        return None
    return Fix(f"delete {name_text(node)} with its edges", DeleteNodes([node]))


def give_an_end(problem: Problem, design: Design) -> Fix | None:
    """Lead an edge to END that does not say where it leads."""
    edge = edge_at(problem, design)
    return _redirected(problem, design, "to", END) if edge is not None and not edge.target.strip() else None
