"""Handlers: Python functions that a graph names as ``module:function``.

Naming one imports nothing; ``resolve_handler`` does, when a trusted graph is about to run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..conditions import HandlerPredicate
from ..conditions.scoped import bare
from ..graphs.parts import GraphParts
from ..values.errors import HandlerError
from ..values.handler_names import HANDLER_HINT, is_handler
from ..values.problems import did_you_mean

if TYPE_CHECKING:
    from ..nodes.facts import NodeFacts
    from .sources import Sources


def handler_refs(graph: GraphParts) -> list[str]:
    """List the handlers that the graph's definition names, in order, each once.

    A node that was added as a Python object does not count: the program that made it brought its code.
    """
    return list(dict.fromkeys(ref for ref in _named(graph) if is_handler(ref)))


def addresses_of(graph: GraphParts) -> list[str]:
    """Describe what the nodes that the graph's definition declares do on the network, each with its node.

    Its name is quoted where it is more than a word, so that it passes for no other address.
    """
    return [
        f"node {quote(name)}: {address}" for name, facts in _declared(graph) for address in facts.addresses
    ]


def server_tools_of(graph: GraphParts) -> list[str]:
    """List the tools of the user's servers that the graph's definition names, each once.

    One that it declares is among them: canned answers stand in for it until a run is live.
    """
    named = (tool for _, facts in _declared(graph) for tool in sorted(facts.tools))
    return list(dict.fromkeys(name for name in (*named, *graph.tools) if "/" in name))


def open_nodes_of(graph: GraphParts) -> list[str]:
    """List the nodes of the graph's definition that may call any tool of the user's servers."""
    return [name for name, facts in _declared(graph) if facts.calls_any_tool]


def tools_named(graph: GraphParts) -> frozenset[str]:
    """Collect the tools that the graph declares, and those that its nodes name, also the ones in Python."""
    return frozenset(graph.tools).union(*(entry.facts.tools for entry in graph.nodes.values()))


def _declared(graph: GraphParts) -> Iterator[tuple[str, NodeFacts]]:
    """List the nodes whose settings the definition has; of one in Python it has nothing but the name."""
    for entry in graph.nodes.values():
        if entry.settings is not None:
            yield entry.name, entry.facts


def _named(graph: GraphParts) -> Iterator[str]:
    for _, facts in _declared(graph):
        yield from facts.handlers
    for tool in graph.tools.values():
        if tool.tool is None and tool.handler is not None:
            yield tool.handler
    for edge in graph.edges:
        condition = bare(edge.condition)
        if isinstance(condition, HandlerPredicate):
            yield condition.ref


def resolve_handler(ref: str, sources: Sources) -> Callable[..., Any]:
    """Import the function that ``ref`` names, from what was read when its trust was looked at.

    Args:
        ref: ``module:function``.
        sources: The modules of the graph's handlers, as ``require_trust`` has compared them.

    Raises:
        HandlerError: There is no such module or function, it cannot be called, or the module does not
            import.
    """
    return function_of(ref, resolve_object(ref, sources))


def function_of(ref: str, found: object) -> Callable[..., Any]:
    """Give what was found under ``ref`` as a function.

    Raises:
        HandlerError: It cannot be called.
    """
    if not callable(found):
        raise HandlerError(
            f"the handler {ref!r} is {type(found).__name__} {ref.split(':')[1]!r}, which cannot be called",
            hint="name a function",
        )
    return found


def resolve_object(ref: str, sources: Sources) -> object:
    """Import whatever ``ref`` names, as ``resolve_handler`` does with a function.

    Raises:
        HandlerError: There is no such module or name, or the module does not import.
    """
    if not is_handler(ref):
        raise HandlerError(f"the handler {ref!r} is not written as module:function", hint=HANDLER_HINT)
    name, function = ref.split(":")
    module = _imported(name, sources)
    try:
        return getattr(module, function)
    except AttributeError:
        own = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        where = getattr(module, "__file__", None) or name
        raise HandlerError(
            f"the handler {ref!r} is not there: {where} has no {function!r}",
            hint=did_you_mean(function, own, listing="it has") or f"define {function} in it",
        ) from None


def _imported(name: str, sources: Sources) -> ModuleType:
    from .importing import load_module

    beside = name not in sources.elsewhere
    try:
        return load_module(name, sources) if beside else import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if not beside and missing is not None and f"{name}.".startswith(f"{missing}."):
            raise _missing(name, sources.folder) from None
        from .import_failures import import_failure  # only where something is wrong

        failure = import_failure(error, sources.folder)
        message = f"the handler module {name!r} {failure.message}{failure.where}"
        raise HandlerError(message, hint=failure.hint) from error


def _missing(name: str, base: Path | None) -> HandlerError:
    if base is None:
        return HandlerError(f"there is no module {name!r} on the Python path", hint="is it installed?")
    beside = sorted(path.stem for path in base.glob("*.py"))
    return HandlerError(
        f"there is no module {name!r}: neither in {base} nor on the Python path",
        hint=did_you_mean(name, beside, listing="the folder has") or f"make {name}.py beside the graph file",
    )
