"""What an expression is once it is parsed: a small immutable tree of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..values.json_values import Json

Operator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in"]


@dataclass(frozen=True, slots=True)
class Constant:
    """A value written in the expression; tuples are lists already."""

    text: str
    value: Json


@dataclass(frozen=True, slots=True)
class Path:
    """A way into the state."""

    text: str
    key: str
    """The top-level key."""
    parts: tuple[str | int, ...] = ()
    """Keys of tables and positions in lists, from there on."""


@dataclass(frozen=True, slots=True)
class RunFact:
    """Something about the run that is no part of the state."""

    text: str
    name: Literal["last_output", "step"]


@dataclass(frozen=True, slots=True)
class Visits:
    """How often a node has been visited."""

    text: str
    node: str


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison of two operands."""

    text: str
    left: Tree
    operator: Operator
    right: Tree


@dataclass(frozen=True, slots=True)
class IsNone:
    """``is None``, or ``is not None`` when negated: the one question that a missing path may be asked."""

    text: str
    operand: Tree
    negated: bool


@dataclass(frozen=True, slots=True)
class Not:
    """``not`` before a part."""

    text: str
    part: Tree


@dataclass(frozen=True, slots=True)
class Group:
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
