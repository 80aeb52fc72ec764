"""The ways out of a LangGraph node, and which of them it has taken: its routers, its Commands and its edges.

LangGraph's edges lead where a router function says, where a ``Command`` says, or always to the same node.
Here each of these is an edge with a label of its own, and the node writes under one key of the state which of
them it takes: under the name of its router, what that returned.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import langgraph.graph

from ...graphs.parts import END, RESERVED
from ...nodes.router import normalized
from . import BESIDE
from .inside import function_of, tree_of

if TYPE_CHECKING:
    from langgraph.graph import StateGraph as Builder

START = langgraph.graph.START
"""What LangGraph calls the place where every run begins; a node here, where a router comes after it."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way out of a node."""

    target: str
    """Where it leads, by LangGraph's name; its END for the end."""
    router: str = ""
    """The router function that chooses it; empty for a Command or a plain edge."""
    returned: Any = None
    """What the router returns to choose it."""
    label: str | None = None
    """What tells it from the node's other ways; None where the name of the target does."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ways:
    """All ways out of a node."""

    key: str | None
    """The key of the state that takes the one that was chosen; None where there is no choice."""
    ways: tuple[Way, ...]

    def find_taken(self, target: str, returned: Mapping[str, Sequence[Any]]) -> Way | None:
        """Find the way that a visit has taken.

        Args:
            target: Where it led.
            returned: What the routers returned, by their names.
        """
        there = [way for way in self.ways if way.target == target]
        chosen = (way for way in there if way.router in returned and _same(way, returned[way.router]))
        return next(chosen, None) or next((way for way in there if not way.router), None) or _first(there)


def _same(way: Way, returned: Sequence[Any]) -> bool:
    return any(type(value) is type(way.returned) and value == way.returned for value in returned)


def _first(ways: Sequence[Way]) -> Way | None:
    return ways[0] if ways else None


def names_here(builder: Builder[Any, Any, Any, Any]) -> dict[str, str]:
    """Name the nodes of a LangGraph graph as they are called here; what is reserved gets another name."""
    names = {langgraph.graph.END: END}
    for node in (START, *builder.nodes):
        name = node.replace("/", "_")  # a slash leads into a subgraph
        while name in RESERVED or not name.strip() or name in names.values():
            name = f"{name.strip()}_"
        names[node] = name
    return names


def ways_out(builder: Builder[Any, Any, Any, Any], node: str) -> Ways:
    """Find the ways out of a node, in the order in which they were declared."""
    found = list(_declared(builder, node))
    if not found:
        found = [Way(langgraph.graph.END)]
    elif len(found) == 1 and found[0].router and found[0].target != langgraph.graph.END:
        found.append(Way(langgraph.graph.END, note=f"where {found[0].router} sends nothing"))
    ways: list[Way] = []
    names = names_here(builder)
    known: dict[str, Way] = {}
    for way in found:
        same = known.get(normalized(way.label or names[way.target]))
        if same is not None and same.target == way.target and not (same.router and way.router):
            continue  # a Command or an edge leads there, too: where it leads says it all
        placed = way
        number = 2
        while normalized(placed.label or names[placed.target]) in known:
            placed = replace(way, label=f"{way.label or names[way.target]} ({number})")
            number += 1
        known[normalized(placed.label or names[placed.target])] = placed
        ways.append(placed)
    return Ways(_key(builder, node) if len(ways) > 1 else None, tuple(ways))


def _declared(builder: Builder[Any, Any, Any, Any], node: str) -> Iterator[Way]:
    end = langgraph.graph.END
    for router, branch in builder.branches.get(node, {}).items():
        anywhere: dict[Any, str] = {name: name for name in (*builder.nodes, end)}
        ends = branch.ends if branch.ends is not None else anywhere
        for returned, target in ends.items():
            label = None if returned == target else _label(returned)
            yield Way(target, router, returned, label, f"where {router} returns {returned!r}")
    plain = [target for source, target in sorted(builder.edges) if source == node]
    goes = (builder.nodes[node].ends if node in builder.nodes else None) or undeclared(builder, node)
    if goes:
        labels: dict[str, str | None] = {**goes} if isinstance(goes, dict) else dict.fromkeys(goes)
        for target, label in labels.items():
            yield Way(target, label=_label(label) if label else None, note="where its Command goes there")
        if not plain and not builder.branches.get(node) and end not in labels:
            yield Way(end, note="where its Command goes nowhere")
    if len(plain) > 1 and end in plain:
        plain.remove(end)  # LangGraph goes on while any other edge leads somewhere
    for target in plain:
        yield Way(target)


def undeclared(builder: Builder[Any, Any, Any, Any], node: str) -> list[str]:
    """Find where the Commands of a node lead that does not declare it: where its code says, or anywhere."""
    function = function_of(builder.nodes[node].runnable) if node in builder.nodes else None
    tree = tree_of(function) if function is not None and not builder.nodes[node].ends else None
    if tree is None:
        return []
    parts = (part for part in ast.walk(tree) if isinstance(part, ast.keyword) and part.arg == "goto")
    named = list(dict.fromkeys(_named(part.value) for part in parts))
    anywhere = [*builder.nodes, langgraph.graph.END]
    return named if all(name in anywhere for name in named) else anywhere


def _named(target: ast.expr) -> str:
    if isinstance(target, ast.Name) and target.id == "END":
        return langgraph.graph.END
    return str(target.value) if isinstance(target, ast.Constant) else ""


def _label(returned: Any) -> str:
    text = returned if isinstance(returned, str) else repr(returned)
    return " ".join(text.split()) or repr(returned)


def _key(builder: Builder[Any, Any, Any, Any], node: str) -> str:
    """Name the key of the state that says which way a node took: by its router, where it has one."""
    routers = list(builder.branches.get(node, {}))
    has_command = node in builder.nodes and bool(builder.nodes[node].ends)
    name = "goto" if not routers else "route"
    if len(routers) == 1 and not has_command and routers[0].isidentifier():
        name = routers[0]
    while name in builder.channels or name in builder.managed or name == BESIDE:
        name += "_returned"
    return name
