"""Any edit at all: of what a design has, of what it has not, and with names that nobody would think of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import strategies as st

from stepgraph.editing import Design, Edit, EditError
from stepgraph.editing.design import CompoundEdit
from stepgraph.editing.edges import (
    Connect,
    DeleteDeclaration,
    DeleteEdge,
    EditEdge,
    EditPart,
    EditSettings,
    MoveEdge,
)
from stepgraph.editing.nodes import AddNode, ChangeType, DeleteNodes, DuplicateNodes, SetStart
from stepgraph.editing.pasting import Paste, copied
from stepgraph.editing.renaming import Rename

TYPES = ("llm", "tool", "approval", "router", "handler", "tol", "")
CONDITIONS = (
    None,
    "step > 1",
    'category == "billing"',
    "visits.draft > 1 and order.amount < 5",
    "state['order'] is None",
    "order ==",
    {"key": "order", "equals": [1, {"a": 2}]},
    {"predicate": "m:f"},
)
TEXTS = (
    "",
    "plain",
    "{{ order.id }}",
    "{{ order",
    "a\nb\n",
    "'\"'''\"\"\"\\",
    "# no comment",
    "\u202eabc",
    "x" * 120,
)

Draw: TypeAlias = Callable[[st.SearchStrategy[Any]], Any]

ODD = (
    "a",
    "b c",
    "a.b",
    'say "hi"',
    "it's",
    "größe",
    "名前",
    "x" * 300,
    "END",
    "",
    " ",
    "__x",
    "step",
    "a\nb",
)
ODD_NAMES = st.sampled_from(ODD) | st.text(max_size=5)
VALUES = st.recursive(
    st.booleans() | st.integers(-9, 9) | st.sampled_from(TEXTS),
    lambda values: (
        st.lists(values, max_size=3) | st.dictionaries(st.sampled_from(("a", "b.c")), values, max_size=2)
    ),
    max_leaves=4,
)


def any_edit(draw: Draw, design: Design) -> Edit:
    """Some edit of a design; it may be one that is refused."""
    nodes = st.sampled_from([*design.nodes, "END", "nobody"])
    keys = st.sampled_from([*design.keys, "category", "decision", "tool_call", "nobody"])
    tools = st.sampled_from([*design.tools, "nobody"])
    edges = st.integers(-1, len(design.edges))
    several = st.lists(nodes, max_size=3)
    types, names = st.sampled_from(TYPES), ODD_NAMES
    makers: list[Callable[[], Edit]] = [
        lambda: AddNode(draw(types), draw(st.none() | names), draw(st.none() | nodes)),
        lambda: AddNode(draw(types), edge=draw(edges)),
        lambda: DeleteNodes(draw(several)),
        lambda: DuplicateNodes(draw(several)),
        lambda: ChangeType(draw(nodes), draw(types)),
        lambda: _node_form(draw, design, draw(nodes)),
        lambda: SetStart(draw(nodes)),
        lambda: Connect(draw(nodes), draw(nodes), draw(st.sampled_from(CONDITIONS)), draw(st.none() | names)),
        lambda: _edge_form(draw, design, draw(edges)),
        lambda: DeleteEdge(draw(edges)),
        lambda: MoveEdge(draw(edges), draw(st.integers(-3, 3))),
        lambda: Rename("nodes", draw(nodes), draw(names | nodes)),
        lambda: Rename("state", draw(keys), draw(names | keys)),
        lambda: Rename("tools", draw(tools), draw(names | tools)),
        lambda: DeleteNodes(draw(several), "cut"),
        lambda: Paste(_clip(design, draw(several)), draw(st.none() | nodes)),
        lambda: EditSettings({**design.head, "note": draw(VALUES), "max_steps": draw(VALUES)}),
        lambda: EditPart("state", draw(st.none() | keys), draw(names), {"default": draw(VALUES)}),
        lambda: EditPart("tools", draw(st.none() | tools), draw(names), {"returns": draw(VALUES)}),
        lambda: DeleteDeclaration("state", draw(keys)),
        lambda: DeleteDeclaration("tools", draw(tools)),
        lambda: CompoundEdit(
            (DeleteNodes(draw(several)), AddNode("llm"), Rename("nodes", "llm", draw(names))), "all"
        ),
    ]
    make: Callable[[], Edit] = draw(st.sampled_from(makers))
    return make()


def _node_form(draw: Draw, design: Design, name: str) -> Edit:
    table = dict(design.nodes[name].table) if name in design.nodes else {}
    key = st.sampled_from([*table, "prompt", "note", "output", "arguments", "two words"])
    table[draw(key)] = draw(st.none() | VALUES)
    return EditPart("nodes", name, draw(st.just(name) | ODD_NAMES), table)


def _edge_form(draw: Draw, design: Design, position: int) -> Edit:
    table = dict(design.edges[position].table) if 0 <= position < len(design.edges) else {}
    table["when"] = draw(st.sampled_from(CONDITIONS))
    table[draw(st.sampled_from(("label", "note", "to", "x")))] = draw(st.none() | VALUES)
    return EditEdge(position, table)


def _clip(design: Design, names: list[str]) -> str:
    try:
        return copied(design, names)
    except EditError:
        return "garbage"
