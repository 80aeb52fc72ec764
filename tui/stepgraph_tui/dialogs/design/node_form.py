"""The form of a node: its name, and the settings of its type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from stepgraph.documents import COMMON, GraphPart, KeyPart, NodePart, ReviewsPart, ToolPart
from stepgraph.editing import Design, EditPart, EditSettings
from stepgraph.graphs.validation.report import quoted
from stepgraph.nodes import node_type
from stepgraph.tools import CommandPart, arguments_text
from stepgraph.values import UNSET, GraphError, ValueType, keys_of

from ...commands.hints import UNMAPPED, Hints
from ..forms import completing
from ..forms.field import LONGEST, Answers, Field, FormModel, FormProblem
from ..forms.fields import fields_of
from ..forms.form import FixedRow
from ..forms.formats import Format, Misfit, TextFormat, TomlFormat, one_of, same
from .model import (
    DESIGN,
    CompletionNames,
    contents_of,
    edit_of,
    filled,
    head_problems,
    key_problems,
    node_problems,
    own_name,
    problem_text,
    setting_of,
    tool_problems,
    values_of,
    worded,
)

if TYPE_CHECKING:
    from pydantic import BaseModel

    from stepgraph.tools import KnownTools
    from stepgraph.values import Declared, Problem


ProblemsOf: TypeAlias = Callable[[EditPart], Iterable["Problem"]]
"""All that is wrong with the graph as an edit would leave it."""
_LONG = 2_000  # characters of a template
_MANY = 200  # keys and tools
_TERMS = tuple(keys_of(ReviewsPart))
_FOLDED = ("side_effects", "timeout", "review", *_TERMS)


class NodeForm(FormModel[EditPart]):
    """Asks for the name and the settings of a node.

    Args:
        design: The design.
        name: The node.
        problems_of: What is wrong with the graph after an edit; when None, only the node itself is checked.
        names: The names that can be completed in templates; when None, the keys that the design knows.
        tools: What is known of tools: their arguments are completed and checked.
        is_new: Whether the node was just added, so that what is in it are examples to be typed over.
        hints: Names the keys.
    """

    KIND = DESIGN

    def __init__(
        self,
        design: Design,
        name: str,
        *,
        problems_of: ProblemsOf | None = None,
        names: Sequence[str] | None = None,
        tools: KnownTools | None = None,
        is_new: bool = False,
        hints: Hints = UNMAPPED,
    ) -> None:
        self._node, self._table = name, design.nodes[name].table
        self._problems_of = problems_of or (
            lambda edit: node_problems(design, edit.new_name, edit.table, tools)
        )
        self._tools = tools.specs if tools is not None else {}
        self._tool = self._table.get("tool")
        self.are_examples = is_new
        known = CompletionNames.of(design, names, self._tools)
        model = _model(self._table.get("type"))
        fields = {key: known.completed(field) for key, field in _fields(model, self._table).items()}
        if "tool" in fields and "arguments" in fields:
            fields["arguments"] = self._of_tool(fields["arguments"], known)
        self._own_name = own_name("nodes", name, design.nodes)
        self._order = ("type", *fields)
        self._others = _others(model, self._table, fields)
        more = [fields[key] for key in _FOLDED if key in fields]
        self._settings = fields
        type_ = FixedRow(
            "type",
            str(self._table.get("type", "")) or "none",
            hints("{edit.type} in the graph changes it"),
        )
        others = [self._others] if self._others is not None else []
        first = [field for key, field in fields.items() if key not in _FOLDED]
        self._design, self.heading = design, f"Node {name}"
        self.contents = contents_of([self._own_name, type_, *first, *others], more)

    def _of_tool(self, field: Field, known: CompletionNames) -> Field:
        """Complete the arguments of the tool that is named in the form just now."""
        template = completing.template(known.state)

        def complete(before: str) -> completing.Offer | None:
            spec = self._tools.get(str(self._tool))
            types = {name: spec.types.get(name) for name in spec.arguments} if spec is not None else {}
            return template(before) or completing.argument(before, types)

        spec = self._tools.get(str(self._tool))
        note = f"{field.note} {self._tool} takes: {arguments_text(spec)}." if spec is not None else field.note
        return replace(field, completer=complete, note=note)

    def result(self, answers: Answers) -> EditPart | None:
        """Return the edit; None when nothing was changed in a node that was there."""
        return edit_of(self._design, answers, self.edit, is_new=self.are_examples)

    def edit(self, answers: Answers) -> EditPart:
        """Build the edit; what was not touched is the same as before."""
        values = values_of(self._settings, answers)
        if self._others is not None:
            values |= _keep_unknown(self._others.value, answers.value(self._others))
        name = answers.value(self._own_name)
        return EditPart("nodes", self._node, name, filled(self._table, self._order, values))

    def is_slow(self, answers: Answers) -> bool:
        """Check whether checking would hold up the keys: long templates and graphs of many keys take long."""
        texts = map(answers.text, answers.fields)
        long = any(len(text) > _LONG and "{" in text for text in texts)
        return long or len(self._design.keys) + len(self._design.tools) > _MANY

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Find what is wrong with the node."""
        if any(len(answers.text(field)) > LONGEST for field in answers.fields):
            return  # to check such a text may take seconds
        edit = self.edit(answers)
        self._tool = edit.table.get("tool")
        for problem in self._problems_of(edit):
            if problem.place.node != edit.new_name:
                continue
            key = setting_of(problem)
            field = self._settings.get(key) or (self._others if key not in ("", "type") else None)
            message = problem_text(
                problem, f"node {edit.new_name!r} ({edit.table.get('type')})", f"node {edit.new_name!r}"
            )
            yield FormProblem(message, field, problem.is_error, problem.excerpt)


def _model(type_: object) -> type[Declared] | type[BaseModel] | None:
    try:
        return getattr(node_type(type_), "Settings", None) if isinstance(type_, str) else None
    except GraphError:
        return None


def _fields(model: type[Declared] | type[BaseModel] | None, table: Mapping[str, Any]) -> dict[str, Field]:
    """Build the fields of all that a node's table may have, in the usual order, except its type."""
    common = fields_of(NodePart, table)
    own = fields_of(model, table) if model is not None else {}
    last = {key: common[key] for key in ("review", "side_effects", *_TERMS)}
    return {"note": common["note"], **own, **last}


def _others(
    model: type[Declared] | type[BaseModel] | None, table: Mapping[str, Any], known: Mapping[str, Field]
) -> Field | None:
    """Collect the settings that the type does not know, to be corrected; all, where the type is unknown."""
    others = {key: value for key, value in table.items() if key not in known and key not in COMMON}
    if model is not None and not others:
        return None
    note = "Settings that its type does not know." if model is not None else "This type is not known here."
    return Field("others", TomlFormat(("table",), editor="lines"), others, {}, note, title="other settings")


def _keep_unknown(before: Mapping[str, Any], after: Any) -> dict[str, Any]:
    """Decide what to make of the unknown settings; those that were not touched are the same objects."""
    now: Mapping[str, Any] = {} if after is UNSET else after
    changed = {key: value for key, value in now.items() if not same(before.get(key, UNSET), value)}
    return {**dict.fromkeys(before.keys() - now.keys(), UNSET), **changed}


_ASKED = ("name", "note", "start", "max_steps", "on_max_steps", "on_no_match", "review")
_GRAPH_FOLDED = ("max_seconds", "max_cost", "max_tokens", "feedback", "no_feedback", "reviews")
_DEFAULT = 'Its value at the start: plain text for the type text ("" for empty text), else TOML.'
_MANY_NODES = 300  # nodes
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
        self._settings = {name: settings[name] for name in (*_ASKED, *_GRAPH_FOLDED)}
        heading = str(design.head.get("name", "")) or "without a name"
        first, more = [settings[name] for name in _ASKED], [settings[name] for name in _GRAPH_FOLDED]
        self._design, self.heading = design, f"Graph {heading}"
        self.contents = contents_of(first, more)

    def result(self, answers: Answers) -> EditSettings | None:
        """Return the edit; None when nothing was changed."""
        return edit_of(self._design, answers, self.edit)

    def edit(self, answers: Answers) -> EditSettings:
        """Build the edit of the settings."""
        values = values_of(self._settings, answers)
        return EditSettings(filled(self._design.head, ("format", *self._settings), values))

    def is_slow(self, answers: Answers) -> bool:
        """Check whether there are many nodes: their names take long to compare."""
        return len(self._design.nodes) > _MANY_NODES

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Find what is wrong with the settings."""
        for problem in head_problems(self._design, self.edit(answers).head):
            field = self._settings.get(setting_of(problem))
            if field is not None:
                yield FormProblem(problem_text(problem), field, problem.is_error)


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
        """Return the edit; None when nothing was changed."""
        return edit_of(self._design, answers, self.edit)

    def edit(self, answers: Answers) -> EditPart:
        """Build the edit of the declaration."""
        values, name = values_of(self._settings, answers), answers.value(self._own_name)
        return EditPart("state", self._key, name, filled(self._table, tuple(self._settings), values))

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Find what is wrong with the declaration."""
        edit = self.edit(answers)
        for problem in key_problems(edit.new_name, edit.table):
            field = self._settings.get(setting_of(problem, f"state.{edit.new_name}."))
            message = problem_text(problem, f"the state key {quoted(edit.new_name)}")
            yield FormProblem(message, field, problem.is_error)


_OF_COMMANDS = frozenset(keys_of(CommandPart)) - {"command", "arguments"}


class ToolForm(FormModel[EditPart]):
    """Asks for the name of a tool, and for its function, its command or its scripted answers.

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
        """Return the edit; None when nothing was changed."""
        return edit_of(self._design, answers, self.edit)

    def edit(self, answers: Answers) -> EditPart:
        """Build the edit of the tool."""
        values, name = values_of(self._settings, answers), answers.value(self._own_name)
        return EditPart("tools", self._tool, name, filled(self._table, tuple(self._settings), values))

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Find what is wrong with the tool."""
        edit = self.edit(answers)
        for problem in tool_problems(edit.new_name, edit.table):
            field = self._settings.get(setting_of(problem, f"tools.{edit.new_name}."))
            yield FormProblem(
                problem_text(problem, f"the tool {quoted(edit.new_name)}"), field, problem.is_error
            )
