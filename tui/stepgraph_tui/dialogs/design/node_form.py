"""The form of a node: its name, and the settings of its type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from stepgraph.documents.schema import COMMON, NodePart, ReviewsPart
from stepgraph.editing import Design
from stepgraph.editing.parts import EditPart
from stepgraph.nodes.registry import node_type
from stepgraph.tools.known import arguments_text
from stepgraph.values.declared import keys_of
from stepgraph.values.errors import GraphError
from stepgraph.values.state import UNSET
from stepgraph_tui.commands.hints import UNMAPPED, Hints
from stepgraph_tui.dialogs.forms import completing
from stepgraph_tui.dialogs.forms.field import LONGEST, Answers, Field, FormProblem
from stepgraph_tui.dialogs.forms.form import FixedRow
from stepgraph_tui.dialogs.forms.formats import same
from stepgraph_tui.dialogs.forms.model import FormModel
from stepgraph_tui.dialogs.forms.of_model import fields_of
from stepgraph_tui.dialogs.forms.toml_format import TomlFormat

from .checking import node_problems, said, setting_of
from .model import DESIGN, CompletionNames, contents_of, edit_of, filled, own_name, values_of

if TYPE_CHECKING:
    from pydantic import BaseModel

    from stepgraph.tools.known import KnownTools
    from stepgraph.values.declared import Declared
    from stepgraph.values.problems import Problem

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
        is_new: Whether the node was just added, so that what stands in it are examples to be typed over.
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
        """Let a field complete the arguments of the tool that is named in the form just now."""
        template = completing.template(known.state)

        def complete(before: str) -> completing.Offer | None:
            spec = self._tools.get(str(self._tool))
            types = {name: spec.types.get(name) for name in spec.arguments} if spec is not None else {}
            return template(before) or completing.argument(before, types)

        spec = self._tools.get(str(self._tool))
        note = f"{field.note} {self._tool} takes: {arguments_text(spec)}." if spec is not None else field.note
        return replace(field, completer=complete, note=note)

    def result(self, answers: Answers) -> EditPart | None:
        """Give the edit; None when nothing was changed in a node that was there."""
        return edit_of(self._design, answers, self.edit, is_new=self.are_examples)

    def edit(self, answers: Answers) -> EditPart:
        """Make the edit; what was not touched is the same as before."""
        values = values_of(self._settings, answers)
        if self._others is not None:
            values |= _kept(self._others.value, answers.value(self._others))
        name = answers.value(self._own_name)
        return EditPart("nodes", self._node, name, filled(self._table, self._order, values))

    def is_slow(self, answers: Answers) -> bool:
        """Tell whether checking would hold up the keys: long templates and graphs of many keys take long."""
        texts = map(answers.text, answers.fields)
        long = any(len(text) > _LONG and "{" in text for text in texts)
        return long or len(self._design.keys) + len(self._design.tools) > _MANY

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Tell what is wrong with the node."""
        if any(len(answers.text(field)) > LONGEST for field in answers.fields):
            return  # to check such a text may take seconds
        edit = self.edit(answers)
        self._tool = edit.table.get("tool")
        for problem in self._problems_of(edit):
            if problem.place.node != edit.new_name:
                continue
            key = setting_of(problem)
            field = self._settings.get(key) or (self._others if key not in ("", "type") else None)
            message = said(
                problem, f"node {edit.new_name!r} ({edit.table.get('type')})", f"node {edit.new_name!r}"
            )
            yield FormProblem(message, field, problem.is_error, problem.excerpt)


def _model(type_: object) -> type[Declared] | type[BaseModel] | None:
    try:
        return getattr(node_type(type_), "Settings", None) if isinstance(type_, str) else None
    except GraphError:
        return None


def _fields(model: type[Declared] | type[BaseModel] | None, table: Mapping[str, Any]) -> dict[str, Field]:
    """Make a field of all that a node's table may have, in the usual order, but for its type."""
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


def _kept(before: Mapping[str, Any], after: Any) -> dict[str, Any]:
    """Decide what to make of the unknown settings; those that were not touched are the same objects."""
    now: Mapping[str, Any] = {} if after is UNSET else after
    changed = {key: value for key, value in now.items() if not same(before.get(key, UNSET), value)}
    return {**dict.fromkeys(before.keys() - now.keys(), UNSET), **changed}
