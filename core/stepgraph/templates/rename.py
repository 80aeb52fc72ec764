"""Renaming what a template names, keys of the state and nodes: nothing else of its text changes.

The names in the tree are texts that remember where they stand (see ``places``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from keyword import iskeyword
from typing import TypeAlias

from ..expressions.spelling import HIDDEN, in_quotes, named_in, quoted
from ..values.compare import escaped
from ..values.errors import ExpressionError
from .names import Names
from .parsing import Parsed, parse
from .places import content

_Change: TypeAlias = tuple[int, int, str]
"""From where to where, and what stands there then."""
_ROOTS = ("state", "visits")
_PART = re.compile(r"""\s*(?:\.\s*(\w+)|\[\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\])""", re.DOTALL)


def with_key(text: str, old: str, new: str) -> str:
    """Rename a key of the state in a template; one that does not parse is left as it is.

    Local variables, attributes, arguments' names and texts of the same spelling stay.

    Raises:
        ExpressionError: The template cannot name the key by its new name.
    """
    return _renamed(text, {old: new}, _keys, lambda parsed: parsed.names, _is_plain)


def with_nodes(text: str, names: Mapping[str, str]) -> str:
    """Rename the nodes whose visits a template counts; else as ``with_key``.

    Raises:
        ExpressionError: The template cannot name a node by its new name.
    """
    if "visits" not in text:
        return text
    return _renamed(text, names, _visits, lambda parsed: parsed.visits_read, lambda _: True)


def _renamed(
    text: str,
    names: Mapping[str, str],
    changes: Callable[[str, Names, Mapping[str, str]], Iterator[_Change]],
    named: Callable[[Parsed], frozenset[str]],
    is_safe: Callable[[str], bool],
) -> str:
    if "{" not in text or ("\\" not in text and not named_in(text, names)):
        return text  # a text in quotes may have escapes
    before = parse(text)
    if before.error:
        return text
    found, renamed = before.read, text
    for start, end, written in sorted(changes(text, found, names), reverse=True):
        renamed = renamed[:start] + written + renamed[end:]
    if all(map(is_safe, names.values())) and _is_clear(text, found):
        return renamed  # whoever uses it compiles it; in a large graph that takes most of the time
    after = parse(renamed)
    if after.error or named(after) != {names.get(name, name) for name in named(before)}:
        wrong = next((name for name in names if name in named(before)), next(iter(names)))
        message = f"the template cannot name {escaped(names[wrong])!r} where it names {escaped(wrong)!r}"
        raise ExpressionError(message, text=text, hint="rewrite the template by hand first")
    return renamed


def _keys(text: str, found: Names, names: Mapping[str, str]) -> Iterator[_Change]:
    """Find where a template names keys: from where to where, and what is written there then."""
    for name in found.free:
        if name in names and name not in HIDDEN:
            yield name.at, name.at + len(name), _root(names[name], found.bound)
    yield from _below("state", text, found, names)


def _visits(text: str, found: Names, names: Mapping[str, str]) -> Iterator[_Change]:
    return _below("visits", text, found, names)


def _below(root: str, text: str, found: Names, names: Mapping[str, str]) -> Iterator[_Change]:
    """Find ``root.name`` and ``root["name"]``, and write each as it was written where the name allows it."""
    for name in found.free:
        end = name.at + len(name)
        part = _PART.match(text, end) if name == root else None
        if part is None:
            continue
        old = part[1] if part[1] is not None else content(part[2])
        if old in names:
            dotted = part[1] is not None and names[old].isidentifier()
            yield end, part.end(), f".{names[old]}" if dotted else f"[{in_quotes(names[old], part[2] or '')}]"


def _root(new: str, bound: set[str]) -> str:
    """Spell a key where a template begins a path; a variable that it sets itself may hide the plain name."""
    return new if new not in bound and _is_plain(new) else f"state[{quoted(new)}]"


def _is_clear(text: str, found: Names) -> bool:
    """Tell whether each name in a template is surely what it seems, so that renaming cannot go wrong."""
    return not found.bound and all(
        name not in _ROOTS or _PART.match(text, name.at + len(name)) is not None for name in found.free
    )


@lru_cache(maxsize=64)
def _is_plain(name: str) -> bool:
    """Tell whether a name alone reads the key of that name."""
    return name.isidentifier() and not iskeyword(name) and parse(f"{{{{ {name} }}}}").names == {name}
