"""What is known of tools by reading their source: for checks and forms; nothing is imported or run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..models.client import ToolSpec
from ..values.errors import StepgraphError
from ..values.json_values import Json
from .functions import KEY_PARAMETER, documented

if TYPE_CHECKING:
    from .protocols import ToolEntry
    from .registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class KnownTools:
    """Tools by their full names, as far as somebody has described them."""

    specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    servers: frozenset[str] | None = None
    """The servers that are configured here; None where nobody has looked."""


def known_tools(
    entries: Iterable[ToolEntry], folder: Path | None, registry: ToolRegistry | None = None
) -> KnownTools:
    """Collect what is known of tools; no server is started, and nothing is imported.

    Args:
        entries: The tools that a graph declares.
        folder: The graph file's folder; None where there is none.
        registry: The tools of servers.
    """
    specs = {}
    sources = registry.sources if registry is not None else {}
    for server, source in sources.items():
        for spec in source.known() or ():
            name = f"{server}/{spec.name}"
            specs[name] = replace(spec, name=name)
    for entry in entries:
        found = _declared(entry, folder)
        if found is not None:
            specs[entry.name] = found
    return KnownTools(specs, frozenset(sources) if registry is not None else None)


def _declared(entry: ToolEntry, folder: Path | None) -> ToolSpec | None:
    if entry.tool is not None:  # a program has made it, and brought its code
        from .registry import ToolRegistry

        registry = ToolRegistry()
        with suppress(StepgraphError):  # what is wrong with it is told by who runs the graph
            registry.register(entry.name, entry.tool)
            return registry.spec(entry.name)
        return None
    if entry.command is not None:
        from .commands import CommandTool

        return CommandTool(entry.name, entry.command, folder, entry.note).spec()
    if entry.handler is not None and folder is not None:
        return spec_in_source(entry.name, entry.handler, folder)
    return None


_LARGEST = 1_000_000  # bytes of a module
_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}


def spec_in_source(name: str, handler: str, folder: Path) -> ToolSpec | None:
    """Describe the tool that is a function of a module beside a graph file.

    Args:
        name: The tool's name.
        handler: Where its function is, as ``module:function``.
        folder: The graph file's folder.

    Returns:
        What is there of its arguments; None where that cannot be read, or is not a plain function.
    """
    module, _, function = handler.partition(":")
    file = folder.joinpath(*module.split(".")).with_suffix(".py")
    try:
        known = file.stat()
        functions = _functions(file, known.st_mtime_ns, known.st_size) if known.st_size <= _LARGEST else []
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    for node in functions:
        if node.name == function and not node.decorator_list:
            return _spec(name, node)
    return None


@lru_cache(maxsize=32)  # a design is checked with each edit, and its modules stay as they are
def _functions(file: Path, changed: int, size: int) -> list[ast.FunctionDef]:
    return [node for node in ast.parse(file.read_bytes()).body if isinstance(node, ast.FunctionDef)]


def _spec(name: str, function: ast.FunctionDef) -> ToolSpec:
    about, notes = documented(ast.get_docstring(function) or "")
    takes = function.args
    named = [*takes.args, *takes.kwonlyargs]
    without: list[ast.expr | None] = [None] * (len(takes.args) - len(takes.defaults))
    defaults = [*without, *takes.defaults, *takes.kw_defaults]
    properties: dict[str, Json] = {}
    required: list[Json] = []
    for argument, default in zip(named, defaults, strict=True):
        if argument.arg == KEY_PARAMETER:
            continue
        described: dict[str, Json] = {"description": notes[argument.arg]} if argument.arg in notes else {}
        hint = argument.annotation
        if isinstance(hint, ast.Subscript):
            hint = hint.value
        if isinstance(hint, ast.Name) and hint.id in _TYPES:
            described["type"] = _TYPES[hint.id]
        properties[argument.arg] = described
        if default is None:
            required.append(argument.arg)
    schema: dict[str, Json] = {"type": "object", "properties": properties, "required": required}
    return ToolSpec(name, about, {**schema, "additionalProperties": takes.kwarg is not None})
