"""Quick fixes of tables: keys that are misspelt, words that a setting does not take, numbers in quotes.

What stands in a table is only corrected when it is right then: a person who asked for a quick answer does not
want another problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..documents.notes import Notes
from ..documents.parts import edge_of, key_of, node_of, tool_of
from ..documents.schema import GraphPart
from ..values.compare import shown
from ..values.problems import meant, nearest
from .declaring import EditSettings
from .fix import Fix, changing, respelt
from .graph_settings import with_setting

if TYPE_CHECKING:
    from ..values.json_values import Json
    from ..values.problems import Problem
    from .design import Design, Part

_Path = tuple[str | int, ...]
_WORDS = {"true": True, "false": False}


def add_format(problem: Problem, design: Design) -> Fix | None:
    """A graph that does not say its format: there is only one."""
    return Fix("add format = 1", EditSettings(with_setting(design, "format", 1).head))


def respell_key(problem: Problem, design: Design) -> Fix | None:
    """A key that a table does not know, and that is spelt like one that it knows."""
    part, table, path = _at(problem, design)
    new = meant(problem.hint)
    if not path or new is None:
        return None
    return _respelt_key(design, part, table, path, new)


def respell_type(problem: Problem, design: Design) -> Fix | None:
    """A node without a type, with a key that is spelt like it."""
    part = design.nodes.get(problem.place.node or "")
    wrong = nearest("type", part.table) if part is not None else None
    if part is None or wrong is None:
        return None
    return _respelt_key(design, part, part.table, (wrong,), "type")


def mend_value(problem: Problem, design: Design) -> Fix | None:
    """A value that becomes right in one obvious way: the nearest word, a number without its quotes."""
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
    """The part that a problem is about (None: the settings), its table, and the path in it; () if unknown."""
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
    """The path that is written with dots, which keys may have too; () when there is nothing at it."""
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
    """A copy of a value with another one at a path in it."""
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
