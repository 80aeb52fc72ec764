"""KnownNames in messages and hints, with a bound on the work that a hostile graph can cause."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ...values.problems import LONGEST, nearest, proposal

_LONGEST = 60
"""Longer names are cut in messages."""
_BUDGET = 10_000
"""How many pairs of names one check compares: a comparison takes about ten microseconds."""


def quoted(name: object) -> str:
    """Quote a name, cut when it is long and escaped when it is odd."""
    text = repr(name)
    return text if len(text) <= _LONGEST + 2 else f"{text[:_LONGEST]}…{text[0]}"


def listed(names: Iterable[str], most: int = 10) -> str:
    """List names with commas between them, at most ``most`` of them."""
    found = list(names)
    return ", ".join(quoted(name) for name in found[:most]) + (", …" if len(found) > most else "")


def is_sound(name: str) -> bool:
    """True for text that can be stored and shown: it has no half of a surrogate pair."""
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class KnownNames:
    """The known names of one kind, for the hint behind an unknown one.

    Args:
        known: The names, in the order in which hints list them.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._names = known
        self._budget = _BUDGET
        self._hints: dict[str, str] = {}

    @cached_property
    def _known(self) -> list[str]:
        return [name for name in self._names if len(name) <= LONGEST and name.isprintable()]

    def hint(self, name: str) -> str:
        """Propose the known name that was most likely meant, else list the known names."""
        if name not in self._hints:
            self._hints[name] = self._hint(name)
        return self._hints[name]

    def _hint(self, name: str) -> str:
        if not self._known:
            return ""
        same = self._by_folded.get(_folded(name))
        if same is not None:
            return proposal(same)
        close = None
        if len(name) <= LONGEST and len(self._known) <= self._budget:
            self._budget -= len(self._known)
            close = nearest(name, self._known)
        if close is not None:
            return proposal(close)
        short = [known for known in self._known if len(known) <= _LONGEST]
        return f"known: {', '.join(short[:10])}" + (", …" if len(self._known) > 10 else "") if short else ""

    @cached_property
    def _by_folded(self) -> dict[str, str]:
        return {_folded(name): name for name in reversed(self._known)}


def _folded(name: str) -> str:
    return name.strip().casefold().replace("-", "_").replace(" ", "_")
