"""The form of the graph's own settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stepgraph.documents.schema import GraphPart
from stepgraph.editing import Design
from stepgraph.editing.parts import EditSettings

from .checking import head_problems, said, setting_of
from .field import FormField, Wrong
from .form import DesignForm, EditElsewhere
from .naming import Names
from .of_model import settings_of
from .setting import filled

_ASKED = (
    "name",
    "note",
    "start",
    "max_steps",
    "on_max_steps",
    "on_no_match",
    "max_seconds",
    "feedback",
    "no_feedback",
)
_FOLDED = ("max_seconds", "feedback", "no_feedback")
_ORDER = ("format", *_ASKED)
_MANY = 300  # nodes
_NODES = ("start", "no_feedback")


class SettingsForm(DesignForm[EditSettings]):
    """Asks for name, start, caps and the other settings of a graph.

    Args:
        design: The design.
        edit_in_editor: Edits a text in $EDITOR.
    """

    def __init__(self, design: Design, *, edit_in_editor: EditElsewhere | None = None) -> None:
        known = Names.of(design)
        settings = {setting.name: setting for setting in settings_of(GraphPart, design.head)}
        self._settings = {}
        for name in _ASKED:
            setting = replace(settings[name], holds="node") if name in _NODES else settings[name]
            self._settings[name] = FormField(setting, known.completer(setting))
        first = [field for name, field in self._settings.items() if name not in _FOLDED]
        more = [self._settings[name] for name in _FOLDED]
        heading = str(design.head.get("name", "")) or "without a name"
        super().__init__(design, f"Graph {heading}", first, more, edit_in_editor)

    def edit(self) -> EditSettings:
        """The settings as the fields have them."""
        values = {name: field.value for name, field in self._settings.items()}
        return EditSettings(filled(self.design.head, _ORDER, values))

    @property
    def is_slow(self) -> bool:
        """The names of many nodes take long to compare."""
        return len(self.design.nodes) > _MANY

    def wrong(self) -> Iterator[Wrong]:
        """What is wrong with the settings."""
        for problem in head_problems(self.design, self.edit().head):
            field = self._settings.get(setting_of(problem))
            if field is not None:
                yield Wrong(said(problem), field, problem.is_error)
