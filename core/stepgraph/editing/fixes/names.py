"""Fixes of names: those that are misspelt, those that nothing declares, and those that cannot be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ...expressions import MAX_LENGTH, parse
from ...expressions.tree import FACTS
from ...graphs.parts import RESERVED
from ...values.errors import ExpressionError
from ...values.handler_names import is_handler
from ...values.problems import proposed_name
from .. import renaming as references
from ..design import EditError
from ..edges import EditEdge, EditPart, EditSettings
from ..naming import name_text, unique
from ..placing import with_setting, without_feedback
from ..renaming import Rename
from .routing import Fix, changing, edge_at, part_of, respelt
from .tables import part_at, value_at, with_value

if TYPE_CHECKING:
    from ...values.problems import Problem
    from ..design import Design, Part


def scripted(tool: str) -> dict[str, Any]:
    """Build scripted answers for a tool that has none yet."""
    return {"result": f"a scripted answer of {tool}"}


def respell_quiet(problem: Problem, design: Design) -> Fix | None:
    """Correct a misspelt node in ``no_feedback``."""
    names, name = without_feedback(design), proposed_name(problem.hint)
    if problem.about not in names or name is None:
        return None
    new = list(dict.fromkeys(name if old == problem.about else old for old in names))
    return respelt(problem.about, name, EditSettings(with_setting(design, "no_feedback", new).head))


def respell_tool(problem: Problem, design: Design) -> Fix | None:
    """Correct the misspelt tool of a node."""
    part, name = design.nodes.get(problem.place.node or ""), proposed_name(problem.hint)
    if part is None or name is None:
        return None
    return _fix_of_part(problem.about, name, design, part, references.of_tool(problem.about, name))


def respell_visits(problem: Problem, design: Design) -> Fix | None:
    """Correct a misspelt node in a condition or a template that counts its visits."""
    part, name = part_of(problem, design), proposed_name(problem.hint)
    if part is None or name is None:
        return None
    return _fix_of_part(problem.about, name, design, part, references.of_nodes({problem.about: name}))


def respell_read(problem: Problem, design: Design) -> Fix | None:
    """Correct a misspelt key of the state in a condition, a template or another setting."""
    part, name = part_of(problem, design), proposed_name(problem.hint)
    if part is None or name is None or name in FACTS:  # as a key it would be one of that name
        return None
    renaming = references.of_key(problem.about, name, design.keys)
    return _fix_of_part(problem.about, name, design, part, renaming)


def _fix_of_part(
    wrong: str, right: str, design: Design, part: Part, renaming: references.Renaming
) -> Fix | None:
    try:
        renamed = renaming.part(part)
    except EditError:  # where it stands no other name can stand
        return None
    return respelt(wrong, right, changing(design, part, renamed.table)) if renamed is not part else None


def leave_out_quiet(problem: Problem, design: Design) -> Fix | None:
    """Remove an unknown node from ``no_feedback``."""
    names = without_feedback(design)
    if problem.about not in names:
        return None
    left = [name for name in names if name != problem.about] or None
    head = with_setting(design, "no_feedback", left).head
    return Fix(f"take {name_text(problem.about)} out of no_feedback", EditSettings(head))


def declare_tool(problem: Problem, design: Design) -> Fix | None:
    """Declare the tool that a node uses, with a scripted answer to go on from."""
    name = problem.about
    if not name.strip() or name in design.tools or part_of(problem, design) is None:
        return None
    return Fix(
        f"declare the tool {name_text(name)}", EditPart("tools", None, name, {"returns": scripted(name)})
    )


def give_answers(problem: Problem, design: Design) -> Fix | None:
    """Add scripted answers to a tool that has nothing to run, or wrap those that are not tables."""
    part, _ = part_at(problem, design)
    if part is None or part.kind != "tools" or not part.name.strip():
        return None
    old = part.table.get("returns")
    if old is None or old == []:
        new: Any = scripted(part.name)
        label = f"give {name_text(part.name)} a scripted answer"
    else:
        answers = [each if isinstance(each, dict) else {"result": each} for each in _as_list(old)]
        new = answers if isinstance(old, list) else answers[0]
        label = f"put what {name_text(part.name)} returns into a table"
    return Fix(label, changing(design, part, {**part.table, "returns": new}))


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def make_input(problem: Problem, design: Design) -> Fix | None:
    """Ask for a key at the start of runs that nothing writes."""
    return _declared(
        problem, design, {"input": True}, f"make {name_text(problem.about)} an input of the graph"
    )


def give_default(problem: Problem, design: Design) -> Fix | None:
    """Start runs with an empty text under a key that nothing writes."""
    return _declared(
        problem, design, {"default": ""}, f"let {name_text(problem.about)} be an empty text at first"
    )


def _declared(problem: Problem, design: Design, more: Mapping[str, Any], label: str) -> Fix | None:
    name = problem.about
    if not name.strip() or part_of(problem, design) is None:
        return None
    key = design.keys.get(name)
    if key is None:
        return Fix(label, EditPart("state", None, name, more))
    fits = "default" not in more or key.table.get("type", "text") == "text"
    return Fix(label, EditPart("state", name, name, {**key.table, **more})) if fits else None


def quote_text(problem: Problem, design: Design) -> Fix | None:
    """Put the quotes around a text in a condition that was read as a key."""
    edge, position = edge_at(problem, design), problem.place.edge
    when = edge.table.get("when") if edge is not None else None
    if edge is None or position is None or not isinstance(when, str):
        return None
    bare = re.compile(rf"([!=]=\s*){re.escape(problem.about)}(?![\w.\[(])")
    quoted = bare.sub(lambda found: f'{found[1]}"{problem.about}"', when)
    if quoted == when or not _parses(quoted):
        return None
    return Fix(
        f'write "{problem.about}" in quotes, as a text', EditEdge(position, {**edge.table, "when": quoted})
    )


_QUOTED = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""")
_CURLY = re.compile("[\u201c-\u201f\u2018-\u201b\u00ab\u00bb]")
_SPELLINGS = (
    (r"\{\{|\}\}|\$", ""),
    ("&&", " and "),
    (r"\|\|", " or "),
    ("!==", "!="),
    ("===", "=="),
    ("<>", "!="),
    ("=>", ">="),
    ("=<", "<="),
    (":=", "=="),
    ("!(?!=)", "not "),
    ("(?<![=!<>:])=(?!=)", "=="),
    (r"\b(?:AND|OR|NOT|IN|IS)\b", lambda found: found[0].lower()),
    (r"\b(?:true|false)\b", lambda found: found[0].title()),
    (r"\b(?:null|nil|undefined)\b", "None"),
)


def respell_condition(problem: Problem, design: Design) -> Fix | None:
    """Write the operators and words of other languages in a condition as conditions have them."""
    edge, position = edge_at(problem, design), problem.place.edge
    when = edge.table.get("when") if edge is not None else None
    if edge is None or position is None or not isinstance(when, str):
        return None
    if not when.strip():
        table = {key: value for key, value in edge.table.items() if key != "when"}
        return Fix("take the edge always: leave the blank condition out", EditEdge(position, table))
    if len(when) > MAX_LENGTH:  # nothing makes a condition of it, and patterns are slow on endless texts
        return None
    pieces = _QUOTED.split(_CURLY.sub('"', when))
    new = "".join(piece if place % 2 else _respelt(piece) for place, piece in enumerate(pieces)).strip()
    if new == when or not _parses(new):
        return None
    return Fix(f"write {new}", EditEdge(position, {**edge.table, "when": new}))


def _respelt(text: str) -> str:
    for pattern, right in _SPELLINGS:
        text = re.sub(pattern, right, text)
    return re.sub(" {2,}", " ", text)


def _parses(condition: str) -> bool:
    try:
        parse(condition)
    except ExpressionError:
        return False
    return True


def respell_handler(problem: Problem, design: Design) -> Fix | None:
    """Write a path to a Python function as ``module:function``."""
    part, path = part_at(problem, design)
    old = value_at(part.table, path) if part is not None and path else None
    if part is None or not isinstance(old, str):
        return None
    bare = old.strip().removesuffix("()").replace(".py:", ":").replace("/", ".")
    module, _, function = bare.rpartition("." if ":" not in bare else ":")
    new = f"{module.strip('.')}:{function}"
    if new == old or not is_handler(new):
        return None
    return respelt(old, new, changing(design, part, with_value(part.table, path, new)))


def rename_node(problem: Problem, design: Design) -> Fix | None:
    """Return a node whose name cannot be one that is free."""
    node = problem.place.node
    if node is None or node not in design.nodes or not (node in RESERVED or not node.strip()):
        return None
    name = unique(node.strip("_ ").lower() or "node", {*design.nodes, *RESERVED})
    return Fix(f"name the node {name_text(name)}", Rename("nodes", node, name))


def name_graph(problem: Problem, design: Design) -> Fix | None:
    """Name a graph after its file."""
    name = PurePath(problem.place.file or "").stem.strip()
    if not name:
        return None
    return Fix(f"name the graph {name_text(name)}", EditSettings(with_setting(design, "name", name).head))
