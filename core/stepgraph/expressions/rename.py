"""Renaming what a condition names: its text stays as it was written but for the names themselves."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from ..values.errors import ExpressionError
from .parsing import parse, python_tree
from .tree import (
    FOREIGN_WORDS,
    HIDDEN,
    Operand,
    Path,
    Visits,
    in_quotes,
    named_in,
    operands,
    step_text,
    written_key,
)

_Change: TypeAlias = tuple[int, int, str]
"""From where to where (in characters), and what is there then."""


def with_keys(text: str, names: Mapping[str, str]) -> str:
    """Rename keys of the state in a condition; one that does not parse is left as it is.

    Args:
        text: The condition.
        names: The new name of each key that gets one.

    Raises:
        ExpressionError: With the new names it would not parse.
    """
    return _renamed(text, names, _Source.keys, lambda part: part.key if isinstance(part, Path) else None)


def with_nodes(text: str, names: Mapping[str, str]) -> str:
    """Rename the nodes whose visits a condition asks for; else as ``with_keys``.

    Raises:
        ExpressionError: With the new names it would not parse.
    """
    if "visits" not in text and text.isascii():
        return text
    return _renamed(text, names, _Source.visits, lambda part: part.node if isinstance(part, Visits) else None)


def _renamed(
    text: str,
    names: Mapping[str, str],
    changes: Callable[[_Source, Mapping[str, str]], Iterator[_Change]],
    named: Callable[[Operand], str | None],
) -> str:
    # Python folds the spelling of names, and a text in quotes may have escapes.
    if text.isascii() and "\\" not in text and not named_in(text, names):
        return text
    try:
        before = parse(text)
        source = _Source(text)
    except ExpressionError:
        return text
    for start, end, new in sorted(changes(source, names), reverse=True):
        text = text[:start] + new + text[end:]
    wanted = [names.get(name, name) if name is not None else None for name in map(named, operands(before))]
    if [named(part) for part in operands(parse(text))] != wanted:
        raise ExpressionError("its names would mean something else", text=text, hint="rewrite it by hand")
    return text


class _Source:
    """A condition with the places of its names.

    Args:
        text: The condition.

    Raises:
        ExpressionError: It does not parse.
    """

    def __init__(self, text: str) -> None:
        self._line, self._indent, self._tree = python_tree(text)
        self._bytes = self._line[self._indent :].encode()

    def keys(self, names: Mapping[str, str]) -> Iterator[_Change]:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Name) and node.id not in HIDDEN and node.id not in FOREIGN_WORDS:
                if node.id in names:
                    yield *self._span(node), written_key(names[node.id])
            else:
                yield from self._parts("state", node, names)

    def visits(self, names: Mapping[str, str]) -> Iterator[_Change]:
        for node in ast.walk(self._tree):
            yield from self._parts("visits", node, names)

    def _parts(self, root: str, node: ast.AST, names: Mapping[str, str]) -> Iterator[_Change]:
        """Change ``root.name`` and ``root["name"]``, each as it was written where the new name allows it."""
        match node:
            case ast.Attribute(value=ast.Name(id=name) as value, attr=old) if name == root and old in names:
                yield self._span(value)[1], self._span(node)[1], step_text(names[old])
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as old) as literal):
                if name == root and old in names:
                    start, end = self._span(literal)
                    yield start, end, in_quotes(names[old], self._line[start:end])

    def _span(self, node: ast.expr) -> tuple[int, int]:
        return self._place(node.col_offset), self._place(node.end_col_offset or node.col_offset)

    def _place(self, column: int) -> int:
        """Convert a column: Python counts bytes of what it parsed, people characters of it all."""
        return self._indent + len(self._bytes[:column].decode())
