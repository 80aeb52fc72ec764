"""What a function takes, read out of its source: nothing is imported, and nothing runs."""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path

from ..models.client import ToolSpec
from ..values.json_values import Json
from .functions import KEY_PARAMETER, documented

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
