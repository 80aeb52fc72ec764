"""What an expression is once it is parsed: a small immutable tree of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from ..values.json_values import Json

Operator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]


class Constant(NamedTuple):
    """A value written in the expression; tuples are lists already."""

    text: str
    value: Json


class Path(NamedTuple):
    """A way into the state."""

    text: str
    key: str
    """The top-level key."""
    parts: tuple[str | int, ...] = ()
    """Keys of tables and positions in lists, from there on."""


class RunFact(NamedTuple):
    """Something about the run that is no part of the state."""

    text: str
    name: Literal["last_output", "step"]


class Visits(NamedTuple):
    """How often a node has been visited."""

    text: str
    node: str


class Compare(NamedTuple):
    """A comparison of two operands."""

    text: str
    left: Tree
    operator: Operator
    right: Tree


class IsNone(NamedTuple):
    """``is None``, or ``is not None`` when negated: the one question that a missing path may be asked."""

    text: str
    operand: Tree
    negated: bool


class Not(NamedTuple):
    """``not`` before a part."""

    text: str
    part: Tree


class Group(NamedTuple):
    """Parts joined by ``and`` (also the links of a chained comparison) or ``or``."""

    text: str
    word: Literal["and", "or"]
    parts: tuple[Tree, ...]


Operand: TypeAlias = Constant | Path | RunFact | Visits
Tree: TypeAlias = Operand | Compare | IsNone | Not | Group


def operands(tree: Tree) -> Iterator[Operand]:
    """Yield every operand of the tree, from left to right."""
    if isinstance(tree, Compare):
        yield from operands(tree.left)
        yield from operands(tree.right)
    elif isinstance(tree, IsNone):
        yield from operands(tree.operand)
    elif isinstance(tree, Not):
        yield from operands(tree.part)
    elif isinstance(tree, Group):
        for part in tree.parts:
            yield from operands(part)
    else:
        yield tree
