"""The form of a declared key of the state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

from stepgraph.documents.schema import KeyPart
from stepgraph.editing import Design
from stepgraph.editing.parts import EditPart
from stepgraph.graphs.validation.names import quoted
from stepgraph.values.state import ValueType

from .checking import key_problems, said, setting_of
from .field import FormField, Wrong
from .form import DesignForm, EditElsewhere
from .naming import own_name
from .of_model import settings_of
from .setting import filled
from .shapes import Anything, one_of


class KeyForm(DesignForm[EditPart]):
    """Asks for the name of a key, what it holds, and how updates merge.

    Args:
        design: The design.
        name: The key; None for a new one.
        edit_in_editor: Edits a text in $EDITOR.
    """

    def __init__(
        self, design: Design, name: str | None = None, *, edit_in_editor: EditElsewhere | None = None
    ) -> None:
        self._key = name
        self._table = design.keys[name].table if name is not None else {}
        self._own_name = own_name("state", name, design.keys)
        settings = {setting.name: setting for setting in settings_of(KeyPart, self._table)}
        secret = self._table.get("secret") is True
        settings["default"] = replace(settings["default"], hidden=secret)
        settings["type"] = replace(settings["type"], shape=one_of(get_args(ValueType), optional="any"))
        self._settings = {key: FormField(setting) for key, setting in settings.items()}
        self._shape_default(self._table.get("type"))
        heading = "New key of the state" if name is None else f"State key {name}"
        super().__init__(design, heading, [self._own_name, *self._settings.values()], (), edit_in_editor)

    def edit(self) -> EditPart:
        """The declaration as the fields have it."""
        values = {key: field.value for key, field in self._settings.items()}
        return EditPart(
            "state", self._key, self._own_name.value, filled(self._table, tuple(self._settings), values)
        )

    def refresh_fields(self) -> None:
        """Read the default as a value of the type that is chosen."""
        self._shape_default(self._settings["type"].value)

    def _shape_default(self, type_: object) -> None:
        default = self._settings["default"]
        known: tuple[ValueType, ...] = tuple(one for one in get_args(ValueType) if one == type_)
        default.setting = replace(default.setting, shape=Anything("default", known))

    def wrong(self) -> Iterator[Wrong]:
        """What is wrong with the declaration."""
        edit = self.edit()
        for problem in key_problems(edit.new_name, edit.table):
            field = self._settings.get(setting_of(problem, f"state.{edit.new_name}."))
            yield Wrong(said(problem, f"the state key {quoted(edit.new_name)}"), field, problem.is_error)
