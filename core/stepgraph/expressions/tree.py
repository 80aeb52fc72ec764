"""A parsed expression: a small immutable tree of its own, and how it names keys, paths and texts."""

from __future__ import annotations

import json
import keyword
import re
import unicodedata
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from ..values.json_values import Json, escaped

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


FACTS = frozenset({"last_output", "step", "visits"})
"""Names of facts about the run, in conditions and in templates."""

HIDDEN = FACTS | {"state"}
"""Names that mean something of their own, so that a state key of that name needs ``state["step"]``."""

FOREIGN_WORDS = {"true": "True", "false": "False", "null": "None"}
"""Words of JSON, and Python's for the same."""


def quoted_piece(text: str) -> str:
    """Quote a piece of the condition, short and on one line, for a message."""
    text = escaped(" ".join(text.splitlines()))
    return text if len(text) <= 120 else text[:119] + "…"


def quoted(name: str) -> str:
    """Write a name in double quotes, safe to print."""
    return escaped(json.dumps(name, ensure_ascii=False))


def in_quotes(name: str, like: str) -> str:
    """Write a name as a text of a condition or template, if possible in the quotes of another text."""
    plain = name.isprintable() and "'" not in name and "\\" not in name
    return f"'{name}'" if plain and like.startswith("'") else quoted(name)


def written_key(key: str) -> str:
    """Spell a top-level key as expressions do."""
    return (
        key
        if _plain_name(key) and key not in HIDDEN and key not in FOREIGN_WORDS
        else f"state[{quoted(key)}]"
    )


def step_text(part: str | int) -> str:
    """Spell a part of a path as expressions do."""
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _plain_name(part) else f"[{quoted(part)}]"


def path_text(path: tuple[str | int, ...]) -> str:
    """Spell a path as expressions do: ``order.amount``, ``state["my-key"]``, ``docs[3]``."""
    key, *parts = path
    return written_key(str(key)) + "".join(map(step_text, parts))


def named_in(text: str, names: Iterable[str]) -> bool:
    """Check whether one of some names may be in a condition or a template that has no escapes.

    It is there by itself: ``node_7`` is not named by ``node_70``.
    """
    return any(name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def _plain_name(name: str) -> bool:
    # Python folds the spelling of names (NFKC), so a key in another spelling is out of a name's reach.
    if not name.isidentifier() or name.startswith("__") or keyword.iskeyword(name):
        return False
    return name.isascii() or unicodedata.normalize("NFKC", name) == name
