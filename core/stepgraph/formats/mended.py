"""What was mended, made up or left out while a graph was read, told in a sentence for each kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from ..values.messages import some_of

_TOLD = 5
_SHOWN = 60


class Mended:
    """Collects what was mended, by how."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = defaultdict(list)

    def add(self, how: str, what: str) -> None:
        """Keep one; the same twice in a row is one."""
        if what not in self._found[how][-1:]:
            self._found[how].append(what)

    def __contains__(self, how: str) -> bool:
        return how in self._found

    def notes(self) -> list[str]:
        """Tell each kind once, the first of it by name."""
        return [f"{how}: {some_of(what, _TOLD)}" for how, what in self._found.items()]


def some_names(names: Iterable[str]) -> str:
    """List the first of some names, long ones cut."""
    return some_of([short(name) for name in names], _TOLD)


def short(name: str) -> str:
    """Cut a long name; an ellipsis marks what was cut."""
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
