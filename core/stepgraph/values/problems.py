"""Problems: what is wrong with a graph, where, and what to do about it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import indent
from typing import Literal

Severity = Literal["error", "warning"]
KeyPath = tuple[str | int, ...]
"""Where something is in a graph's document, such as ``("nodes", "draft", "prompt")`` or ``("edges", 3)``."""

_MEANT = "did you mean "
LONGEST = 250
"""The most characters of a name that is compared with others, to find the one that was meant."""
_CLOSE = 0.6  # of 1, which is the same
_WORK = 2_000_000  # pairs of characters that are compared at most: some tenths of a second


@dataclass(frozen=True, slots=True)
class Place:
    """Where a problem is. Every part is optional; ``line`` counts from 1."""

    file: str | None = None
    line: int | None = None
    node: str | None = None
    edge: int | None = None
    """The position of the edge in declaration order, from 0."""
    key: str | None = None
    """The setting, state key or tool that is wrong, as a dotted path."""

    @classmethod
    def at(cls, path: KeyPath, file: str | None, line: int | None) -> Place:
        """Build the place of a path in a graph's document, with a node or an edge apart from the rest."""
        node = edge = None
        rest = path
        if len(path) > 1 and path[0] == "nodes":
            node, rest = str(path[1]), path[2:]
        elif len(path) > 1 and path[0] == "edges" and isinstance(path[1], int):
            edge, rest = path[1], path[2:]
        return cls(file, line, node, edge, ".".join(str(part) for part in rest) or None)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a graph."""

    code: str
    """A stable code such as ``G008``; ``stepgraph check --explain G008`` tells more."""
    severity: Severity
    message: str
    place: Place = Place()
    hint: str = ""
    about: str = ""
    """The name that is wrong, where the place alone does not say which of several it is."""
    excerpt: str = ""
    """The line that is wrong, and below it a caret at the place; empty for what is no such text."""

    @property
    def is_error(self) -> bool:
        """True when the problem stops ``compile()``."""
        return self.severity == "error"

    def __str__(self) -> str:
        where = self.place.file or ""
        if where and self.place.line is not None:
            where += f":{self.place.line}"
        head = f"{where}: " if where else ""
        tail = f" ({self.hint})" if self.hint else ""
        excerpt = "\n" + indent(self.excerpt, "    ") if self.excerpt else ""
        return f"{head}{self.severity} {self.code}: {self.message}{tail}{excerpt}"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Find the known name that is spelled most like ``name``; None when none is close.

    Whole names are compared, or none: of two long ones that differ only at their ends, only one is meant.
    """
    if len(name) > LONGEST:
        return None
    import difflib  # only where something is wrong

    matcher = difflib.SequenceMatcher(b=name, autojunk=False)
    best, room = (_CLOSE, ""), _WORK
    for other in known:
        matcher.set_seq1(other)
        if len(other) > LONGEST or matcher.real_quick_ratio() < best[0] or matcher.quick_ratio() < best[0]:
            continue
        room -= len(name) * len(other)
        if room < 0:
            break
        best = max(best, (matcher.ratio(), other))
    return best[1] or None


def proposal(name: str) -> str:
    """Write the hint that a known name was meant."""
    return f"{_MEANT}{name!r}?"


def proposed_name(hint: str) -> str | None:
    """Read the name that a hint proposes; None when it does not propose one."""
    if not (hint.startswith(_MEANT) and hint.endswith("?")):
        return None
    name: str = ast.literal_eval(hint.removeprefix(_MEANT)[:-1])
    return name


def did_you_mean(name: str, known: Iterable[str], *, listing: str = "known") -> str:
    """Write a hint: the nearest known name if there is one, else the known names (at most ten)."""
    names = list(known)
    close = nearest(name, names)
    if close is not None:
        return proposal(close)
    if not names:
        return ""
    shown = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
    return f"{listing}: {shown}"
