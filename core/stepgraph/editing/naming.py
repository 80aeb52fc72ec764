"""Names that an edit may give, the parts that have them, and how a status line says both."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from ..graphs.parts import RESERVED
from ..graphs.validation.report import is_sound, quoted
from .design import EditError

if TYPE_CHECKING:
    from .design import Design, Kind, NamedKind, Part

NOUNS: dict[Kind, str] = {"state": "key", "tools": "tool", "nodes": "node", "edges": "edge"}
"""What one part of each kind is called."""

_PLAIN = re.compile(r"[\w.-]{1,40}")
_NUMBERED = re.compile(r"(.*)_(\d{1,9})", re.DOTALL)


def unique(name: str, taken: Container[str]) -> str:
    """Return the name itself when it is free, else the next free one that is numbered: ``draft_2``."""
    if name not in taken:
        return name
    found = _NUMBERED.fullmatch(name)
    stem, number = (found[1], int(found[2])) if found else (name, 1)
    while f"{stem}_{number}" in taken or number < 2:
        number += 1
    return f"{stem}_{number}"


def new_name(name: str, kind: Kind, taken: Container[str]) -> str:
    """Return a name that a part may have.

    Args:
        name: What was asked for.
        kind: What the part describes.
        taken: The names that parts of that kind have already.

    Raises:
        EditError: Validation would refuse it, or it is taken.
    """
    noun = NOUNS[kind]
    if not name.strip():
        raise EditError(f"the {noun} has no name", hint="such as draft, or check_order")
    if not is_sound(name):
        raise EditError(f"the name {quoted(name)} contains an unpaired surrogate", hint="retype it")
    if kind == "nodes" and name in RESERVED:
        hint = f"it is reserved for the end; free is {unique(name.strip('_').lower(), taken)}"
        raise EditError(f"no node may be named {name}", hint=hint)
    if name in taken:
        hint = f"free is {name_text(unique(name, taken))}"
        raise EditError(f"there is a {noun} {name_text(name)} already", hint=hint)
    return name


def name_text(name: str) -> str:
    """Write a name as a status line says it: cut when it is long, in quotes when it is odd."""
    return name if _PLAIN.fullmatch(name) else quoted(name)


def edge_said(edge: Part) -> str:
    """Write an edge by its ends: ``draft -> review``."""
    return " -> ".join(name_text(end) if end else "?" for end in (edge.source, edge.target))


def count_text(count: int, noun: str) -> str:
    """Write a number with its noun: ``1 edge``, ``3 edges``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def name_texts(names: Sequence[str], noun: str) -> list[str]:
    """Write one or two names, each by itself; of more only their number: ``5 nodes``."""
    return [name_text(name) for name in names] if len(names) <= 2 else [count_text(len(names), noun)]


def joined_text(things: Sequence[str]) -> str:
    """Write a list in words: ``draft, review and 3 edges``."""
    *some, last = things
    return f"{', '.join(some)} and {last}" if some else last


def part_in(design: Design, kind: NamedKind, name: str) -> Part:
    """Find a node, a declared key or a tool of the design.

    Raises:
        EditError: There is none of that name.
    """
    parts = design.by_name(kind)
    if name in parts:
        return parts[name]
    if kind == "nodes" and name in RESERVED:
        raise EditError("END is not a node", hint="choose a node")
    raise EditError(
        f"there is no {NOUNS[kind]} {name_text(name)}", hint="it may have been renamed or deleted"
    )


def edge_in(design: Design, position: int) -> Part:
    """Find an edge of the design by its position among all edges.

    Raises:
        EditError: There are fewer.
    """
    if 0 <= position < len(design.edges):
        return design.edges[position]
    raise EditError(f"there is no edge {position + 1}", hint=f"there are {len(design.edges)}")
