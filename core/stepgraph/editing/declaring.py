"""Edits of what a graph says beside its nodes and edges: settings, keys of the state, tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .design import Part
from .edit import Edited
from .form_tables import changed_keys, written
from .naming import key_in, new_name, said, tool_in
from .placing import last_of, with_parts
from .renaming import RenameKey, RenameTool

if TYPE_CHECKING:
    from .design import Design, Kind


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
class EditKey:
    """Declare a key of the state, or change how it is declared, also its name."""

    name: str | None
    """The key; None for a new one."""
    new_name: str
    table: Mapping[str, Any]

    def apply(self, design: Design) -> Edited:
        """Change it; with another name all that named it follows.

        Raises:
            EditError: There is no such key, or the new name cannot be used.
        """
        if self.name is None:
            return _declared(design, "state", self.new_name, self.table)
        part = key_in(design, self.name)
        return _changed(design, part, self.table, RenameKey(self.name, self.new_name))


@dataclass(frozen=True, slots=True)
class DeleteKey:
    """Take back the declaration of a key; what names the key stays."""

    name: str

    def apply(self, design: Design) -> Edited:
        """Delete it.

        Raises:
            EditError: There is no such key.
        """
        return Edited(design.replacing({key_in(design, self.name): ()}), f"delete the key {said(self.name)}")


@dataclass(frozen=True, slots=True)
class EditTool:
    """Declare a tool, or change how it is declared, also its name."""

    name: str | None
    """The tool; None for a new one."""
    new_name: str
    table: Mapping[str, Any]

    def apply(self, design: Design) -> Edited:
        """Change it; with another name all that named it follows.

        Raises:
            EditError: There is no such tool, or the new name cannot be used.
        """
        if self.name is None:
            return _declared(design, "tools", self.new_name, self.table)
        part = tool_in(design, self.name)
        return _changed(design, part, self.table, RenameTool(self.name, self.new_name))


@dataclass(frozen=True, slots=True)
class DeleteTool:
    """Delete a tool; what names it stays."""

    name: str

    def apply(self, design: Design) -> Edited:
        """Delete it.

        Raises:
            EditError: There is no such tool.
        """
        return Edited(
            design.replacing({tool_in(design, self.name): ()}), f"delete the tool {said(self.name)}"
        )


def _declared(design: Design, kind: Kind, name: str, table: Mapping[str, Any]) -> Edited:
    taken = design.keys if kind == "state" else design.tools
    part = Part(kind, new_name(name, kind, taken), written(table, {}))
    noun = "key" if kind == "state" else "tool"
    return Edited(with_parts(design, (part,), last_of(design, kind)), f"add the {noun} {said(name)}")


def _changed(design: Design, part: Part, table: Mapping[str, Any], rename: RenameKey | RenameTool) -> Edited:
    table = written(table, part.table)
    changed = changed_keys(part.table, table)
    text = f"change {changed} of {said(part.name)}"
    edited = design.replacing({part: (part.having(table),)}) if changed else design
    if rename.new == rename.old:
        return Edited(edited, text if changed else f"leave {said(part.name)} as it is")
    renamed = rename.apply(edited)
    return Edited(renamed.design, f"{text}; {renamed.said}" if changed else renamed.said)
