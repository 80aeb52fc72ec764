"""The forms of what a graph says beside its nodes and edges: its settings, its state keys, its tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import get_args

from stepgraph.documents.schema import GraphPart, KeyPart, ToolPart
from stepgraph.editing import Design
from stepgraph.editing.parts import EditPart, EditSettings
from stepgraph.graphs.validation.names import quoted
from stepgraph.tools.command_part import CommandPart
from stepgraph.values.declared import keys_of
from stepgraph.values.state import ValueType
from stepgraph_tui.dialogs.forms.field import Answers, Field, FormProblem
from stepgraph_tui.dialogs.forms.formats import Format, Misfit, TextFormat, one_of
from stepgraph_tui.dialogs.forms.model import FormModel
from stepgraph_tui.dialogs.forms.of_model import fields_of
from stepgraph_tui.dialogs.forms.toml_format import TomlFormat

from .checking import head_problems, key_problems, said, setting_of, tool_problems
from .model import DESIGN, CompletionNames, contents_of, edit_of, filled, own_name, values_of, worded

_ASKED = ("name", "note", "start", "max_steps", "on_max_steps", "on_no_match", "review")
_FOLDED = ("max_seconds", "max_cost", "max_tokens", "feedback", "no_feedback", "reviews")
_DEFAULT = 'Its value at the start: plain text for the type text ("" for empty text), else TOML.'
_MANY = 300  # nodes
_NODES = ("start", "no_feedback")


class SettingsForm(FormModel[EditSettings]):
    """Asks for name, start, caps and the other settings of a graph.

    Args:
        design: The design.
    """

    KIND = DESIGN

    def __init__(self, design: Design) -> None:
        known = CompletionNames.of(design)
        settings = fields_of(GraphPart, design.head)
        for name in _NODES:
            settings[name] = known.completed(replace(settings[name], holds="node"))
        settings["name"] = replace(settings["name"], accept=worded("name"))
        self._settings = {name: settings[name] for name in (*_ASKED, *_FOLDED)}
        heading = str(design.head.get("name", "")) or "without a name"
        first, more = [settings[name] for name in _ASKED], [settings[name] for name in _FOLDED]
        self._design, self.heading = design, f"Graph {heading}"
        self.contents = contents_of(first, more)

    def result(self, answers: Answers) -> EditSettings | None:
        """Give the edit; None when nothing was changed."""
        return edit_of(self._design, answers, self.edit)

    def edit(self, answers: Answers) -> EditSettings:
        """Make the edit of the settings."""
        values = values_of(self._settings, answers)
        return EditSettings(filled(self._design.head, ("format", *self._settings), values))

    def is_slow(self, answers: Answers) -> bool:
        """Tell whether there are many nodes: their names take long to compare."""
        return len(self._design.nodes) > _MANY

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Tell what is wrong with the settings."""
        for problem in head_problems(self._design, self.edit(answers).head):
            field = self._settings.get(setting_of(problem))
            if field is not None:
                yield FormProblem(said(problem), field, problem.is_error)


class KeyForm(FormModel[EditPart]):
    """Asks for the name of a state key, what it holds, and how updates merge.

    Args:
        design: The design.
        name: The key; None for a new one.
    """

    KIND = DESIGN

    def __init__(self, design: Design, name: str | None = None) -> None:
        self._key = name
        self._table = design.keys[name].table if name is not None else {}
        self._own_name = own_name("state", name, design.keys)
        settings = fields_of(KeyPart, self._table)
        default, types = settings["default"], one_of(get_args(ValueType), optional="any")
        self._is_secret = self._table.get("secret") is True
        settings["type"] = replace(settings["type"], format=types)
        self._type = settings["type"].text
        format_ = self._format_of(self._type)
        settings["default"] = replace(default, format=format_, secret=self._is_secret, note=_DEFAULT)
        self._settings = settings
        heading = "New key of the state" if name is None else f"State key {name}"
        self._design, self.heading = design, heading
        self.contents = contents_of([self._own_name, *settings.values()])

    def _format_of(self, type_: object) -> Format:
        known: tuple[ValueType, ...] = tuple(one for one in get_args(ValueType) if one == type_)
        return (
            TextFormat(quotes_empty=True) if known == ("text",) else TomlFormat(known, secret=self._is_secret)
        )

    def formats(self, texts: Mapping[Field, str]) -> Mapping[Field, Format]:
        """Read the default as a value of the type that is chosen."""
        type_ = self._settings["type"]
        return {self._settings["default"]: self._format_of(texts.get(type_, type_.text))}

    def refilled(self, answers: Answers) -> Mapping[Field, str] | None:
        """Spell the default as the type that is chosen has it: a text as it is, the rest as TOML."""
        type_, default = self._settings["type"], self._settings["default"]
        before, self._type = self._type, answers.text(type_)
        old, new = self._format_of(before), self._format_of(self._type)
        if before == self._type or isinstance(old, TextFormat) is isinstance(new, TextFormat):
            return None
        text = answers.text(default)
        try:
            written = new.write(old.read(text)) if text.strip() else None
        except Misfit:
            return None
        return None if written is None else {default: written}

    def result(self, answers: Answers) -> EditPart | None:
        """Give the edit; None when nothing was changed."""
        return edit_of(self._design, answers, self.edit)

    def edit(self, answers: Answers) -> EditPart:
        """Make the edit of the declaration."""
        values, name = values_of(self._settings, answers), answers.value(self._own_name)
        return EditPart("state", self._key, name, filled(self._table, tuple(self._settings), values))

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Tell what is wrong with the declaration."""
        edit = self.edit(answers)
        for problem in key_problems(edit.new_name, edit.table):
            field = self._settings.get(setting_of(problem, f"state.{edit.new_name}."))
            message = said(problem, f"the state key {quoted(edit.new_name)}")
            yield FormProblem(message, field, problem.is_error)


_OF_COMMANDS = frozenset(keys_of(CommandPart)) - {"command", "arguments"}


class ToolForm(FormModel[EditPart]):
    """Asks for the name of a tool, and for its function, its command or its canned answers.

    Args:
        design: The design.
        name: The tool; None for a new one.
    """

    KIND = DESIGN

    def __init__(self, design: Design, name: str | None = None) -> None:
        self._tool = name
        self._table = design.tools[name].table if name is not None else {}
        self._own_name = own_name("tools", name, design.tools)
        self._settings = fields_of(ToolPart, self._table)
        heading = "New tool" if name is None else f"Tool {name}"
        self._design, self.heading = design, heading
        first = [field for key, field in self._settings.items() if key not in _OF_COMMANDS]
        more = [field for key, field in self._settings.items() if key in _OF_COMMANDS]
        self.contents = contents_of([self._own_name, *first], more)

    def result(self, answers: Answers) -> EditPart | None:
        """Give the edit; None when nothing was changed."""
        return edit_of(self._design, answers, self.edit)

    def edit(self, answers: Answers) -> EditPart:
        """Make the edit of the tool."""
        values, name = values_of(self._settings, answers), answers.value(self._own_name)
        return EditPart("tools", self._tool, name, filled(self._table, tuple(self._settings), values))

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Tell what is wrong with the tool."""
        edit = self.edit(answers)
        for problem in tool_problems(edit.new_name, edit.table):
            field = self._settings.get(setting_of(problem, f"tools.{edit.new_name}."))
            yield FormProblem(said(problem, f"the tool {quoted(edit.new_name)}"), field, problem.is_error)
