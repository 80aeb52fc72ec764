"""What could be where somebody types: names of the state's keys, of nodes and of tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from stepgraph.values import ValueType
from stepgraph_tui.text.characters import visible

_MOST = 200  # names that are offered
_LOOKED_AT = 2_000  # characters before the cursor
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'")
_PATH = re.compile(r"""(?:state\[["'][^"'\]]*|(?<!\w)[^\W\d]\w*(?:\.\w*|\[-?\d+\])*)$""")
_WORDS = frozenset(("and", "or", "not", "in", "is", "None", "True", "False", "if", "else", "for", "set"))
_PART = r"(?<![^\W_])"  # where a part of a name begins: after an underscore, a dot, a bracket
_ITEM = re.compile(r"""["']?(?P<name>[^"',\[\]\s]+)$""")
_BEGUN: Mapping[ValueType | None, str] = {"text": '"', "list": "[", "table": "{ "}
_OPENING = re.compile(r"\{\{|\{%")
_CLOSING = re.compile(r"\}\}|%\}")


@dataclass(frozen=True, slots=True)
class Offer:
    """What could be in the place of the last characters before the cursor."""

    typed: str
    """The characters that a name would replace."""
    names: tuple[str, ...]
    """At least one; the likeliest first."""


Completer = Callable[[str], "Offer | None"]
"""What to offer after a text; nothing where no name can stand, and when the name is complete."""


def whole(names: Sequence[str]) -> Completer:
    """Completes a field that is nothing but a name."""
    return lambda before: offer(before.strip(), names)


def line(names: Sequence[str]) -> Completer:
    """Completes a list that has a name on each line."""
    return lambda before: offer(before.rpartition("\n")[2].strip(), names)


def in_list(names: Sequence[str]) -> Completer:
    """Completes a TOML list of names; each is offered in quotes."""

    def complete(before: str) -> Offer | None:
        typed = _ITEM.search(before[-_LOOKED_AT:])
        found = offer(typed["name"], names) if typed is not None else None
        named = found.names if found is not None else ()
        quoted = tuple(f'"{name}"' for name in named if '"' not in name)
        return Offer(typed[0], quoted) if typed is not None and quoted else None

    return complete


def expression(names: Sequence[str]) -> Completer:
    """Completes a condition, outside the texts in it."""
    return lambda before: _path(before[-_LOOKED_AT:], names)


def template(names: Sequence[str]) -> Completer:
    """Completes a template, between its braces."""

    def complete(before: str) -> Offer | None:
        before = before[-_LOOKED_AT:]
        opened = [found.end() for found in _OPENING.finditer(before)]
        if not opened or _CLOSING.search(before, opened[-1]):
            return None
        return _path(before[opened[-1] :], names)

    return complete


def argument(before: str, types: Mapping[str, ValueType | None]) -> Offer | None:
    """Complete the name of an argument at the beginning of a line, with the beginning of its value."""
    *lines, typed = before.split("\n")
    given = {line.partition("=")[0].strip() for line in lines}
    begun = [f"{name} = {_BEGUN.get(kind, '')}" for name, kind in types.items() if name not in given]
    return offer(typed.lstrip(), begun)


def _path(before: str, names: Sequence[str]) -> Offer | None:
    found = _PATH.search(before)
    if found is None or re.search("[\"']", _QUOTED.sub("", before[: found.start()])):
        return None
    return offer(found[0], names) if found[0] not in _WORDS else None


def offer(typed: str, names: Sequence[str]) -> Offer | None:
    """Offer the names that a text could become: those that begin with it, then those of which a part does."""
    if not typed or typed in names:
        return None
    small = typed.lower()
    bare = small.removeprefix("state[").strip("\"'") or small
    part = re.compile(_PART + re.escape(bare), re.IGNORECASE)
    likely = [name for name in names if name.lower().startswith(small)]
    others = [name for name in names if not name.lower().startswith(small) and part.search(name)]
    found = [name for name in (*likely, *others) if visible(name) == name]
    return Offer(typed, tuple(found[:_MOST])) if found else None
