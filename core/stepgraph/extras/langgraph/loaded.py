"""A graph of LangGraph as it was found, and its copies that run one node at a time."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Hashable
from functools import cache, cached_property, lru_cache, partial
from typing import Any, cast

import langgraph.graph
from langchain_core.runnables import RunnableConfig  # LangGraph reads annotations when it runs
from langgraph.channels import DeltaChannel
from langgraph.graph.state import CompiledStateGraph
from langgraph.managed import RemainingSteps

from ...values.errors import GraphError
from ...values.json_values import class_name, with_article
from ...values.messages import error_detail
from ...values.problems import Place, Problem
from . import CODE
from .refusals import refused
from .values import StateValues
from .ways import START, Ways, names_here, ways_out

BEGINS = "stepgraph_begins"
"""Where the configuration names the node that a copy of the graph begins with, or has what is sent to it."""

_KNOWN = 10  # steps


class LoadedGraph:
    """A LangGraph graph with what is found out about it once.

    Args:
        compiled: The graph.
        name: Where it was found, for messages.
    """

    def __init__(self, compiled: CompiledStateGraph[Any, Any, Any, Any], name: str) -> None:
        self.compiled = compiled
        self.builder = compiled.builder
        self.name = name

    def ways(self, node: str) -> Ways:
        """Find the ways out of a node."""
        return ways_out(self.builder, node)

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
        inside = (schema for builder in self._inside for schema in builder.schemas)
        return StateValues((*self.builder.schemas, *self.annotations.values(), *inside))

    @cached_property
    def _inside(self) -> list[langgraph.graph.StateGraph[Any, Any, Any, Any]]:
        """The graphs that are nodes of it, or that its nodes call, as far as LangGraph finds them."""
        found = self.compiled.get_subgraphs(recurse=True)
        return [graph.builder for _, graph in found if isinstance(graph, CompiledStateGraph)]

    @cached_property
    def has_deltas(self) -> bool:
        """Whether a state key here or in a graph inside is read from more than its newest checkpoint."""
        builders = (self.builder, *self._inside)
        return any(
            isinstance(channel, DeltaChannel) for builder in builders for channel in builder.channels.values()
        )

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
        compiled = copy.compile(
            cache=self.compiled.cache, store=self.compiled.store, name=self.compiled.name, debug=False
        )
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


def load(found: object, name: str) -> LoadedGraph:
    """Load what a module has under a name: a graph, or a function that builds one, called once.

    Raises:
        GraphError: It is not a graph that can be carried; all that cannot be is named.
    """
    if not isinstance(found, Hashable):
        raise _no_nodes(found, name)
    return _load(found, name)


@lru_cache(maxsize=16)  # each node of a graph asks for it; a module that was edited has another one
def _load(found: Hashable, name: str) -> LoadedGraph:
    loaded = LoadedGraph(_compiled(found, name), name)
    problems = refused(loaded.compiled)
    if problems:
        raise GraphError(f"the LangGraph graph {name!r} cannot be carried as it is", problems)
    return loaded


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


def _call_factory(make: Callable[[], Any], name: str) -> Any:
    try:
        return make()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also one that would end the process
        message = f"{name!r} raised {class_name(error)}{error_detail(error)}"
        raise _no_graph(message, "it must make its graph without arguments") from error


def _no_nodes(found: object, name: str) -> GraphError:
    hint = "name a StateGraph of langgraph.graph, compiled or not, or a function that makes one"
    return _no_graph(f"{name!r} is {with_article(type(found).__name__)}, whose nodes cannot be seen", hint)


def _no_graph(message: str, hint: str) -> GraphError:
    return GraphError("this LangGraph graph cannot be used", [Problem(CODE, "error", message, Place(), hint)])
