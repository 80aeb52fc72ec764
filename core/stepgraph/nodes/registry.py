"""The node types by name: the built-in ones, and those that installed packages add."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from ..values.errors import GraphError, StepgraphError
from ..values.json_values import Json
from ..values.messages import error_detail
from ..values.problems import Place, Problem, did_you_mean
from .base import BaseNode

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "stepgraph.nodes"
"""The entry-point group through which packages add node types."""

_BUILT_IN = {
    "llm": "llm:LLMNode",
    "tool": "tool:ToolNode",
    "approval": "approval:ApprovalNode",
    "router": "router:RouterNode",
    "handler": "handler:HandlerNode",
    "transform": "transform:TransformNode",
    "guardrail": "guardrail:GuardrailNode",
    "llm_router": "llm_router:LLMRouterNode",
    "subgraph": "subgraph:SubgraphNode",
    "wait": "wait:WaitNode",
    "http": "http_request:HttpNode",
    "agent": "agent:AgentNode",
    "langgraph": "..extras.langgraph.node:LangGraphNode",  # to look up an entry point would slow every start
}


def build_node(name: str, type: str, settings: Mapping[str, Json]) -> tuple[BaseNode | None, list[Problem]]:
    """Build a node from its type and settings, as a graph file has them.

    What is wrong beyond the shape of the settings, such as a template that does not parse, is left to
    the node's ``problems()``.

    Args:
        name: The node's name.
        type: The name of its type.
        settings: The settings of that type.

    Returns:
        The node, or None; and everything that is wrong with the type and the settings.
    """
    try:
        cls = node_type(type)
    except GraphError as error:
        return None, [_at(problem, name) for problem in error.problems]
    try:
        return cls(name, **settings), []
    except GraphError as error:
        return None, list(error.problems)
    except Exception as error:  # a type from a package may fail in any way, and a file must still open
        message = f"node {name!r}: its type {type!r} raised {_error_text(error)}"
        return None, [Problem("G036", "error", message, Place(node=name, key="type"), _blame(type))]


def node_type(name: str) -> type[BaseNode]:
    """Find the class of a node type; loads nothing but that type.

    Raises:
        GraphError: There is no such type, or its package is broken.
    """
    if name in _BUILT_IN:
        return _built_in(name)
    points = {point.name: point for point in _points()}
    if name in points:
        return _loaded(points[name])
    hint = did_you_mean(str(name), (*_BUILT_IN, *points), listing="there are")
    raise _error(f"there is no node type {name!r}", "G030", hint)


def node_types() -> dict[str, type[BaseNode]]:
    """Load all types that can be used, by name; those of broken packages are left out."""
    types = {name: _built_in(name) for name in _BUILT_IN}
    for point in _points():
        try:
            types.setdefault(point.name, _loaded(point))
        except GraphError:
            continue
    return types


def _built_in(name: str) -> type[BaseNode]:
    module, attribute = _BUILT_IN[name].split(":")
    place = module if module.startswith(".") else f".{module}"
    return cast("type[BaseNode]", getattr(import_module(place, __package__), attribute))


@cache  # looking through what is installed takes a millisecond, and a file may have thousands of nodes
def _points() -> list[EntryPoint]:
    from importlib.metadata import entry_points  # not for the built-in types: it loads half of email

    return [point for point in entry_points(group=GROUP) if point.name not in _BUILT_IN]


def _loaded(point: EntryPoint) -> type[BaseNode]:
    try:
        cls: Any = point.load()
    except (Exception, SystemExit) as error:  # whatever a foreign module does, a file must still open
        message = f"the node type {point.name!r} cannot be loaded from {point.value!r}: {_error_text(error)}"
        raise _error(message, "G036", _blame(point.name)) from error
    wanted = isinstance(cls, type) and issubclass(cls, BaseNode) and hasattr(cls, "Settings")
    named = wanted and isinstance(cls.type, str) and cls.type != BaseNode.type
    if not named:
        message = f"{point.value!r}, registered as the node type {point.name!r}, is not a node type"
        hint = "a node type is a subclass of stepgraph.BaseNode with `type` and `Settings`"
        raise _error(message, "G036", hint)
    return cast("type[BaseNode]", cls)


def _error(message: str, code: str, hint: str) -> GraphError:
    return GraphError(message, [Problem(code, "error", message, Place(key="type"), hint)])


def _at(problem: Problem, node: str) -> Problem:
    message = f"node {node!r}: {problem.message}"
    return Problem(problem.code, problem.severity, message, Place(node=node, key="type"), problem.hint)


def _blame(type_: str) -> str:
    point = next((point for point in _points() if point.name == type_), None)
    package = point.dist.name if point is not None and point.dist is not None else None
    return f"it comes from the package {package}: update or remove it" if package else "update its package"


def _error_text(error: BaseException) -> str:
    if isinstance(error, StepgraphError):
        return error.message
    return f"{type(error).__name__}{error_detail(error)}"
