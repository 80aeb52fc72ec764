"""Where the predicates of a graph are written, as far as that can be read without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..conditions import HandlerPredicate, Opaque
from ..conditions.scoped import bare
from ..nodes.source_lines import SourceLines
from ..values.handler_names import is_handler
from .graph_refs import graph_ref
from .sources import SourceFile, read_files, read_sources

if TYPE_CHECKING:
    from ..graphs.parts import Edge
    from ..graphs.plan import CompiledGraph

_LARGEST = 300_000  # characters of a module; a larger one takes too long to parse for who only looks
_EDGES = frozenset({"add_edge", "add_conditional_edge"})


def written_lines(plan: CompiledGraph, edge: Edge) -> SourceLines | None:
    """Find the function that a file names for an edge, or that a module gives to the call that adds it.

    Args:
        plan: The graph; its ``source`` says where it is.
        edge: An edge of it.

    Returns:
        The lines, as they are now; None where that cannot be told from the text alone.
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


def parsed(text: str) -> ast.Module:
    """Parse a module; a text that is not Python has nothing in it."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def _text(file: SourceFile | None) -> str:
    """Give the text of a module, unless there is none, or too much of it."""
    text = file.text if file is not None else None
    return text if text is not None and len(text) <= _LARGEST else ""


@lru_cache(2)
def _parsed(text: str) -> ast.Module:
    """Parse a module once for all of its edges."""
    return parsed(text)


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
