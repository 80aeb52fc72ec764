"""A graph of LangGraph as it was found, and its copies that run one node at a time."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Callable, Hashable, Mapping
from functools import cache, cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import langgraph.graph
from langchain_core.runnables import RunnableConfig  # LangGraph reads annotations when it runs
from langgraph.channels import UntrackedValue
from langgraph.graph.state import CompiledStateGraph
from langgraph.managed import RemainingSteps
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from pydantic import BaseModel

from ...values.errors import GraphError, StateError
from ...values.json_values import class_name, with_article
from ...values.messages import error_detail
from ...values.problems import Place, Problem
from . import CODE
from .factories import call_factory, held
from .inside import can_await, graphs_in, must_await, works_of
from .refusals import refused
from .values import StateValues
from .ways import START, Ways, names_here, ways_out

if TYPE_CHECKING:
    from ...values.json_values import Json

BEGINS = "stepgraph_begins"
"""Where the configuration names the node that a copy of the graph begins with, or has what is sent to it."""

_KNOWN = 10  # steps
_UNTRACKED = "untracked"
_MOST_HELD = 100
"""Untracked values of a graph that a process holds; the oldest go first, for nobody says when a run ends."""


class LoadedGraph:
    """A LangGraph graph with what is found out about it once.

    Args:
        compiled: The graph.
        name: Where it was found, for messages.
        around: What else stands in its module.
    """

    def __init__(
        self, compiled: CompiledStateGraph[Any, Any, Any, Any], name: str, around: Mapping[str, Any]
    ) -> None:
        self.compiled = compiled
        self._around = around
        self.builder = compiled.builder
        self.name = name
        self._awaited: dict[str, bool] = {}
        self._ways: dict[str, Ways] = {}
        self._held: dict[str, Any] = {}

    def is_awaited(self, node: str) -> bool:
        """Check whether a node, or a router after it, can only be awaited."""
        if node not in self._awaited:
            self._awaited[node] = any(map(must_await, self.works(node)))
        return self._awaited[node]

    def awaits_instead(self, node: str) -> bool:
        """Have a node awaited from now on, where that is another way to run it."""
        was_awaited = self._awaited.get(node, False)
        self._awaited[node] = any(map(can_await, self.works(node)))
        return self._awaited[node] and not was_awaited

    def works(self, node: str) -> list[Any]:
        """List the routers after a node, and what LangGraph runs for the node itself; START has none."""
        works: list[Any] = [branch.path for branch in self.builder.branches.get(node, {}).values()]
        return works if node == START else [*works, self.builder.nodes[node].runnable]

    def ways(self, node: str) -> Ways:
        """Find the ways out of a node."""
        if node not in self._ways:
            self._ways[node] = ways_out(self.builder, node)
        return self._ways[node]

    @cached_property
    def names(self) -> dict[str, str]:
        """What each node is called here, by LangGraph's name."""
        return names_here(self.builder)

    @cached_property
    def annotations(self) -> dict[str, Any]:
        """The annotation of each key of the state, wherever it is declared first."""
        found: dict[str, Any] = {}
        for schema in self.builder.schemas:
            for name, annotation in typing.get_type_hints(schema, include_extras=True).items():
                if name in self.builder.channels:
                    found.setdefault(name, annotation)
        return found

    @cached_property
    def values(self) -> StateValues:
        """Writes and reads the values of its state."""
        named = (graph for _, graph in self.compiled.get_subgraphs(recurse=True))
        called = (graph for work in works_of(self.compiled) for graph in graphs_in(work))
        inside = [graph.builder for graph in (*named, *called) if isinstance(graph, CompiledStateGraph)]
        schemas = (schema for builder in inside for schema in builder.schemas)
        annotations = (*self.builder.schemas, *self.annotations.values(), *schemas)
        return StateValues(annotations, self._around.values())

    @cached_property
    def context_key(self) -> str | None:
        """The key of the state that has the runtime's context; None where the graph takes none."""
        if self.builder.context_schema is None:
            return None
        return "context" if "context" not in self.builder.channels else "runtime_context"

    @cached_property
    def untracked(self) -> tuple[str, ...]:
        """The keys that LangGraph keeps from node to node, and in no checkpoint."""
        channels = self.builder.channels.items()
        return tuple(name for name, channel in channels if isinstance(channel, UntrackedValue))

    @cached_property
    def required_context(self) -> frozenset[str] | None:
        """The fields without which the runtime's context cannot be made; None where it need not be made."""
        schema = self.builder.context_schema
        return None if typing.is_typeddict(schema) else required_of(schema)

    def read(self, state: Mapping[str, Json]) -> dict[str, Any]:
        """Read the values of keys, without the untracked ones that another process holds.

        Raises:
            StateError: One cannot be read.
        """
        found: dict[str, Any] = {}
        for name, value in state.items():
            if name not in self.untracked or not isinstance(value, dict) or value.get("$type") != _UNTRACKED:
                found[name] = self.values.read(value, f'state["{name}"]')
            elif value.get("id") in self._held:
                found[name] = self._held[str(value["id"])]
        return found

    def written(self, values: Mapping[str, Any]) -> dict[str, Json]:
        """Write the values of keys as JSON; of an untracked one that cannot be, what it is.

        Raises:
            StateError: Another one cannot be written.
        """
        found: dict[str, Json] = {}
        for name, value in values.items():
            try:
                found[name] = self.values.to_json(value, f'state["{name}"]')
            except StateError:
                if name not in self.untracked:
                    raise
                found[name] = {"$type": _UNTRACKED, "class": class_name(value), "id": self._hold(value)}
        return found

    def _hold(self, value: Any) -> str:
        """Keep a value for the next nodes in this process, and return its id."""
        id_ = next((id_ for id_, held in self._held.items() if held is value), None) or uuid4().hex
        self._held[id_] = value
        if len(self._held) > _MOST_HELD:
            del self._held[next(iter(self._held))]
        return id_

    @property
    def inputs(self) -> tuple[str, ...]:
        """The keys that a run may begin with."""
        found = self.builder.schemas[self.builder.input_schema]
        return tuple(name for name in found if name in self.builder.channels)

    @property
    def limit(self) -> int:
        """How many steps LangGraph lets a run take."""
        return int((self.compiled.config or {}).get("recursion_limit") or _default_limit())

    @cached_property
    def store(self) -> BaseStore:
        """Its own store; without one, one that this process keeps, as in LangGraph's Studio."""
        return InMemoryStore() if self.compiled.store is None else self.compiled.store

    @cached_property
    def stepper(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        """A copy that begins with whichever node its configuration names, and takes all keys of the state.

        It is built by LangGraph's own builder of the same nodes, routers and edges, so that schemas, retry
        policies, reducers and routers work as they do in the graph itself.
        """
        original = self.builder
        everything: Any = typing.TypedDict("everything", self.annotations)  # type: ignore[misc]  # of any keys
        copy: langgraph.graph.StateGraph[Any, Any, Any, Any] = langgraph.graph.StateGraph(
            original.state_schema,
            original.context_schema,
            input_schema=everything,
            output_schema=original.output_schema,
        )
        for name, node in original.nodes.items():
            copy.add_node(
                name,
                cast(Any, node.runnable),
                defer=node.defer,
                metadata=node.metadata,
                input_schema=node.input_schema,
                retry_policy=node.retry_policy,
                cache_policy=node.cache_policy,
                destinations=node.ends or None,
                timeout=node.timeout,
            )
        for source, target in original.edges:
            if source != START:
                copy.add_edge(source, target)
        for source, branches in original.branches.items():
            if source != START:
                for branch in branches.values():
                    copy.add_conditional_edges(source, branch.path, cast(Any, branch.ends))
        copy.set_conditional_entry_point(_begins, [*original.nodes])
        compiled = copy.compile(cache=self.compiled.cache, name=self.compiled.name, debug=False)
        return compiled.with_config(self.compiled.config)


def _begins(state: Any, config: RunnableConfig) -> Any:
    return config["configurable"][BEGINS]


class _Counting(typing.TypedDict):
    left: RemainingSteps


@cache
def _default_limit() -> int:
    """Ask LangGraph how many steps a run may take by default, by how many are left."""
    limits: list[int] = []
    asking: Any = langgraph.graph.StateGraph(_Counting)
    asking.add_node("hear", lambda state: limits.append(state["left"]))
    asking.add_edge(START, "hear")
    compiled = asking.compile()
    compiled.invoke({})
    compiled.invoke({}, {"recursion_limit": _KNOWN})
    return limits[0] - limits[1] + _KNOWN


def required_of(schema: Any) -> frozenset[str] | None:
    """Find the fields that a model, a dataclass or a typed dict must have; None for what is none of them."""
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        return frozenset(name for name, each in schema.model_fields.items() if each.is_required())
    if dataclasses.is_dataclass(schema):
        return frozenset(each.name for each in dataclasses.fields(schema) if _has_no_default(each))
    return schema.__required_keys__ if typing.is_typeddict(schema) else None


def _has_no_default(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def load(found: object, name: str) -> LoadedGraph:
    """Load what a module has under a name: a graph, or a function that builds one, called once.

    Raises:
        GraphError: It is not a graph that can be carried; all that cannot be is named.
    """
    if not isinstance(found, Hashable):
        raise _no_nodes(found, name)
    return _load(found, name, held(found))


@lru_cache(maxsize=16)  # each node of a graph asks for it; a module that was edited has another one
def _load(found: Hashable, name: str, graph: object) -> LoadedGraph:
    loaded = LoadedGraph(_compiled(found if graph is None else graph, name), name, _around(found, name))
    problems = refused(loaded.compiled)
    if problems:
        raise GraphError(f"the LangGraph graph {name!r} cannot be carried as it is", problems)
    return loaded


def _around(found: object, name: str) -> Mapping[str, Any]:
    """Find what stands in the module that has a graph, or what makes it, under this name."""
    module, _, own = name.partition(":")
    for known, each in [*sys.modules.items()]:
        names: Mapping[str, Any] = getattr(each, "__dict__", {})
        if f".{known}".endswith(f".{module}") and names.get(own) is found:
            return names
    return {}


def _compiled(found: Any, name: str) -> CompiledStateGraph[Any, Any, Any, Any]:
    if isinstance(found, CompiledStateGraph):
        return found
    if isinstance(found, langgraph.graph.StateGraph):
        try:
            return found.compile()
        except Exception as error:
            message = f"{name!r} does not compile{error_detail(error)}"
            raise _no_graph(message, "compile it in its module to see where") from error
    if not _makes(found):
        raise _no_nodes(found, name)
    made = _call_factory(found, name)
    if _makes(made):
        raise _no_nodes(made, name)
    return _compiled(made, name)


def _makes(found: object) -> bool:
    return inspect.isroutine(found) or isinstance(found, partial)


def _call_factory(make: Callable[..., Any], name: str) -> Any:
    try:
        return call_factory(make)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also one that would end the process
        message = f"{name!r} raised {class_name(error)}{error_detail(error)}"
        raise _no_graph(message, "it must make its graph without arguments, or with a config") from error


def _no_nodes(found: object, name: str) -> GraphError:
    hint = "name a StateGraph of langgraph.graph, compiled or not, or a function that makes one"
    return _no_graph(f"{name!r} is {with_article(type(found).__name__)}, whose nodes cannot be seen", hint)


def _no_graph(message: str, hint: str) -> GraphError:
    return GraphError("this LangGraph graph cannot be used", [Problem(CODE, "error", message, Place(), hint)])
