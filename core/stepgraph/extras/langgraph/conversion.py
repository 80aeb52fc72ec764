"""A LangGraph graph as a StateGraph of nodes of the type ``langgraph``."""

from __future__ import annotations

import ast
import inspect
import typing
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Protocol

from langchain_core.messages import BaseMessage
from langgraph.channels import BinaryOperatorAggregate, DeltaChannel
from langgraph.graph import add_messages
from langgraph.store.memory import InMemoryStore

from ...graphs.builder import StateGraph
from ...graphs.parts import END
from ...values.messages import some_of
from ...values.state import ValueType
from . import BESIDE
from .inside import function_of, tree_of
from .loaded import LoadedGraph, load, required_of
from .refusals import stands
from .values import fields_of
from .ways import START, undeclared

if TYPE_CHECKING:
    from ...graphs.parts import NodeReview
    from ...values.json_values import Json


def required_inputs(loaded: LoadedGraph) -> frozenset[str]:
    """Find the keys that a run surely cannot begin without.

    LangGraph itself asks for none. A model and a dataclass say which they are, and so does a schema for the
    inputs alone; else it is the conversation, and what the first function reads without looking.
    """
    builder = loaded.builder
    schema: Any = builder.input_schema
    keys = loaded.inputs
    own = typing.is_typeddict(schema) and schema is builder.state_schema
    required = None if own else required_of(schema)
    if required is not None:
        return required.intersection(keys)
    read = frozenset(name for function in _first_functions(loaded) for name in read_at_once(function))
    return frozenset(
        name
        for name in keys
        if getattr(builder.channels[name], "operator", None) is add_messages
        or (
            name in read
            and (holds_messages(loaded.annotations[name]) or not builder.channels[name].is_available())
        )
    )


def holds_messages(annotation: object) -> bool:
    """Whether a key holds messages: an empty list is there from the first, and no model answers it."""
    if isinstance(annotation, type):
        return issubclass(annotation, BaseMessage)
    return any(holds_messages(part) for part in typing.get_args(annotation))


def _first_functions(loaded: LoadedGraph) -> Iterator[Callable[..., Any]]:
    """Return the functions that see the inputs first: the routers at START, else the first node."""
    builder = loaded.builder
    works = loaded.works(START)
    if not works:
        works = [builder.nodes[target].runnable for source, target in builder.edges if source == START]
    yield from filter(None, map(function_of, works))


def read_at_once(function: Callable[..., Any]) -> frozenset[str]:
    """Find the keys that a function reads from its first argument, and never looks whether they are there."""
    tree = tree_of(function)
    if not isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef):
        return frozenset()
    arguments = [*tree.args.posonlyargs, *tree.args.args][inspect.ismethod(function) :]
    if not arguments or any(isinstance(part, ast.Try) for part in ast.walk(tree)):
        return frozenset()
    state = arguments[0].arg
    read: set[str] = set()
    looked_for: set[str] = set()
    for part in ast.walk(tree):
        match part:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key)), ctx=ast.Load()):
                read |= {key} if name == state else set()
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name)), args=[ast.Constant(value=str(key)), *_]
            ):
                looked_for |= {key} if name == state else set()
            case ast.Compare(left=ast.Constant(value=str(key))):
                looked_for.add(key)
    return frozenset(read - looked_for)


_MESSAGES = 'Messages such as [{ type = "human", content = "Hi" }].'
_CONVERSATION = 'The conversation: a text, or messages such as { role = "user", content = "Hi" }.'
_BESIDE = "What LangGraph's state has beside this: which keys are None, and what was sent to the next node."
_ASKED_AS: dict[object, ValueType] = {str: "text", dict: "table", list: "list"}
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
        annotation = loaded.annotations[name]
        kind = _ASKED_AS.get(typing.get_origin(annotation) or annotation) if name in required else None
        graph.add_key(name, input=name in required, type=kind, note=note)
    graph.add_key(BESIDE, type="table", note=_BESIDE)
    if loaded.context_key is not None:
        fields = some_of(fields_of(loaded.builder.context_schema), 8)
        note = f"The context of LangGraph's runtime: {fields}."
        graph.add_key(loaded.context_key, type="table", input=bool(loaded.required_context), note=note)
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
    """Describe what a node is for: the first line that its function says of itself."""
    if node == START:
        return "Applies the inputs, and chooses the first node."
    function = function_of(loaded.builder.nodes[node].runnable)
    doc = inspect.getdoc(function) if function is not None else None
    return doc.strip().splitlines()[0] if doc and doc.strip() else ""


def _add_edges(graph: StateGraph, loaded: LoadedGraph, node: str) -> None:
    ways = loaded.ways(node)
    for way in ways.ways:
        target = loaded.names[way.target]
        label = (way.label or target) if ways.key is not None else None
        graph.add_edge(loaded.names[node], target, label=label, note=way.note)


def notes(found: object, ref: NamedInModule) -> Iterator[str]:
    """Describe what a person should know of how a graph was carried."""
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
    for node in loaded.builder.nodes:
        if targets := undeclared(loaded.builder, node):
            yield (
                f"{node!r} does not declare where its Command leads, so edges lead to "
                f"{some_of(targets, 5)}: give its function a return type of Command[Literal[...]]"
            )
