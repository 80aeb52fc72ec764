"""Fixes of what is in a table: keys that it does not know, and values that it does not take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, time
from typing import TYPE_CHECKING, Any

from ...documents.loader import edge_of, from_document, key_of, node_of, tool_of
from ...documents.notes import Notes
from ...documents.schema import GraphPart
from ...graphs.validation.report import CheckedGraph, Report
from ...graphs.validation.settings import check_keys
from ...values.declared import keys_of
from ...values.json_values import json_line
from ...values.problems import nearest, proposed_name
from ...values.state import HOLDS
from ..design import EditError
from ..edges import EditPart, EditSettings
from ..naming import name_text
from ..placing import with_setting
from ..renaming import filled
from .routing import Fix, changing, part_of, respelt

if TYPE_CHECKING:
    from ...values.json_values import Json
    from ...values.problems import Problem
    from ..design import Design, Part

Path = tuple[str | int, ...]
"""Where a value is in a table."""
_WORDS = {"true": True, "false": False}


def add_format(problem: Problem, design: Design) -> Fix | None:
    """Add the format to a graph that does not say it: there is only one."""
    return Fix("add format = 1", EditSettings(with_setting(design, "format", 1).head))


def respell_key(problem: Problem, design: Design) -> Fix | None:
    """Correct a key that a table does not know, and that is spelled like one that it knows."""
    part, path = part_at(problem, design)
    table = table_of(design, part)
    new = proposed_name(problem.hint)
    if not path or new is None:
        return None
    return _respelt_key(design, part, table, path, new)


def respell_type(problem: Problem, design: Design) -> Fix | None:
    """Correct the key of a node without a type that is spelled like ``type``."""
    part = design.nodes.get(problem.place.node or "")
    wrong = nearest("type", part.table) if part is not None else None
    if part is None or wrong is None:
        return None
    return _respelt_key(design, part, part.table, (wrong,), "type")


def mend_value(problem: Problem, design: Design) -> Fix | None:
    """Mend a value that becomes right in one obvious way: the nearest word, a number without its quotes."""
    part, path = part_at(problem, design)
    table = table_of(design, part)
    if not path:
        return None
    old = value_at(table, path)
    for new in _meant_by(old, proposed_name(problem.hint)):
        mended = with_value(table, path, new)
        if _is_better(design, part, table, mended):
            return Fix(f"write {json_line(new)} instead of {_preview(old)}", changing(design, part, mended))
    return None


def _respelt_key(
    design: Design, part: Part | None, table: Mapping[str, Any], path: Path, new: str
) -> Fix | None:
    *above, old = path
    holder = value_at(table, tuple(above))
    if new in holder:
        return None
    corrected = {new if key == old else key: value for key, value in holder.items()}
    mended = with_value(table, tuple(above), corrected)
    if not _is_better(design, part, table, mended):
        return None
    return respelt(str(old), new, changing(design, part, mended))


def _meant_by(old: Any, word: str | None) -> Iterator[Json]:
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
    elif isinstance(old, (date, time)):
        yield old.isoformat()
    elif isinstance(old, (int, float)) and not isinstance(old, bool):
        yield str(old)


def _preview(value: Any) -> str:
    return str(value) if isinstance(value, (date, time)) else json_line(value)


def part_at(problem: Problem, design: Design) -> tuple[Part | None, Path]:
    """Find the part that a problem is about (None: the settings), and the path in its table (or ())."""
    place = problem.place
    dotted = place.key or ""
    if place.node is not None or place.edge is not None:
        part = part_of(problem, design)
    else:
        path = _find_path(design.head, dotted)
        if path:
            return None, path
        named = {f"state.{name}": part for name, part in design.keys.items()}
        named |= {f"tools.{name}": part for name, part in design.tools.items()}
        name = max((name for name in named if f"{dotted}.".startswith(f"{name}.")), key=len, default="")
        part = named.get(name)
        dotted = dotted[len(name) + 1 :]
    return part, _find_path(part.table, dotted) if part is not None else ()


def table_of(design: Design, part: Part | None) -> Mapping[str, Any]:
    """Return the table of a part, or the settings of the graph."""
    return part.table if part is not None else design.head


def _find_path(value: object, dotted: str) -> Path:
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
            inner = _find_path(value_at(value, (key,)), dotted[len(text) + 1 :])
            if inner:
                return (key, *inner)
    return ()


def value_at(value: Any, path: Path) -> Any:
    """Return what is at a path."""
    for part in path:
        value = value[part]
    return value


def with_value(value: Any, path: Path, new: Any) -> Any:
    """Copy a value with another one at a path in it."""
    if not path:
        return new
    inner = with_value(value[path[0]], path[1:], new)
    if isinstance(value, list):
        return [inner if index == path[0] else item for index, item in enumerate(value)]
    return {key: inner if key == path[0] else item for key, item in value.items()}


def without(value: Any, path: Path) -> Any:
    """Copy a value without what is at a path in it."""
    *above, last = path
    holder = value_at(value, tuple(above))
    if isinstance(holder, list):
        left: Any = [item for place, item in enumerate(holder) if place != last]
    else:
        left = {key: item for key, item in holder.items() if key != last}
    return with_value(value, tuple(above), left)


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
        own = entry.problems + entry.inner_problems
    else:
        edge_of(design.edges.index(part), found, notes, opaque=False)
    return {(problem.code, problem.place.key) for problem in (*notes.problems, *own)}


def leave_out(problem: Problem, design: Design) -> Fix | None:
    """Remove a key that its table does not know or does not need."""
    part, path = part_at(problem, design)
    table = table_of(design, part)
    if not path:
        return None
    left = without(table, path)
    if _problems(design, part, left) - _problems(design, part, table):
        return None
    return Fix(f"leave {name_text(str(path[-1]))} out", changing(design, part, left))


def leave_out_setting(problem: Problem, design: Design) -> Fix | None:
    """Remove a setting of the graph that has a wrong value: its default holds then."""
    key = (problem.place.key or "").split(".")[0]
    declared = keys_of(GraphPart).get(key)
    if declared is None or key not in design.head:
        return None
    default = declared.value()
    label = f"leave {key} out" + (f": {json_line(default)} holds" if default is not None else "")
    return Fix(label, EditSettings(with_setting(design, key, None).head))


def add_setting(problem: Problem, design: Design) -> Fix | None:
    """Add the setting that a node's type requires, with an example value."""
    part, key = design.nodes.get(problem.place.node or ""), problem.place.key or ""
    if part is None:
        return None
    try:
        value = filled(str(part.table.get("type", ""))).get(key)
    except EditError:
        return None
    if value is None:
        return None
    return Fix(f"add {key} = {json_line(value)}", changing(design, part, {**part.table, key: value}))


def mend_allow(problem: Problem, design: Design) -> Fix | None:
    """Match the decisions of an approval to what may be edited."""
    part = design.nodes.get(problem.place.node or "")
    allow = part.table.get("allow") if part is not None else None
    if part is None or not isinstance(allow, list) or not all(isinstance(verb, str) for verb in allow):
        return None
    once = list(dict.fromkeys(allow))
    for new in (once, [*once, "edit"], [verb for verb in once if verb != "edit"]):
        mended = {**part.table, "allow": new} if new else without(part.table, ("allow",))
        if _is_better(design, part, part.table, mended):
            label = f"write allow = [{', '.join(map(json_line, new))}]" if new else "leave allow out"
            return Fix(label, changing(design, part, mended))
    return None


# Keys of the state


def mend_key(problem: Problem, design: Design) -> Fix | None:
    """Mend the declaration of a state key by the word or the value that was meant."""
    return _first_sound(problem, design, _mended_keys)


def leave_out_of_key(problem: Problem, design: Design) -> Fix | None:
    """Remove what does not suit in the declaration of a state key."""

    def left(table: Mapping[str, Any], path: Path, _: str | None) -> Iterator[tuple[str, Mapping[str, Any]]]:
        yield f"leave {path[-1]} out", without(table, path)

    return _first_sound(problem, design, left)


_Mended = Callable[["Mapping[str, Any]", "Path", "str | None"], "Iterable[tuple[str, Mapping[str, Any]]]"]


def _first_sound(problem: Problem, design: Design, mended: _Mended) -> Fix | None:
    part, path = part_at(problem, design)
    if part is None or part.kind != "state" or not path:
        return None
    before = _key_problems(part.name, part.table)
    for label, table in mended(part.table, path, proposed_name(problem.hint)):
        if _key_problems(part.name, table) < before:
            return Fix(label, EditPart("state", part.name, part.name, table))
    return None


def _mended_keys(
    table: Mapping[str, Any], path: Path, word: str | None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    old = value_at(table, path)
    held = HOLDS.get(str(table.get("reducer")))
    if path == ("type",) and held:
        yield f"write type = {json_line(held)}", {**table, "type": held}
    for new in _meant_by(old, word):
        yield f"write {json_line(new)} instead of {_preview(old)}", with_value(table, path, new)


def _key_problems(name: str, table: Mapping[str, Any]) -> set[tuple[str, str | None]]:
    graph = from_document({"format": 1, "state": {name: table}}, opaque=False)
    report = Report(graph)
    for problem in graph.noted:
        report.adopt(problem)
    check_keys(CheckedGraph(graph), report)
    return {(problem.code, problem.place.key) for problem in report.in_order()}
