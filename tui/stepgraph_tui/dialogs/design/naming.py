"""The names that a form can complete, and the field of the name that a part itself has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stepgraph.editing import Design, EditError, Kind
from stepgraph.editing.naming import new_name
from stepgraph.expressions.spelling import spelt
from stepgraph.values.state import UNSET

from . import completing
from .completing import Completer
from .field import FormField
from .setting import Setting
from .shapes import Items, Misfit, Text


@dataclass(frozen=True, slots=True)
class Names:
    """All names that can be completed in the forms of a design."""

    state: tuple[str, ...] = ()
    """Keys of the state and paths into it, as conditions spell them; in conditions, other names too."""
    nodes: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()

    @classmethod
    def of(cls, design: Design, names: Sequence[str] | None = None) -> Names:
        """The names of a design.

        Args:
            design: The design.
            names: The names that conditions can use; when None, the keys that the design declares or writes.
        """
        state = tuple(names) if names is not None else tuple(dict.fromkeys(map(spelt, _keys(design))))
        return cls(state, tuple(design.nodes), tuple(design.tools))

    def completer(self, setting: Setting) -> Completer | None:
        """What completes a setting; None when nothing does."""
        several = isinstance(setting.shape, Items)
        match setting.holds:
            case "template":
                return completing.template(self.state)
            case "expression":
                return completing.expression(self.state)
            case "key" | "path" | "node" | "place" | "tool":
                names = self._named(setting.holds)
                return completing.line(names) if several else completing.whole(names)
        return None

    def _named(self, holds: str) -> tuple[str, ...]:
        if holds in ("node", "place"):
            return (*self.nodes, "END") if holds == "place" else self.nodes
        if holds == "tool":
            return self.tools
        return tuple(name for name in self.state if holds == "path" or "." not in name)


def _keys(design: Design) -> Iterator[str]:
    yield from design.keys
    for node in design.nodes.values():
        output = node.table.get("output")
        if isinstance(output, str) and output:
            yield output


@dataclass(frozen=True, slots=True)
class OwnName(Setting):
    """The name of a part: one that is free, or the one that it has."""

    kind: Kind = "nodes"
    taken: frozenset[str] = frozenset()

    def read(self, text: str) -> Any:
        """The name.

        Raises:
            Misfit: It cannot be used.
        """
        name = Setting.read(self, text)
        if name is not UNSET and name == self.value:
            return name
        try:
            return new_name("" if name is UNSET else name, self.kind, self.taken)
        except EditError as error:
            raise Misfit(f"{error.message} ({error.hint})" if error.hint else error.message) from None


def own_name(kind: Kind, name: str | None, taken: Iterable[str]) -> FormField:
    """The field of a part's name.

    Args:
        kind: What the part is.
        name: The name that it has; None for a new one.
        taken: The names of all parts of that kind.
    """
    value = UNSET if name is None else name
    others = frozenset(taken) - {name}
    return FormField(OwnName("name", Text("line"), value, kind=kind, taken=others))
