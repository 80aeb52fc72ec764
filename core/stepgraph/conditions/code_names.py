"""What the source of a predicate names of the run, such as keys of the state: it is read, never called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from textwrap import dedent
from typing import Any, Literal, TypeAlias

from ..expressions.explaining import MISSING, Missing
from ..expressions.tree import path_text, step_text
from ..values.json_values import Json, copy_json
from .base import RoutingContext

Part: TypeAlias = str | int
_Function: TypeAlias = ast.FunctionDef | ast.Lambda

_LONGEST = 50_000  # characters of a source; nobody reads a longer one in an explanation
_MOST = 20  # names
_ENDS = 200  # places where a piece of code may end
_STATE, _VISITS = "state", "visits"
_FACTS = {"state": _STATE, "values": _STATE, "visits": _VISITS, "last_output": "last_output", "step": "step"}
_LAMBDA = re.compile(r"\blambda\b")
_END = re.compile(r"[,)\]}\n#]")


@dataclass(frozen=True, slots=True)
class NamedInCode:
    """Something of the run that code names."""

    what: str
    """``state``, ``visits``, ``last_output`` or ``step``."""
    path: tuple[Part, ...] = ()
    """Where in it: a key and parts of its value, or a node."""

    @property
    def text(self) -> str:
        """It as conditions spell it: ``order.amount``, ``visits.draft``."""
        if self.what == _STATE:
            return path_text(self.path)
        return self.what + "".join(map(step_text, self.path))

    def value_in(self, context: RoutingContext) -> Json | Literal[Missing.MISSING]:
        """Look it up, as a copy; ``MISSING`` where there is none."""
        found: Any = context.values if self.what == _STATE else getattr(context, self.what)
        for part in self.path:
            try:
                found = found[part]
            except (LookupError, TypeError):
                return MISSING
        value: Json = copy_json(found)
        return value


@dataclass(frozen=True, slots=True)
class CodeNames:
    """A function as its source has it."""

    function: str
    """Its name; that of its class where that is called, ``<lambda>`` for one without a name."""
    names: tuple[NamedInCode, ...]
    """What it names, in order: the first ones, where it names very many."""


@lru_cache(256)
def names_in(lines: tuple[str, ...]) -> CodeNames | None:
    """Find out what a function names: constants by which it looks into its routing context.

    Args:
        lines: Its source, as ``inspect`` gives it: a function, a class that is called, or the lines around a
            lambda.

    Returns:
        What it names; None where the lines are no Python, or have more than one lambda.
    """
    text = dedent("\n".join(lines))
    if len(text) > _LONGEST:
        return None
    try:
        name, function = _function_in(text)
        return CodeNames(name, tuple(dict.fromkeys(_Names(function).found))[:_MOST])
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _function_in(text: str) -> tuple[str, _Function]:
    """Find the one function that a piece of code has.

    Raises:
        SyntaxError: There is none, or it is ambiguous.
    """
    try:
        first = ast.parse(text).body[:1]
    except SyntaxError:  # the lines around a lambda are rarely a whole statement
        first = []
    match first:
        case [ast.FunctionDef(name=name) as function]:
            return name, function
        case [ast.ClassDef(name=name, body=body)]:
            methods = (each for each in body if isinstance(each, ast.FunctionDef))
            called = next((each for each in methods if each.name == "__call__"), None)
            if called is not None:
                return name, called
            raise SyntaxError("the class is not called")
        case _:
            return "<lambda>", _lambda_in(text)


def _lambda_in(text: str) -> ast.Lambda:
    """Find the one lambda in some lines, which may begin and end in the middle of a statement.

    Raises:
        SyntaxError: There is none, or another one that is not inside of it.
    """
    words = [each.start() for each in _LAMBDA.finditer(text)]
    if words:
        rest = text[words[0] :]
        ends = [len(rest), *(each.start() for each in reversed([*_END.finditer(rest)][:_ENDS]))]
        for end in ends:
            try:
                piece = ast.parse(f"({rest[:end]}\n)", mode="eval").body
            except SyntaxError:
                continue
            found = next((each for each in ast.walk(piece) if isinstance(each, ast.Lambda)), None)
            if found is not None and sum(isinstance(each, ast.Lambda) for each in ast.walk(found)) == len(
                words
            ):
                return found
            break
    raise SyntaxError("not one lambda")


class _Names(ast.NodeVisitor):
    """Collects what a function names.

    Args:
        function: The function. Each of its arguments may be the routing context.
    """

    def __init__(self, function: _Function) -> None:
        self.found: list[NamedInCode] = []
        given = function.args
        arguments = (*given.posonlyargs, *given.args, *given.kwonlyargs)
        self._known: dict[str, tuple[Part, ...] | None] = {
            each.arg: () for each in arguments if each.arg not in ("self", "cls")
        }
        self._learn(function)
        for part in function.body if isinstance(function, ast.FunctionDef) else [function.body]:
            self.visit(part)

    def _learn(self, function: _Function) -> None:
        """Learn the names that the function gives to parts of the context: ``state = context.state``."""
        for each in ast.walk(function):
            match each:
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.NamedExpr(target=ast.Name(id=name), value=value)
                ):
                    path = self._path(value)
                    # One that is given to several things may mean either of them.
                    self._known[name] = path if self._known.get(name, path) == path else None

    def visit(self, node: ast.AST) -> None:
        """Record what an expression names, and look into whatever else is in it."""
        for path in self._named_by(node):
            if len(path) > 1 or path[0] != _STATE:
                self.found.append(NamedInCode(str(path[0]), path[1:]))
                for inner in _beside(node):
                    self.visit(inner)
                return
        self.generic_visit(node)

    def _named_by(self, node: ast.AST) -> Iterator[tuple[Part, ...]]:
        match node:
            case ast.Compare(
                left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()], comparators=[table]
            ):
                path = self._path(table)
                if path in ((_STATE,), (_VISITS,)):
                    yield (*path, key)
            case ast.Attribute() | ast.Subscript() | ast.Call():
                path = self._path(node)
                if path:
                    yield path

    def _path(self, node: ast.expr) -> tuple[Part, ...] | None:
        """Find where in the context an expression looks; None for any other."""
        match node:
            case ast.Name(id=name):
                return self._known.get(name)
            case ast.NamedExpr(value=value):
                return self._path(value)
            case ast.Attribute(value=value, attr=attribute) if attribute in _FACTS:
                return (_FACTS[attribute],) if self._path(value) == () else None
            case (
                ast.Subscript(value=value, slice=ast.Constant(value=str() | int() as part))
                | ast.Call(
                    func=ast.Attribute(value=value, attr="get"), args=[ast.Constant(value=str() as part), *_]
                )
            ) if not isinstance(part, bool):
                path = self._path(value)
                return (*path, part) if path and path[0] in (_STATE, _VISITS) else None
        return None


def _beside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what is beside a chain of lookups: what ``get`` gives where nothing is there."""
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=value), args=[_, *others], keywords=keywords):
                yield from others
                yield from keywords
                node = value
            case ast.Attribute(value=value) | ast.Subscript(value=value):
                node = value
            case _:
                return
