"""One thing that a form asks for, and the table that comes of all answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from stepgraph.values.compare import json_equal
from stepgraph.values.state import UNSET
from stepgraph_tui.words.toml import toml_text

from .shapes import Anything, Items, Shape, SomeOf, Text

Holds = Literal["", "template", "expression", "key", "path", "node", "place", "tool"]
"""What may be completed in a setting: names in a template or in a condition, keys of the state and paths
into it, nodes, nodes or END, tools."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of a table, and what may stand there."""

    name: str
    shape: Shape
    value: Any = UNSET
    """What stands in the table now; UNSET when it has no such key."""
    default: Any = UNSET
    """What holds when it is left out; UNSET when it must not be."""
    help: str = ""
    """What it is for, in a sentence."""
    holds: Holds = ""
    hidden: bool = False
    """Whether it is a secret, which must not be seen."""
    title: str = ""
    """What people call it, where that is not its name."""
    empty: str = ""
    """What holds when it is left out, in words, where the default does not say it."""

    @property
    def text(self) -> str:
        """What stands in the field at first, so that reading it gives the value again."""
        if self.value is UNSET:
            default = UNSET if self.default is None else self.default
            return (self.shape.write(default) if self.shape.look == "choice" else None) or ""
        written = self.shape.write(self.value)
        return written if written is not None else toml_text(self.value)

    @property
    def odd(self) -> bool:
        """Whether what stands there is of another shape, or cannot be shown as it is."""
        return self.value is not UNSET and self.shape.write(self.value) is None

    @property
    def placeholder(self) -> str:
        """What holds while the field is empty."""
        if self.default is UNSET or self.default in (None, "", (), [], {}):
            return self.empty
        if isinstance(self.shape, SomeOf):
            return ", ".join(map(str, self.default))
        return self.default if isinstance(self.default, str) else toml_text(self.default)

    def read(self, text: str) -> Any:
        """The value that a text stands for; the very same one while the text is the first; UNSET for none.

        What holds anyway is left out.

        Raises:
            Misfit: It stands for none.
        """
        if text == self.text:
            return self.value
        if not text.strip() and not (text and self.shape.look in ("wrapped", "lines")):
            return UNSET
        value = self._shape_here.read(text)
        return UNSET if self._is_default(value) else value

    @property
    def _shape_here(self) -> Shape:
        """The shape of the text: what a field cannot show as it is stands there as TOML, and is edited so."""
        if self.odd and isinstance(self.value, str) and isinstance(self.shape, Text):
            return Anything(self.name, ("text",))
        if self.odd and isinstance(self.value, list) and isinstance(self.shape, Items):
            return Anything(self.name, ("list",))
        return self.shape

    def _is_default(self, value: Any) -> bool:
        default = list(self.default) if isinstance(self.default, tuple) else self.default
        if value in ([], {}) or value == "":
            return default is not UNSET
        return type(value) is type(default) and json_equal(value, default)


def filled(table: Mapping[str, Any], order: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """A table with other values; keys that stay keep their places.

    Args:
        table: The table as it is.
        order: The usual order of the keys, for those that are new.
        values: What is to stand there; UNSET takes a key away.
    """
    new = {name: values.get(name, value) for name, value in table.items()}
    for name in (
        *(name for name in order if name in values),
        *(name for name in values if name not in order),
    ):
        if name not in new:
            new = _inserted(new, name, values[name], _before(name, order))
    return {name: value for name, value in new.items() if value is not UNSET}


def _before(name: str, order: Sequence[str]) -> Sequence[str] | None:
    return order[: order.index(name)] if name in order else None


def _inserted(table: dict[str, Any], name: str, value: Any, before: Iterable[str] | None) -> dict[str, Any]:
    """The table with a new key behind all that come before it; at the end when that is not known."""
    if before is None:
        return {**table, name: value}
    earlier = set(before)
    at = max((position + 1 for position, key in enumerate(table) if key in earlier), default=0)
    items = list(table.items())
    return dict([*items[:at], (name, value), *items[at:]])
