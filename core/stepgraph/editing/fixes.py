"""Quick fixes: for a problem that has one obvious answer, the edit that puts it right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..documents.notes import Notes
from ..documents.parts import edge_of, key_of, node_of, tool_of
from ..documents.schema import GraphPart
from ..expressions import parse
from ..expressions.spelling import FACTS
from ..graphs.parts import END
from ..values.compare import shown
from ..values.errors import ExpressionError
from ..values.problems import meant, nearest
from . import references
from .edges import Connect, DeleteEdge, EditEdge
from .edit import CompoundEdit, EditError
from .naming import edge_said, said
from .nodes import SetStart
from .parts import EditPart, EditSettings
from .placing import with_setting, without_feedback

if TYPE_CHECKING:
    from ..values.json_values import Json
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


def lead_to_end(problem: Problem, design: Design) -> Fix | None:
    """Lead a node to END that leads nowhere, or nowhere when no condition holds."""
    node = problem.place.node
    if node not in design.nodes:
        return None
    last = "a last edge" if design.outgoing.get(node) else "an edge"
    return Fix(f"add {last} from {said(node)} to END", Connect(node, END))


def remove(problem: Problem, design: Design) -> Fix | None:
    """Remove an edge that is never taken.

    Without it runs go just as they went. Moving it up would change where they go: that is for a person to
    want.
    """
    edge = edge_at(problem, design)
    if edge is None or problem.place.edge is None:
        return None
    return Fix(f"remove the edge {edge_said(edge)}", DeleteEdge(problem.place.edge))


def leave_known(problem: Problem, design: Design) -> Fix | None:
    """Correct the misspelt node that an edge leaves."""
    return _redirected(problem, design, "from", meant(problem.hint))


def lead_to_known(problem: Problem, design: Design) -> Fix | None:
    """Correct the misspelt node that an edge leads to, or the end in another spelling."""
    edge = edge_at(problem, design)
    if edge is not None and edge.target.strip("_ ").casefold() == "end":
        return _redirected(problem, design, "to", END)
    return _redirected(problem, design, "to", meant(problem.hint))


def _redirected(problem: Problem, design: Design, end: str, name: str | None) -> Fix | None:
    edge, position = edge_at(problem, design), problem.place.edge
    if edge is None or position is None or name is None:
        return None
    verb = "lead it to" if end == "to" else "let it leave"
    return Fix(f"{verb} {said(name)}", EditEdge(position, {**edge.table, end: name}))


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
    joined = _joined(first, second)
    if joined is None:
        return None
    label = f"join both edges {edge_said(first)} by `or`"
    return Fix(label, CompoundEdit((EditEdge(places[at - 1], joined), DeleteEdge(position)), label))


def _joined(first: Part, second: Part) -> dict[str, Any] | None:
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
    name = meant(problem.hint)
    if name is None:
        led_to = {edge.target for edge in design.edges if edge.target != edge.source}
        free = [node for node in design.nodes if node not in led_to]
        name = free[0] if len(free) == 1 else next(iter(design.nodes), None)
    if name is None or name not in design.nodes:
        return None
    return Fix(f"start at {said(name)}", SetStart(name))


def respell_quiet(problem: Problem, design: Design) -> Fix | None:
    """Correct a misspelt node in ``no_feedback``."""
    names, name = without_feedback(design), meant(problem.hint)
    if problem.about not in names or name is None:
        return None
    new = list(dict.fromkeys(name if old == problem.about else old for old in names))
    return respelt(problem.about, name, EditSettings(with_setting(design, "no_feedback", new).head))


def respell_tool(problem: Problem, design: Design) -> Fix | None:
    """Correct the misspelt tool of a node."""
    part, name = design.nodes.get(problem.place.node or ""), meant(problem.hint)
    if part is None or name is None:
        return None
    return _followed(problem.about, name, design, part, references.of_tool(problem.about, name))


def respell_visits(problem: Problem, design: Design) -> Fix | None:
    """Correct a misspelt node in a condition or a template that counts its visits."""
    part = design.nodes.get(problem.place.node or "") or edge_at(problem, design)
    name = meant(problem.hint)
    if part is None or name is None:
        return None
    return _followed(problem.about, name, design, part, references.of_nodes({problem.about: name}))


def respell_read(problem: Problem, design: Design) -> Fix | None:
    """Correct a misspelt key of the state in a condition, a template or another setting."""
    part = design.nodes.get(problem.place.node or "") or edge_at(problem, design)
    name = meant(problem.hint)
    if part is None or name is None or name in FACTS:  # as a key it would be one of that name
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


_Path = tuple[str | int, ...]
_WORDS = {"true": True, "false": False}


def add_format(problem: Problem, design: Design) -> Fix | None:
    """Add the format to a graph that does not say it: there is only one."""
    return Fix("add format = 1", EditSettings(with_setting(design, "format", 1).head))


def respell_key(problem: Problem, design: Design) -> Fix | None:
    """Correct a key that a table does not know, and that is spelt like one that it knows."""
    part, table, path = _at(problem, design)
    new = meant(problem.hint)
    if not path or new is None:
        return None
    return _respelt_key(design, part, table, path, new)


def respell_type(problem: Problem, design: Design) -> Fix | None:
    """Correct the key of a node without a type that is spelt like ``type``."""
    part = design.nodes.get(problem.place.node or "")
    wrong = nearest("type", part.table) if part is not None else None
    if part is None or wrong is None:
        return None
    return _respelt_key(design, part, part.table, (wrong,), "type")


def mend_value(problem: Problem, design: Design) -> Fix | None:
    """Mend a value that becomes right in one obvious way: the nearest word, a number without its quotes."""
    part, table, path = _at(problem, design)
    if not path:
        return None
    old = _read(table, path)
    for new in _meant_by(old, meant(problem.hint)):
        mended = _with(table, path, new)
        if _is_better(design, part, table, mended):
            return Fix(f"write {shown(new)} instead of {shown(old)}", changing(design, part, mended))
    return None


def _respelt_key(
    design: Design, part: Part | None, table: Mapping[str, Any], path: _Path, new: str
) -> Fix | None:
    *above, old = path
    holder = _read(table, tuple(above))
    if new in holder:
        return None
    corrected = {new if key == old else key: value for key, value in holder.items()}
    mended = _with(table, tuple(above), corrected)
    if not _is_better(design, part, table, mended):
        return None
    return respelt(str(old), new, changing(design, part, mended))


def _meant_by(old: Json, word: str | None) -> Iterator[Json]:
    if word is not None:
        yield word
    elif isinstance(old, str):
        yield from (_WORDS[old.lower()] for _ in range(old.lower() in _WORDS))
        for number in (int, float):
            try:
                yield number(old)
            except ValueError:
                continue
        yield [old]
    elif isinstance(old, (int, float)) and not isinstance(old, bool):
        yield str(old)


def _at(problem: Problem, design: Design) -> tuple[Part | None, Mapping[str, Any], _Path]:
    """Find the part that a problem is about (None: the settings), its table, and the path in it (or ())."""
    place = problem.place
    dotted = place.key or ""
    if place.node is not None:
        parts = [design.nodes[place.node]] if place.node in design.nodes else []
    elif place.edge is not None:
        parts = list(design.edges[place.edge : place.edge + 1])
    else:
        path = _found(design.head, dotted)
        if path:
            return None, design.head, path
        named = {f"state.{name}.": part for name, part in design.keys.items()}
        named |= {f"tools.{name}.": part for name, part in design.tools.items()}
        prefix = max((name for name in named if dotted.startswith(name)), key=len, default="")
        parts = [named[prefix]] if prefix else []
        dotted = dotted.removeprefix(prefix)
    part = parts[0] if parts else None
    table = part.table if part is not None else {}
    return part, table, _found(table, dotted)


def _found(value: object, dotted: str) -> _Path:
    """Find the path that is written with dots, which keys may have too; () when there is nothing at it."""
    if isinstance(value, Mapping):
        keys: Iterator[tuple[str | int, str]] = ((key, str(key)) for key in value)
    elif isinstance(value, list):
        keys = ((index, str(index)) for index in range(len(value)))
    else:
        return ()
    for key, text in keys:
        if text == dotted:
            return (key,)
        if dotted.startswith(f"{text}."):
            inner = _found(_read(value, (key,)), dotted[len(text) + 1 :])
            if inner:
                return (key, *inner)
    return ()


def _read(value: Any, path: _Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _with(value: Any, path: _Path, new: Any) -> Any:
    """Copy a value with another one at a path in it."""
    if not path:
        return new
    inner = _with(value[path[0]], path[1:], new)
    if isinstance(value, list):
        return [inner if index == path[0] else item for index, item in enumerate(value)]
    return {key: inner if key == path[0] else item for key, item in value.items()}


def _is_better(design: Design, part: Part | None, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a table has fewer problems with its new content, and no other ones."""
    before, after = _problems(design, part, old), _problems(design, part, new)
    return after < before


def _problems(design: Design, part: Part | None, table: Mapping[str, Any]) -> set[tuple[str, str | None]]:
    notes = Notes(None, None)
    found = notes.json_only(dict(table))
    own: tuple[Problem, ...] = ()
    if part is None:
        notes.checked(GraphPart, found, (), "the graph")
    elif part.kind == "state":
        key_of(part.name, found, notes)
    elif part.kind == "tools":
        tool_of(part.name, found, notes)
    elif part.kind == "nodes":
        entry = node_of(part.name, found, notes, opaque=False)
        own = entry.problems + (entry.requires.problems if entry.requires is not None else ())
    else:
        edge_of(design.edges.index(part), found, notes, opaque=False)
    return {(problem.code, problem.place.key) for problem in (*notes.problems, *own)}


_FIXES: dict[str, Callable[[Problem, Design], Fix | None]] = {
    "F008": add_format,
    "F020": respell_key,
    "F021": respell_type,
    "F022": mend_value,
    "G007": start,
    "G008": start,
    "G009": start,
    "G010": leave_known,
    "G011": lead_to_known,
    "G013": remove,
    "G014": lead_to_end,
    "G015": respell_quiet,
    "G019": respell_tool,
    "G020": respell_visits,
    "G030": mend_value,
    "G031": respell_key,
    "G033": mend_value,
    "G103": remove,
    "G104": lead_to_end,
    "G105": join,
    "G107": respell_read,
}
"""Every other problem takes a decision: what an unreachable node is for, what a prompt should say."""


def fix_for(problem: Problem, design: Design) -> Fix | None:
    """Find the fix of a problem; None where a person must think.

    Args:
        problem: What ``check`` found in the graph of this very design.
        design: The design.
    """
    found = _FIXES.get(problem.code)
    return found(problem, design) if found is not None else None
