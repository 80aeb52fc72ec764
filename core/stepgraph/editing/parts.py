"""Edits of one table as a form gives it back: settings, nodes, keys of the state, tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ..values.errors import StateError
from ..values.json_values import Json, identical, plain
from .design import NamedKind, Part
from .edit import Edited, EditError
from .naming import NOUNS, joined, new_name, part_in, said
from .placing import last_of, with_parts
from .renaming import Rename

if TYPE_CHECKING:
    from .design import Design

_NAMED = 3


@dataclass(frozen=True, slots=True)
class EditSettings:
    """Give the graph other settings."""

    head: Mapping[str, Any]
    """All that stands at the top level, not only what changed."""

    def apply(self, design: Design) -> Edited:
        """Change them.

        Raises:
            EditError: A text in them cannot be stored.
        """
        head = written(self.head, design.head)
        changed = changed_keys(design.head, head)
        if not changed:
            return Edited(design, "leave the settings as they are")
        return Edited(design.having(head), f"change {changed} of the graph")


@dataclass(frozen=True, slots=True)
class EditPart:
    """Give a node, a key of the state or a tool another table, and perhaps another name."""

    kind: NamedKind
    name: str | None
    """The part; None to declare a new key or tool."""
    new_name: str
    table: Mapping[str, Any]

    def apply(self, design: Design) -> Edited:
        """Change it; with another name all that named it follows.

        Raises:
            EditError: There is no such part, or the new name or a value cannot be used.
        """
        if self.name is None:
            return self._declared(design)
        part = part_in(design, self.kind, self.name)
        table = written(self.table, part.table)
        changed = changed_keys(part.table, table)
        text = f"change {changed} of {said(self.name)}"
        edited = design.replacing({part: (part.having(table),)}) if changed else design
        node = self.new_name if self.kind == "nodes" else None
        if self.new_name == self.name:
            return Edited(edited, text if changed else f"leave {said(self.name)} as it is", node=node)
        renamed = Rename(self.kind, self.name, self.new_name).apply(edited)
        text = f"{text}; {renamed.said}" if changed else renamed.said
        return replace(renamed, said=text, node=node)

    def _declared(self, design: Design) -> Edited:
        name = new_name(self.new_name, self.kind, design.named(self.kind))
        part = Part(self.kind, name, written(self.table, {}))
        larger = with_parts(design, (part,), last_of(design, self.kind))
        return Edited(larger, f"add the {NOUNS[self.kind]} {said(name)}")


@dataclass(frozen=True, slots=True)
class DeleteDeclaration:
    """Delete a tool, or take back the declaration of a key of the state; what names it stays."""

    kind: Literal["state", "tools"]
    name: str

    def apply(self, design: Design) -> Edited:
        """Delete the declaration.

        Raises:
            EditError: There is none of that name.
        """
        part = part_in(design, self.kind, self.name)
        return Edited(design.replacing({part: ()}), f"delete the {NOUNS[self.kind]} {said(self.name)}")


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Name the keys that were added, removed or changed; empty when none was."""
    keys = [
        key for key in {**old, **new} if key not in old or key not in new or not identical(old[key], new[key])
    ]
    if not keys:
        return "" if list(old) == list(new) else "the order of the settings"
    return f"{len(keys)} settings" if len(keys) > _NAMED else joined([said(key) for key in keys])


def written(table: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """Turn a table that a form gave into one that a file can have: without what is None.

    Args:
        table: What the form gave; what is new in it is copied.
        old: What stands there now. A value of it stays, whatever it is: files may have dates.

    Raises:
        EditError: A new value is none that a file can hold.
    """
    return {
        key: value if key in old and value is old[key] else _value(key, value)
        for key, value in table.items()
        if value is not None
    }


def _value(key: str, value: Any) -> Json:
    try:
        found = plain(value, said(key))
    except StateError as error:
        raise EditError(error.message, hint=error.hint) from None
    if _has_null(found):
        raise EditError(f"{said(key)} has a null in it, which a file cannot hold", hint="leave it out")
    return found


def _has_null(value: Json) -> bool:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(item is None or _has_null(item) for item in items)
