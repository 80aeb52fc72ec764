"""The form of a node: its name, and the settings of its type."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from stepgraph.documents.schema import COMMON, NodePart
from stepgraph.editing import Design
from stepgraph.editing.parts import EditPart
from stepgraph.nodes.registry import node_type
from stepgraph.values.compare import json_equal
from stepgraph.values.errors import GraphError
from stepgraph.values.state import UNSET
from stepgraph_tui.commands import COMMANDS

from .checking import node_problems, said, setting_of
from .fact import Fact
from .field import FormField, Wrong
from .form import DesignForm, EditElsewhere
from .naming import Names, own_name
from .of_model import settings_of
from .setting import Setting, filled
from .shapes import Table

if TYPE_CHECKING:
    from pydantic import BaseModel

    from stepgraph.values.problems import Problem

ProblemsOf: TypeAlias = Callable[[EditPart], Iterable["Problem"]]
"""All that is wrong with the graph as an edit would leave it."""
_LONG = 2_000  # characters of a template
_MANY = 200  # keys and tools
_FOLDED = ("side_effects", "review")


class NodeForm(DesignForm[EditPart]):
    """Asks for the name and the settings of a node.

    Args:
        design: The design.
        name: The node.
        edit_in_editor: Edits a text in $EDITOR.
        problems_of: What is wrong with the graph after an edit; when None, only the node itself is checked.
        names: The names that can be completed in templates; when None, the keys that the design knows.
        is_new: Whether the node was just added, so that what stands in it are examples to be typed over.
    """

    def __init__(
        self,
        design: Design,
        name: str,
        *,
        edit_in_editor: EditElsewhere | None = None,
        problems_of: ProblemsOf | None = None,
        names: Sequence[str] | None = None,
        is_new: bool = False,
    ) -> None:
        self._node, self._table = name, design.nodes[name].table
        self._problems_of = problems_of or (lambda edit: node_problems(design, edit.new_name, edit.table))
        known = Names.of(design, names)
        model = _model(self._table.get("type"))
        settings = {setting.name: setting for setting in _settings(model, self._table)}
        fields = {key: FormField(one, known.completer(one)) for key, one in settings.items()}
        self._own_name = own_name("nodes", name, design.nodes)
        self._order = ("type", *fields)
        self._others = _others(model, self._table, settings)
        more = [fields.pop(key) for key in _FOLDED]
        self._settings = {**fields, **dict(zip(_FOLDED, more, strict=True))}
        type_ = Fact(
            "type",
            str(self._table.get("type", "")) or "none",
            f"{COMMANDS['edit.type'].key} in the graph changes it",
        )
        others = [self._others] if self._others is not None else []
        super().__init__(
            design, f"Node {name}", [self._own_name, type_, *fields.values(), *others], more, edit_in_editor
        )
        for field in self.fields:
            field.is_example = is_new

    def edit(self) -> EditPart:
        """The node as the fields have it; what was not touched is the same as before."""
        values = {key: field.value for key, field in self._settings.items()}
        if self._others is not None:
            values |= _kept(self._others.setting.value, self._others.value)
        return EditPart("nodes", self._node, self._own_name.value, filled(self._table, self._order, values))

    @property
    def is_slow(self) -> bool:
        """Long templates take long to compile, and a graph of many keys to build."""
        long = any(len(field.text) > _LONG and "{" in field.text for field in self.fields)
        return long or len(self.design.keys) + len(self.design.tools) > _MANY

    def wrong(self) -> Iterator[Wrong]:
        """What is wrong with the node."""
        if any(field.is_long for field in self.fields):
            return  # to check such a text may take seconds
        edit = self.edit()
        for problem in self._problems_of(edit):
            if problem.place.node != edit.new_name:
                continue
            key = setting_of(problem)
            field = self._settings.get(key) or (self._others if key not in ("", "type") else None)
            message = said(
                problem, f"node {edit.new_name!r} ({edit.table.get('type')})", f"node {edit.new_name!r}"
            )
            yield Wrong(message, field, problem.is_error)


def _model(type_: object) -> type[BaseModel] | None:
    try:
        return getattr(node_type(type_), "Settings", None) if isinstance(type_, str) else None
    except GraphError:
        return None


def _settings(model: type[BaseModel] | None, table: Mapping[str, Any]) -> Iterator[Setting]:
    """What a node's table may have, in the usual order, but for its type."""
    common = {setting.name: setting for setting in settings_of(NodePart, table)}
    yield common["note"]
    yield from settings_of(model, table) if model is not None else ()
    yield common["review"]
    yield common["side_effects"]


def _others(
    model: type[BaseModel] | None, table: Mapping[str, Any], known: Mapping[str, Setting]
) -> FormField | None:
    """The settings that the type does not know, to be corrected or left; all, where the type is unknown."""
    others = {key: value for key, value in table.items() if key not in known and key not in COMMON}
    if model is not None and not others:
        return None
    help_ = "What its type does not know." if model is not None else "No such type is known here."
    return FormField(Setting("others", Table(), others, {}, help_, title="other settings"))


def _kept(before: Mapping[str, Any], after: Any) -> dict[str, Any]:
    """What to make of the unknown settings; those that were not touched are the same objects."""
    now: Mapping[str, Any] = {} if after is UNSET else after
    changed = {key: value for key, value in now.items() if not _is_same(before.get(key, UNSET), value)}
    return {**dict.fromkeys(before.keys() - now.keys(), UNSET), **changed}


def _is_same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and json_equal(one, other)
