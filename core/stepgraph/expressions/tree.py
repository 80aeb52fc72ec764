"""What an expression is once it is parsed: a small immutable tree of its own."""

from __future__ import annotations

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
    """Something about the run that is not part of the state."""

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


def operands(tree: Tree) -> list[Operand]:
    """List every operand of the tree, from left to right."""
    found: list[Operand] = []
    rest: list[Tree] = [tree]
    while rest:
        part = rest.pop()
        if isinstance(part, Compare):
            rest += (part.right, part.left)
        elif isinstance(part, IsNone):
            rest.append(part.operand)
        elif isinstance(part, Not):
            rest.append(part.part)
        elif isinstance(part, Group):
            rest += part.parts[::-1]
        else:
            found.append(part)
    return found
