"""The names in a template: those that it reads from outside, and those that it sets itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.lexer import TokenStream
from jinja2.parser import Parser
from jinja2.visitor import NodeVisitor

from .render_budget import GUARDS

_BLANK = ("whitespace", "comment", "comment_begin", "comment_end")
_LITERALS = ("float", "integer", "string")
_Piece = tuple[int, str, str]
"""A line, a kind and a text, as Jinja2's lexer has them."""


class PlacedName(str):
    """A name, and where it is in the template."""

    __slots__ = ("at",)
    at: int


def parsed_with_places(text: str, env: jinja2.Environment) -> nodes.Template:
    """Parse a template so that the names in the tree are those of ``PlacedName``.

    Raises:
        TemplateSyntaxError: It does not parse.
    """
    return _parsed(env, (piece for _, piece in _pieces(text, env)))


def place_of_error(text: str, env: jinja2.Environment) -> int:
    """Find what the parser stopped at, in a template that does not parse."""
    at = 0

    def followed() -> Iterator[_Piece]:
        nonlocal at
        end = 0
        try:
            for start, piece in _pieces(text, env):
                if piece[1] not in _BLANK:
                    at = start
                end = start + len(piece[2])
                yield piece
        except jinja2.TemplateSyntaxError:  # it is not a token that is here
            at = end + len(text[end:]) - len(text[end:].lstrip())
            raise
        at = len(text.rstrip())

    with suppress(jinja2.TemplateSyntaxError):
        _parsed(env, followed())
    return at


def place_of_word(text: str, word: str, line: int, env: jinja2.Environment) -> int:
    """Find a word in a line, or else the beginning of the line; a name knows where it is."""
    if isinstance(word, PlacedName):
        return word.at
    places = (at for at, (number, _, value) in _pieces(text, env) if number == line and value == word)
    return next(places, start_of_line(text, line))


def start_of_line(text: str, number: int) -> int:
    """Find the first sign of a line, counted from 1."""
    *before, line = _with_newlines(text).split("\n")[:number]
    return sum(len(each) + 1 for each in before) + len(line) - len(line.lstrip())


def _with_newlines(text: str) -> str:
    """Normalize line ends to newlines, as Jinja2 does, but of the same length, so that offsets stay."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _pieces(text: str, env: jinja2.Environment) -> Iterator[tuple[int, _Piece]]:
    """Yield the pieces of a template, each with its place; names know it themselves."""
    text = _with_newlines(text)
    end = 0
    for line, kind, value in env.lexer.tokeniter(text, None):
        start = text.index(value, end)  # the lexer leaves out nothing but blanks
        end = start + len(value)
        if kind == "name":
            value = PlacedName(value)
            value.at = start
        elif kind in _LITERALS:
            _check_literal(kind, value, line)
        yield start, (line, kind, value)


def _check_literal(kind: str, literal: str, line: int) -> None:
    """Refuse a number or a text that no state can hold.

    Raises:
        TemplateSyntaxError: It is one.
    """
    if kind == "string":
        if "\\" in literal and any("\ud800" <= char <= "\udfff" for char in content(literal)):
            raise jinja2.TemplateSyntaxError("an unpaired surrogate: write the character itself", line)
    elif len(literal) > 4_000 or (kind == "float" and math.isinf(float(literal))):
        raise jinja2.TemplateSyntaxError(f"the number {literal:.20} is too large", line)


def content(literal: str) -> str:
    """Read a text in quotes."""
    return literal[1:-1].encode("ascii", "backslashreplace").decode("unicode-escape")


def _parsed(env: jinja2.Environment, pieces: Iterator[_Piece]) -> nodes.Template:
    parser = Parser(env, "")
    parser.stream = TokenStream(env.lexer.wrap(pieces), None, None)
    return parser.parse()


Path = tuple[str | int, ...]


class Names(NodeVisitor):
    """The names of one template, collected by visiting its tree."""

    def __init__(self) -> None:
        self.free: list[PlacedName] = []
        """What it takes from outside, each as often as it is there."""
        self.paths: dict[Path, bool] = {}
        """The longest static paths that it reads, in their order, each with whether it cannot do without."""
        self.bound: set[str] = set()
        """What it sets itself."""
        self.unclear: set[str] = set()
        """What it reads from outside unless it has set it itself, in one branch of several."""
        self._local: set[str] = set()
        self._unsure: set[str] = set()
        self._there: set[Path] = set()
        """The paths that are there for certain, where it is: a test has found them."""

    def get_visitor(self, node: nodes.Node) -> Callable[..., Any] | None:
        """Find the method that visits such a part of a template."""
        return getattr(self, f"_{type(node).__name__.lower()}", None)

    def _name(self, node: nodes.Name) -> None:
        if node.ctx != "load":
            self.bound.add(node.name)
            self._local.add(node.name)
            self._unsure.discard(node.name)
        else:
            self._path(node)

    def _getattr(self, node: nodes.Getattr) -> None:
        self._path(node)

    def _getitem(self, node: nodes.Getitem) -> None:
        self._path(node)

    def _filter(self, node: nodes.Filter) -> None:
        self._guarded(node)

    def _test(self, node: nodes.Test) -> None:
        self._guarded(node)

    def _call(self, node: nodes.Call) -> None:
        if isinstance(node.node, nodes.Getattr):
            self.visit(node.node.node)
        self._each(*node.args, *node.kwargs)

    def _assign(self, node: nodes.Assign) -> None:
        self._each(node.node, node.target)

    def _assignblock(self, node: nodes.AssignBlock) -> None:
        with self._scope():
            self._each(*node.body)
        self._each(node.target)

    def _for(self, node: nodes.For) -> None:
        self._each(node.iter)
        with self._scope("loop"):
            self._each(node.target, node.test, *node.body)
        with self._scope():
            self._each(*node.else_)

    def _if(self, node: nodes.If) -> None:
        self._each(node.test)
        before, branches = self._local, []
        found, lacking = _tested(node.test)
        for branch, there in ((node.body, found), (node.elif_, lacking), (node.else_, lacking)):
            with self._scope(), self._knowing(there):
                self._each(*branch)
                branches.append(self._local)
        body, elifs, other = branches
        self._local = body | elifs | other
        surely = body & other if not node.elif_ else set()
        self._unsure |= self._local - before - surely

    def _and(self, node: nodes.And) -> None:
        self._each(node.left)
        with self._knowing(_tested(node.left)[0]):
            self._each(node.right)

    def _or(self, node: nodes.Or) -> None:
        self._each(node.left)
        with self._knowing(_tested(node.left)[1]):
            self._each(node.right)

    def _condexpr(self, node: nodes.CondExpr) -> None:
        self._each(node.test)
        for part, there in zip((node.expr1, node.expr2), _tested(node.test), strict=True):
            with self._knowing(there):
                self._each(part)

    def _path(self, node: nodes.Name | nodes.Getattr | nodes.Getitem, needed: bool = True) -> None:
        parts: list[str | int] = []
        here: nodes.Node = node
        while isinstance(here, (nodes.Getattr, nodes.Getitem)):
            part = _part(here)
            if part is not None:
                parts.append(part)
            elif isinstance(here, nodes.Getitem):
                parts.clear()
                self.visit(here.arg)
            here = here.node
        if not isinstance(here, nodes.Name):
            self.visit(here)
        elif here.name in self._local:
            if here.name in self._unsure:
                self.unclear.add(here.name)
        elif isinstance(here.name, PlacedName):
            self.free.append(here.name)
            path = (here.name, *reversed(parts))
            needed = needed and not any(path[: len(there)] == there for there in self._there)
            self.paths[path] = needed or self.paths.get(path, False)

    def _guarded(self, node: nodes.Filter | nodes.Test) -> None:
        """Visit a filter or a test; some take a value that may be missing."""
        inner = node.node
        if node.name in GUARDS and isinstance(inner, (nodes.Name, nodes.Getattr, nodes.Getitem)):
            self._path(inner, needed=False)
        else:
            self._each(inner)
        self._each(*node.args, *node.kwargs)

    def _each(self, *parts: nodes.Node | None) -> None:
        for part in parts:
            if part is not None:
                self.visit(part)

    @contextmanager
    def _knowing(self, paths: set[Path]) -> Iterator[None]:
        before, self._there = self._there, self._there | paths
        yield
        self._there = before

    @contextmanager
    def _scope(self, *names: str) -> Iterator[None]:
        """Forget after a block what is bound within it."""
        before, unsure = self._local, self._unsure
        self._local, self._unsure = {*before, *names}, unsure - set(names)
        self.bound |= set(names)
        yield
        self._local, self._unsure = before, unsure


def second_parts(root: str, paths: Iterable[Path]) -> frozenset[str]:
    """Collect the second parts of the paths that begin with a name."""
    return frozenset(str(path[1]) for path in paths if path[0] == root and len(path) > 1)


def _tested(test: nodes.Node) -> tuple[set[Path], set[Path]]:
    """Find the paths that are there where a test holds, and those that are there where it does not."""
    if isinstance(test, nodes.Not):
        return _tested(test.node)[::-1]
    if isinstance(test, nodes.And):
        return _tested(test.left)[0] | _tested(test.right)[0], set()
    if isinstance(test, nodes.Or):
        return set(), _tested(test.left)[1] | _tested(test.right)[1]
    if not isinstance(test, nodes.Test) or test.name not in ("defined", "undefined"):
        return set(), set()
    path = _static_path(test.node)
    found = {path} if path else set()
    return (found, set()) if test.name == "defined" else (set(), found)


def _static_path(node: nodes.Node) -> Path:
    """Read a path that has no computed part; any other is empty."""
    if isinstance(node, nodes.Name):
        return (node.name,)
    if not isinstance(node, (nodes.Getattr, nodes.Getitem)):
        return ()
    part, above = _part(node), _static_path(node.node)
    return (*above, part) if above and part is not None else ()


def _part(node: nodes.Getattr | nodes.Getitem) -> str | int | None:
    """Return the key or the position that a lookup names; None where it computes one."""
    if isinstance(node, nodes.Getattr):
        return node.attr
    if isinstance(node.arg, nodes.Const) and type(node.arg.value) in (str, int):
        return node.arg.value  # type: ignore[no-any-return]  # as was looked at
    return None
