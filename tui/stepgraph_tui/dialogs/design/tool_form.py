"""The form of a tool."""

from __future__ import annotations

from collections.abc import Iterator

from stepgraph.documents.schema import ToolPart
from stepgraph.editing import Design
from stepgraph.editing.parts import EditPart
from stepgraph.graphs.validation.names import quoted

from .checking import said, setting_of, tool_problems
from .field import FormField, Wrong
from .form import DesignForm, EditElsewhere
from .naming import own_name
from .of_model import settings_of
from .setting import filled


class ToolForm(DesignForm[EditPart]):
    """Asks for the name of a tool, and for its function or its canned answers.

    Args:
        design: The design.
        name: The tool; None for a new one.
        edit_in_editor: Edits a text in $EDITOR.
    """

    def __init__(
        self, design: Design, name: str | None = None, *, edit_in_editor: EditElsewhere | None = None
    ) -> None:
        self._tool = name
        self._table = design.tools[name].table if name is not None else {}
        self._own_name = own_name("tools", name, design.tools)
        self._settings = {one.name: FormField(one) for one in settings_of(ToolPart, self._table)}
        heading = "New tool" if name is None else f"Tool {name}"
        super().__init__(design, heading, [self._own_name, *self._settings.values()], (), edit_in_editor)

    def edit(self) -> EditPart:
        """The tool as the fields have it."""
        values = {key: field.value for key, field in self._settings.items()}
        return EditPart(
            "tools", self._tool, self._own_name.value, filled(self._table, tuple(self._settings), values)
        )

    def wrong(self) -> Iterator[Wrong]:
        """What is wrong with the tool."""
        edit = self.edit()
        for problem in tool_problems(edit.new_name, edit.table):
            field = self._settings.get(setting_of(problem, f"tools.{edit.new_name}."))
            yield Wrong(said(problem, f"the tool {quoted(edit.new_name)}"), field, problem.is_error)
