"""The Python source of what a graph runs: the lines of a node's function, an edge's predicate, a tool."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, TypeAlias

from ..conditions import Condition
from ..conditions.scoped import bare
from .base import BaseNode
from .scoped import inmost

_OURS = __name__.partition(".")[0]
_Written: TypeAlias = FunctionType | type[Any]


@dataclass(frozen=True, slots=True)
class SourceLines:
    """A piece of a Python file, as it was when it was imported."""

    file: Path
    first: int
    """The number of its first line, from 1."""
    lines: tuple[str, ...]
    """The lines as they are in the file, indents included, without their ends."""


def source_lines(part: object) -> SourceLines | None:
    """Find the lines in which a person wrote what a node, a condition or a tool runs.

    Behind what wraps it (partials, bound methods, ``functools.wraps``) is the function that was written; of
    an object it is the class.

    Args:
        part: A node's or tool's function, class or object, or the condition of an edge.

    Returns:
        The lines; None for what no file has: built-in functions, what was typed in a shell, conditions that
        are no Python, nodes of the types that Stepgraph brings.
    """
    written = _written(part)
    if written is None or (getattr(written, "__module__", None) or "").partition(".")[0] == _OURS:
        return None
    shown = written.__code__ if isinstance(written, FunctionType) else written
    try:
        file = inspect.getsourcefile(shown)
        lines, first = inspect.getsourcelines(shown)
    except (OSError, TypeError, SyntaxError, IndexError):  # the last two: the file is another one by now
        return None
    if file is None:
        return None
    return SourceLines(Path(file), max(1, first), tuple(line.rstrip("\r\n") for line in lines))


def _written(part: object) -> _Written | None:
    """Follow what wraps a function to the function or class that a person wrote."""
    found = part
    for _ in range(100):  # a wrapper can be made to wrap itself
        inner = _inside(found)
        if inner is found:
            break
        found = inner
    if isinstance(found, FunctionType | type):
        return found
    return None if inspect.isbuiltin(found) or found is None else type(found)


def _inside(found: object) -> object:
    """Take one wrapping off; what has none is given back."""
    match found:
        case Condition():
            return getattr(bare(found), "function", None)
        case partial():
            return found.func
        case MethodType():
            return found.__func__
        case BaseNode():
            inner = inmost(found)
            return getattr(inner, "function", None) or type(inner)
        case _ if inspect.isclass(found):
            return found
        case _:
            try:
                return getattr(found, "__wrapped__", found)
            except Exception:  # an object of theirs may answer for its attributes, and not well
                return found
