"""A LangGraph graph as a StateGraph of nodes of the type ``langgraph``."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.graph import add_messages
from langgraph.store.memory import InMemoryStore

from ..graphs.builder import StateGraph
from ..graphs.parts import END
from . import BESIDE
from .inputs import holds_messages, required_inputs
from .loaded import LoadedGraph, load
from .refusals import function_of, stands
from .ways import START

if TYPE_CHECKING:
    from ..graphs.parts import NodeReview
    from ..values.json_values import Json
    from ..values.state import ValueType

_MESSAGES = 'Messages such as [{ type = "human", content = "Hi" }].'
_CONVERSATION = 'The conversation: a text, or messages such as { role = "user", content = "Hi" }.'
_BESIDE = "What LangGraph's state has beside this: which keys are None, and what was sent to the next node."
_UNNAMED = "LangGraph"  # what LangGraph calls a graph that has no name


class NamedInModule(Protocol):
    """How a graph is named in its module; a ``GraphRef`` is one."""

    @property
    def name(self) -> str:
        """What it is called in the module."""
        ...

    @property
    def handler(self) -> str:
        """Its whole name, ``module:name``."""
        ...


def as_state_graph(found: object, ref: NamedInModule) -> StateGraph:
    """Turn a LangGraph graph into a graph of nodes that LangGraph runs one by one.

    Args:
        found: The graph, compiled or not, or a function that makes one.
        ref: Where it was found.

    Raises:
        GraphError: It has what cannot be carried; every part of it is named.
    """
    loaded = load(found, ref.handler)
    compiled = loaded.compiled
    graph = StateGraph(
        compiled.name if compiled.name and compiled.name != _UNNAMED else ref.handler,
        start=_start(loaded),
        max_steps=loaded.limit,
        on_max_steps="fail",
        on_no_match="end",
        feedback=False,
        note=inspect.cleandoc(vars(loaded.builder.state_schema).get("__doc__") or ""),
    )
    nodes = list(loaded.builder.nodes)
    if loaded.builder.branches.get(START):
        nodes.insert(0, START)
    _add_keys(graph, loaded, nodes)
    for node in nodes:
        _add_node(graph, loaded, node, ref.handler)
    for node in nodes:
        _add_edges(graph, loaded, node)
    return graph


def _start(loaded: LoadedGraph) -> str:
    if loaded.builder.branches.get(START):
        return loaded.names[START]
    first = sorted(target for source, target in loaded.builder.edges if source == START)
    return loaded.names[first[0]] if first else END


def _add_keys(graph: StateGraph, loaded: LoadedGraph, nodes: list[str]) -> None:
    required = required_inputs(loaded)
    for name, channel in loaded.builder.channels.items():
        note = ""
        if isinstance(channel, (BinaryOperatorAggregate, DeltaChannel)):
            how = getattr(channel, "operator", None) or getattr(channel, "reducer", None)
            named = getattr(how, "__name__", "its reducer").lstrip("_")
            note = f"LangGraph merges what nodes write here by {named}."
            if how is add_messages:
                note = f"{_CONVERSATION} {note}"
            elif holds_messages(loaded.annotations[name]):
                note = f"{_MESSAGES} {note}"
        kind: ValueType | None = "text" if loaded.annotations[name] is str and name in required else None
        graph.add_key(name, input=name in required, type=kind, note=note)
    graph.add_key(BESIDE, type="table", note=_BESIDE)
    for node in nodes:
        key = loaded.ways(node).key
        if key is not None and key not in graph.keys:
            graph.add_key(key, type="text", note=_about(loaded, node, key))


def _about(loaded: LoadedGraph, node: str, key: str) -> str:
    routers = list(loaded.builder.branches.get(node, {}))
    if len(routers) == 1 and key.startswith(routers[0]):
        return f"What the router {routers[0]} returned last."
    return "Where the last node that chose its way went."


def _add_node(graph: StateGraph, loaded: LoadedGraph, node: str, handler: str) -> None:
    settings: dict[str, Json] = {"graph": handler, "node": node}
    key = loaded.ways(node).key
    if key is not None:
        settings["route"] = key
    review: NodeReview | None = None
    if stands(node, loaded.compiled.interrupt_before_nodes) and node != START:
        review = "before"
    elif stands(node, loaded.compiled.interrupt_after_nodes) and node != START:
        review = "after"
    graph.declare_node(loaded.names[node], "langgraph", settings, review=review, note=_note(loaded, node))


def _note(loaded: LoadedGraph, node: str) -> str:
    """Say what a node is for: the first line that its function says of itself."""
    if node == START:
        return "Applies the inputs, and chooses the first node."
    function = function_of(loaded.builder.nodes[node].runnable)
    said = inspect.getdoc(function) if function is not None else None
    return said.strip().splitlines()[0] if said and said.strip() else ""


def _add_edges(graph: StateGraph, loaded: LoadedGraph, node: str) -> None:
    ways = loaded.ways(node)
    for way in ways.ways:
        target = loaded.names[way.target]
        label = (way.label or target) if ways.key is not None else None
        graph.add_edge(loaded.names[node], target, label=label, note=way.note)


def notes(found: object, ref: NamedInModule) -> Iterator[str]:
    """Say what a person should know of how a graph was carried."""
    loaded = load(found, ref.handler)
    if isinstance(loaded.compiled.store, InMemoryStore):
        yield (
            "its store is an InMemoryStore: what nodes put there is gone when the process ends, also where a "
            "run goes on in another; compile it with a store that keeps what it holds"
        )
    for source, branches in loaded.builder.branches.items():
        for router, branch in branches.items():
            if branch.ends is None:
                yield (
                    f"{router}, the router behind {source!r}, does not say where it leads, so edges lead "
                    "everywhere: give add_conditional_edges a path_map, or the router a return type of "
                    "Literal[...]"
                )
