"""What of a LangGraph graph cannot be carried, as far as a graph shows it: by name, with what to do."""

from __future__ import annotations

import inspect
import typing
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import langgraph.graph
from langgraph.channels import (
    AnyValue,
    BinaryOperatorAggregate,
    DeltaChannel,
    EphemeralValue,
    LastValue,
    UntrackedValue,
)

from ...values.messages import some_of
from ...values.problems import Place, Problem
from . import BESIDE, CODE
from .inside import function_of

if TYPE_CHECKING:
    from langgraph.graph import StateGraph as Builder
    from langgraph.graph.state import CompiledStateGraph

_CARRIED = (LastValue, BinaryOperatorAggregate, DeltaChannel, EphemeralValue, AnyValue, UntrackedValue)

_ONE_AT_A_TIME = "Stepgraph runs one node at a time"


def refused(graph: CompiledStateGraph[Any, Any, Any, Any]) -> list[Problem]:
    """Find what cannot be carried; nothing where all can."""
    builder = graph.builder
    return [
        *_forks(builder),
        *_joins(builder),
        *_state(builder),
        *_nodes(builder),
        *_stops(graph),
        *_inside(graph),
    ]


def _problem(
    message: str, node: str | None = None, hint: str = "", key: str | None = None, runnable: Any = None
) -> Problem:
    """Write what is wrong, and where: at the first line of the node's function, if it has one."""
    function = function_of(runnable)
    code = getattr(inspect.unwrap(function), "__code__", None) if function is not None else None
    file, line = (code.co_filename, code.co_firstlineno) if code is not None else (None, None)
    return Problem(CODE, "error", message, Place(file, line, node, key=key), hint)


def _forks(builder: Builder[Any, Any, Any, Any]) -> Iterator[Problem]:
    """Find the places behind which several nodes surely run at once."""
    leaving = Counter(source for source, target in builder.edges if target != langgraph.graph.END)
    for source in (langgraph.graph.START, *builder.nodes):
        if leaving[source] > 1:
            targets = sorted(target for start, target in builder.edges if start == source)
            where = "START" if source == langgraph.graph.START else f"node {source!r}"
            yield _problem(
                f"{where} has {leaving[source]} edges that are all taken at once, to {some_of(targets, 5)}: "
                f"a parallel superstep, and {_ONE_AT_A_TIME}",
                None if source == langgraph.graph.START else source,
                "put the nodes one behind the other, or choose one of them by add_conditional_edges",
            )


def _joins(builder: Builder[Any, Any, Any, Any]) -> Iterator[Problem]:
    for sources, target in sorted(builder.waiting_edges):
        yield _problem(
            f"node {target!r} waits for {some_of(list(sources), 5)} together: the end of a parallel "
            f"superstep, and {_ONE_AT_A_TIME}",
            target,
            "add an edge from the last of them alone",
        )


def _state(builder: Builder[Any, Any, Any, Any]) -> Iterator[Problem]:
    for name, channel in builder.channels.items():
        if name == "__root__":
            message = "its state is one value, not a table of keys"
            yield _problem(message, hint="give the state a schema with keys, such as a TypedDict")
        elif not isinstance(channel, _CARRIED):
            yield _problem(
                f"the state key {name!r} is kept in a channel of the class {type(channel).__name__}, which "
                "a run that is stored at each step cannot keep",
                key=f"state.{name}",
                hint="annotate it with a plain type, or with a reducer function",
            )
        elif name == BESIDE:
            message = f"the state key {name!r} is where Stepgraph keeps what it knows of LangGraph's state"
            yield _problem(message, key=f"state.{name}", hint="give the key another name")


def _nodes(builder: Builder[Any, Any, Any, Any]) -> Iterator[Problem]:
    for name, node in builder.nodes.items():
        if node.is_error_handler:
            continue
        if node.error_handler_node is not None:
            yield _problem(
                f"node {name!r} has an error handler, which LangGraph runs as a step of its own",
                name,
                "catch the error inside of the node; a node that fails can be run again here with `retry`",
                runnable=node.runnable,
            )


def _stops(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Iterator[Problem]:
    before, after = graph.interrupt_before_nodes, graph.interrupt_after_nodes
    both = [name for name in graph.builder.nodes if stands(name, before) and stands(name, after)]
    if both:
        yield _problem(
            f"it is interrupted before and after {some_of(both, 5)}, and a node here asks at one side only",
            both[0],
            "leave one of them out of interrupt_before and interrupt_after",
        )


def _inside(graph: CompiledStateGraph[Any, Any, Any, Any]) -> Iterator[Problem]:
    """Find the graphs inside of nodes that remember their last visit."""
    for place, inner in graph.get_subgraphs(recurse=True):
        if getattr(inner, "checkpointer", None) is True:
            node = place.partition("|")[0]
            yield _problem(
                f"a graph inside of node {node!r} was compiled with checkpointer=True, and what it remembers "
                "of its last visit is not kept",
                node,
                "compile it without, and keep in the state of the whole graph what it is to remember",
            )


def stands(node: str, named: typing.Sequence[str] | str) -> bool:
    """Check whether a node is among those that ``interrupt_before`` or ``interrupt_after`` names."""
    return named == "*" or node in named
