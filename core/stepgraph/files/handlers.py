"""Handlers: Python functions that a graph names as ``module:function``.

Naming one imports nothing; ``resolve_handler`` does, when a trusted graph is about to run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..conditions import HandlerPredicate, Opaque
from ..conditions.base import bare
from ..graphs.parts import GraphParts
from ..nodes.handler import SourceLines
from ..values.errors import HandlerError
from ..values.handler_names import HANDLER_HINT, is_handler
from ..values.problems import did_you_mean
from .graph_refs import graph_ref
from .importing import SourceFile, import_failure, load_module, read_files, read_sources

if TYPE_CHECKING:
    from ..graphs.parts import Edge
    from ..graphs.plan import CompiledGraph
    from ..nodes.base import NodeFacts
    from .importing import Sources


def handler_refs(graph: GraphParts) -> list[str]:
    """List the handlers that the graph's definition names, in order, each once.

    A node that was added as a Python object does not count: the program that made it brought its code.
    """
    return list(dict.fromkeys(ref for ref in _declared_handlers(graph) if is_handler(ref)))


def addresses_of(graph: GraphParts) -> list[str]:
    """Describe what the nodes that the graph's definition declares do on the network, each with its node.

    Its name is quoted where it is more than a word, so that it passes for no other address.
    """
    return [
        f"node {quote(name)}: {address}" for name, facts in _declared(graph) for address in facts.addresses
    ]


def server_tools_of(graph: GraphParts) -> list[str]:
    """List the tools of the user's servers that the graph's definition names, each once.

    One that it declares is among them: scripted answers stand in for it until a run is live.
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


def _declared_handlers(graph: GraphParts) -> Iterator[str]:
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
    """Return what was found under ``ref`` as a function.

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
    beside = name not in sources.elsewhere
    try:
        return load_module(name, sources) if beside else import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if not beside and missing is not None and f"{name}.".startswith(f"{missing}."):
            raise _missing(name, sources.folder) from None
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


_LARGEST = 300_000  # characters of a module; a larger one takes too long to parse for a look
_EDGES = frozenset({"add_edge", "add_conditional_edge"})


def written_lines(plan: CompiledGraph, edge: Edge) -> SourceLines | None:
    """Find the function that a file names for an edge, or that a module gives to the call that adds it.

    Args:
        plan: The graph; its ``source`` says where it is.
        edge: An edge of it.

    Returns:
        The lines, as they are now; None where the text alone does not show them.
    """
    condition, ref = bare(edge.condition), graph_ref(plan.source)
    if isinstance(condition, HandlerPredicate) and plan.source is not None:
        if not is_handler(condition.ref):  # a store may name anything, such as a path
            return None
        module, _, name = condition.ref.partition(":")
        folder = ref.folder if ref is not None else plan.source.parent
        return _function(read_sources([module], folder).parts.get(module), name)
    if ref is None or condition is not edge.condition or not isinstance(condition, Opaque):
        return None
    file = read_files({ref.module: ref.file}, ref.folder).parts[ref.module]
    calls = _edge_calls(_text(file), edge.source, edge.target)
    alike = [each for each in plan.edges if (each.source, each.target) == (edge.source, edge.target)]
    if len(calls) != len(alike):  # they are added in a loop, or to several graphs
        return None
    call = calls[alike.index(edge)]
    given = [*call.args[2:3], *(each.value for each in call.keywords if each.arg == "when")]
    match given:
        case [ast.Lambda() as found]:
            return _lines(file, found)
        case [ast.Name(id=name)]:
            return _function(file, name)
    return None


def edge_calls(module: ast.Module, source: str, target: str) -> Iterator[ast.Call]:
    """Yield the calls that add an edge between two nodes which they name, in the order of their lines."""
    return (call for call in calls_of(module, _EDGES) if words_of(call) == [source, target])


def calls_of(module: ast.Module, names: frozenset[str]) -> Iterator[ast.Call]:
    """Yield the calls of methods of these names, in the order of their lines."""
    found = (
        each
        for each in ast.walk(module)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr in names
    )
    return iter(sorted(found, key=lambda call: call.lineno))


def words_of(call: ast.Call) -> list[str]:
    """Read the first two arguments of a call; END by its name or its value, empty for what is not text."""
    words = []
    for argument in call.args[:2]:
        match argument:
            case ast.Constant(value=str(value)):
                words.append("END" if value == "__END__" else value)
            case ast.Name(id="END") | ast.Attribute(attr="END"):
                words.append("END")
            case _:
                words.append("")
    return words


def parsed_module(text: str) -> ast.Module:
    """Parse a module; a text that is not Python has nothing in it."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _text(file: SourceFile | None) -> str:
    """Return the text of a module, unless it is missing or too large."""
    text = file.text if file is not None else None
    return text if text is not None and len(text) <= _LARGEST else ""


@lru_cache(2)
def _parsed(text: str) -> ast.Module:
    """Parse a module once for all of its edges."""
    return parsed_module(text)


@lru_cache(256)
def _edge_calls(text: str, source: str, target: str) -> tuple[ast.Call, ...]:
    """Find calls once: whoever watches a run asks for the same edge at each step."""
    return tuple(edge_calls(_parsed(text), source, target))


def _function(file: SourceFile | None, name: str) -> SourceLines | None:
    """Find the one function or lambda of a name at the top of a module."""
    found: list[ast.stmt] = []
    for each in _parsed(_text(file)).body:
        match each:
            case (
                ast.FunctionDef(name=known) | ast.Assign(targets=[ast.Name(id=known)], value=ast.Lambda())
            ) if known == name:
                found.append(each)
    return _lines(file, found[0]) if len(found) == 1 else None


def _lines(file: SourceFile | None, node: ast.stmt | ast.expr) -> SourceLines | None:
    if file is None or file.text is None:
        return None
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    lines = file.text.split("\n")[first - 1 : node.end_lineno]
    return SourceLines(Path(file.path), first, tuple(line.rstrip("\r") for line in lines))
