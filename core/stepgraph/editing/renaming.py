"""Rename nodes, keys of the state and tools, with everything that names them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..documents.schema import COMMON
from ..expressions.rename import with_keys, with_nodes
from ..graphs.parts import RESERVED
from ..nodes.base import Held, Holds, names_held
from ..nodes.registry import build_node, node_type
from ..nodes.tool import ANY as ANY_TOOL
from ..templates.parsing import with_key
from ..templates.parsing import with_nodes as with_visits
from ..tools.call_line import with_tool
from ..values.declared import model_of
from ..values.errors import GraphError, StateError, StepgraphError
from ..values.json_values import Json, plain
from .design import Edited, EditError
from .naming import count_text, edge_said, name_text, new_name, part_in, unique
from .placing import renamed_heads

if TYPE_CHECKING:
    from collections.abc import Container

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from ..nodes.base import BaseNode
    from .design import Design, NamedKind, Part


_EMPTY: dict[str, Json] = {
    "array": [],
    "boolean": False,
    "integer": 1,
    "number": 1,
    "object": {},
    "string": "text",
}


def filled(type_: str) -> dict[str, Json]:
    """Fill the table of a new node: its type, and what the type cannot do without.

    Each required setting gets the first of its field's ``examples``, else a value by its type.

    Raises:
        EditError: There is no such type, or its package is broken.
    """
    return {"type": type_} | _required(settings_model(type_))


def retyped(table: Mapping[str, Any], type_: str) -> tuple[dict[str, Any], list[str]]:
    """Change the type in a node's table, and list the settings that this type cannot keep.

    Raises:
        EditError: There is no such type, or its package is broken.
    """
    model = settings_model(type_)
    required, known = _required(model), set(fields_of(model))
    own = {key: value for key, value in table.items() if key not in COMMON}
    kept = {key: value for key, value in own.items() if key in known}
    wrong = _wrong(model, {**required, **kept})
    kept = {key: value for key, value in kept.items() if key not in wrong}
    found = {"type": type_} | {key: value for key, value in table.items() if key in COMMON or key in kept}
    found["type"] = type_
    missing = {key: value for key, value in required.items() if key not in kept}
    return found | missing, [key for key in own if key not in kept]


def settings_model(type_: object) -> type[BaseModel]:
    """Find the settings model of a node type.

    Raises:
        EditError: There is no such type, or its package is broken.
    """
    try:
        return model_of(node_type(type_ if isinstance(type_, str) else "").Settings)
    except GraphError as error:
        hint = error.problems[0].hint if error.problems else error.hint
        raise EditError(error.message, hint=hint) from None


def fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """List the fields of a settings model, by the keys that they have in a file."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def _required(model: type[BaseModel]) -> dict[str, Json]:
    return {
        key: _example(key, field, model) for key, field in fields_of(model).items() if field.is_required()
    }


def _example(key: str, field: FieldInfo, model: type[BaseModel]) -> Json:
    for example in field.examples or ():
        try:
            found = plain(example, key)
        except StateError:
            continue
        if found is not None:
            return found
    try:
        schema = model.model_json_schema()
        return _by_schema(schema["properties"][key], schema.get("$defs", {}))
    except Exception:  # a model of somebody else's may have types that no schema can tell
        return "text"


def _by_schema(schema: Mapping[str, Any], shared: Mapping[str, Any]) -> Json:
    """Build a value of the kind that a JSON schema asks for; validation checks it in full."""
    if "$ref" in schema:
        return _by_schema(shared[schema["$ref"].rpartition("/")[2]], {})
    for choices in ("enum", "examples"):
        if schema.get(choices):
            return plain(schema[choices][0], choices)
    if "const" in schema:
        return plain(schema["const"], "const")
    for several in ("anyOf", "oneOf", "allOf"):
        if schema.get(several):
            return _by_schema(schema[several][0], shared)
    if schema.get("type") in ("integer", "number") and "minimum" in schema:
        return plain(schema["minimum"], "minimum")
    return plain(_EMPTY[schema["type"]], "a new value")


def _wrong(model: type[BaseModel], settings: Mapping[str, Any]) -> set[str]:
    from pydantic import ValidationError

    try:
        model.model_validate(dict(settings))
    except ValidationError as error:
        return {str(detail["loc"][0]) for detail in error.errors(include_url=False) if detail["loc"]}
    except Exception:  # a validator of somebody else's may raise anything
        return set()
    return set()


Rewrite: TypeAlias = Callable[[str], str]
"""Gives a text with the new names; the same one when it names nothing of them."""


class _HeldSetting(NamedTuple):
    """A setting of a node type that names something."""

    key: str
    holds: Held
    default: str | None
    """What it is when it is left out."""
    texts: Rewrite | None
    """Gives its texts the new names."""
    keys: Rewrite | None
    """Gives the keys of its table the new names."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """How texts change with their names, by what they hold."""

    settings: Mapping[Holds, Rewrite]
    condition: Rewrite | None = None
    key: Rewrite | None = None
    """Rewrites the key of a condition that is a table."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """The new names of nodes that edges leave or lead to."""
    counts: Counter[str] = field(default_factory=Counter)
    """How many edges, settings, templates and conditions have been changed."""
    _held: dict[str, list[_HeldSetting]] = field(default_factory=dict)
    """The settings of each node type that may change: a design has thousands of nodes and few types."""

    def apply(self, design: Design, named: Part | None = None, name: str = "") -> Design:
        """Build the design whose nodes and edges use the new names.

        Args:
            design: The design.
            named: The part that has another name itself; None where it is not declared.
            name: Its name.

        Raises:
            EditError: A text cannot have the new name; it says where.
        """
        changed = {part: (new,) for part in design.parts if (new := self.part(part)) is not part}
        if named is not None:
            (new,) = changed.get(named, (named,))  # it may name itself
            changed[named] = (new.having(new.table, name),)
        return design.replacing(changed) if changed else design

    def part(self, part: Part) -> Part:
        """Rename in a node or an edge; returns the same one when nothing changes.

        Raises:
            EditError: A text cannot have the new name; it says where.
        """
        if part.kind == "nodes":
            return self._node(part)
        return self._edge(part) if part.kind == "edges" else part

    def _node(self, part: Part) -> Part:
        changed: dict[str, Any] = {}
        for setting in self._held_by(part.table.get("type")):
            key = setting.key
            value = part.table.get(key, setting.default)
            if value is None or (key, value) == ("tools", ANY_TOOL):
                continue
            try:
                new = _rewritten(value, setting.texts, setting.keys)
            except StepgraphError as error:
                raise _refused(f"{key!r} of {name_text(part.name)}", error) from None
            if new != value:
                changed[key] = new
                self.counts["template" if setting.holds.texts == "template" else "setting"] += 1
        return part.having({**part.table, **changed}) if changed else part

    def _held_by(self, type_: object) -> list[_HeldSetting]:
        if not isinstance(type_, str):
            return []
        if type_ not in self._held:
            self._held[type_] = [
                setting
                for key, holds, default in _held_settings(type_)
                if (setting := self._setting(key, holds, default)) is not None
            ]
        return self._held[type_]

    def _setting(self, key: str, holds: Held, default: str | None) -> _HeldSetting | None:
        """Find how a setting is rewritten; None where it never is."""
        texts, keys = (self.settings.get(each) if each else None for each in holds)
        if texts is None and keys is None:
            return None
        return _HeldSetting(key, holds, default, texts, keys)

    def _edge(self, part: Part) -> Part:
        if part.source in self.ends or part.target in self.ends:
            part = self._led(part)
        when = part.table.get("when")
        if when is None:
            return part
        try:
            new = self._when(when)
        except StepgraphError as error:
            raise _refused(f"the condition of {edge_said(part)}", error) from None
        if new == when:
            return part
        self.counts["condition"] += 1
        return part.having({**part.table, "when": new})

    def _led(self, part: Part) -> Part:
        """Rename the ends of an edge."""
        ends = {"from": part.source, "to": part.target}
        changed = {key: self.ends[end] for key, end in ends.items() if end in self.ends}
        self.counts["edge"] += 1
        return part.having({**part.table, **changed})

    def _when(self, when: Any) -> Any:
        if isinstance(when, str) and self.condition is not None:
            return self.condition(when)
        if isinstance(when, dict) and isinstance(when.get("key"), str) and self.key is not None:
            return {**when, "key": self.key(when["key"])}
        return when


def of_nodes(names: Mapping[str, str], *, ends: bool = False) -> Renaming:
    """Rename nodes where settings and conditions name them, and perhaps at the ends of edges."""
    return Renaming(
        {
            "node": lambda text: names.get(text, text),
            "template": lambda text: with_visits(text, names),
            "condition": lambda text: with_nodes(text, names),
        },
        lambda text: with_nodes(text, names),
        ends={old: new for old, new in names.items() if old not in RESERVED} if ends else {},
    )


def of_tool(old: str, new: str) -> Renaming:
    """Rename a tool in settings, in prompts and in scripted replies."""

    def in_calls(text: str) -> str:
        return with_tool(text, old, new)

    return Renaming(
        {"tool": lambda text: new if text == old else text, "template": in_calls, "reply": in_calls}
    )


def of_key(old: str, new: str, declared: Container[str]) -> Renaming:
    """Rename a key of the state in settings, paths, templates and conditions.

    Args:
        old: The key.
        new: Its new name.
        declared: The keys that are declared: one with a dot in its name is not a path into another.
    """

    def key(text: str) -> str:
        return new if text == old else text

    def path(text: str) -> str:
        head, _, rest = text.partition(".")
        if text != old and (head != old or text in declared):
            return text
        if not new or "." in new:
            raise EditError("a path cannot lead through a name with a dot", hint="leave the dot out")
        return new if text == old else f"{new}.{rest}"

    settings: dict[Holds, Rewrite] = {
        "key": key,
        "path": path,
        "template": lambda text: with_key(text, old, new),
        "condition": lambda text: with_keys(text, {old: new}),
    }
    return Renaming(settings, lambda text: with_keys(text, {old: new}), key)


def path_heads(node: Part) -> frozenset[str]:
    """Collect the first parts of the dotted paths that a node's settings name."""
    heads: set[str] = set()

    def head(text: str) -> str:
        heads.add(text.partition(".")[0])
        return text

    Renaming({"path": head}).part(node)
    return frozenset(heads)


def renamed_parts(parts: Iterable[Part], names: Mapping[str, str]) -> list[Part]:
    """Copy nodes and edges so that some nodes have other names."""
    renaming = of_nodes(names, ends=True)
    renamed = []
    for part in parts:
        if part.kind == "nodes":
            part = part.having(part.table, names.get(part.name, part.name))
        renamed.append(renaming.part(part))
    return renamed


def _held_settings(type_: str) -> list[tuple[str, Held, str | None]]:
    """Find the settings of a node type that name something, each with what it is when it is left out."""
    try:
        model = settings_model(type_)
    except EditError:
        return []
    fields = fields_of(model)
    return [
        (key, holds, fields[key].default if isinstance(fields[key].default, str) else None)
        for key, holds in names_held(model).items()
    ]


def _rewritten(value: Any, texts: Rewrite | None, keys: Rewrite | None) -> Any:
    """Rewrite every text in a setting, and the keys of its table."""
    if isinstance(value, dict) and keys is not None:
        return {keys(key): _rewritten(item, texts, None) for key, item in value.items()}
    if isinstance(value, str):
        return value if texts is None else texts(value)
    if isinstance(value, list):
        return [_rewritten(item, texts, None) for item in value]
    if isinstance(value, dict):
        return {key: _rewritten(item, texts, None) for key, item in value.items()}
    return value


def _refused(where: str, error: StepgraphError) -> EditError:
    return EditError(f"{where} cannot take the new name: {error.message}", hint=error.hint)


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename a node, a tool, or a key of the state, which need not be declared."""

    kind: NamedKind
    old: str
    new: str

    def apply(self, design: Design) -> Edited:
        """Rename it wherever it is named, and count what followed.

        Raises:
            EditError: There is nothing of that name, a node type uses the key by itself, or the new name
                cannot be used.
        """
        if self.kind != "state":
            part_in(design, self.kind, self.old)
        part = design.by_name(self.kind).get(self.old)
        node = self.new if self.kind == "nodes" else None
        if self.new == self.old:
            return Edited(design, f"leave {name_text(self.old)} as it is", node=node)
        new_name(self.new, self.kind, design.by_name(self.kind))
        if self.kind == "state" and uses_key(design, self.new):
            raise EditError(
                f"{name_text(self.new)} is already the name of another key",
                hint="choose a name that is not in use",
            )
        renaming = self._renaming(design)
        renamed = renaming.apply(design, part, self.new)
        if renamed is design:
            part_in(design, self.kind, self.old)
        if self.kind == "nodes":
            renamed = renamed_heads(renamed, self.old, self.new)
        text = _describe_counts(self.old, self.new, renaming.counts)
        if self.kind == "state":
            text += self._noted_of_key(renamed)
        names = self.old, self.new
        return Edited(
            renamed,
            text,
            node=node,
            renamed=names if self.kind == "nodes" else None,
            renamed_key=names if self.kind == "state" else None,
        )

    def _renaming(self, design: Design) -> Renaming:
        if self.kind == "nodes":
            return of_nodes({self.old: self.new}, ends=True)
        if self.kind == "tools":
            return of_tool(self.old, self.new)
        return of_key(self.old, self.new, design.keys)

    def _noted_of_key(self, renamed: Design) -> str:
        type_ = fixed_keys(renamed).get(self.old)
        if type_ is not None:
            message = f"nodes of the type {name_text(type_)} use the key {name_text(self.old)} by that name"
            raise EditError(message, hint="this one cannot be renamed")
        return "; Python code is not searched" if code_reads(renamed) else ""


def _describe_counts(old: str, new: str, counts: Counter[str]) -> str:
    nouns = ("edge", "condition", "template", "setting")
    parts = [count_text(counts[noun], noun) for noun in nouns if counts[noun]]
    text = f"rename {name_text(old)} to {name_text(new)}"
    return f"{text}: {', '.join(parts)}" if parts else text


def uses_key(design: Design, key: str) -> bool:
    """Whether a setting, a template, a condition or a node type names a key."""
    renaming = of_key(key, unique("unused", {key}), design.keys)
    try:
        if renaming.apply(design) is not design:
            return True
    except EditError:  # it is there, in a place that takes no other name
        return True
    return key in fixed_keys(design)


def fixed_keys(design: Design) -> dict[str, str]:
    """Find the keys that the first node of each type reads or writes, and the type.

    What its settings name as paths is left out: a node that shows ``order.id`` says that it reads ``order``,
    also where there is a key with a dot in its name.
    """
    found: dict[str, str] = {}
    for type_, node in _samples(design).items():
        facts = node.facts()
        names = facts.all_reads | (facts.writes or frozenset())
        for key in names - path_heads(design.nodes[node.name]):
            found.setdefault(key, type_)
    return found


def code_reads(design: Design) -> bool:
    """Whether there is Python code, which may name keys that nobody sees."""
    predicates = (edge.table.get("when") for edge in design.edges)
    return any(node.facts().handlers for node in _samples(design).values()) or any(
        isinstance(when, dict) and "predicate" in when for when in predicates
    )


def _samples(design: Design) -> dict[str, BaseNode]:
    """Build one node of each type: what a type names by itself, all its nodes name."""
    found: dict[str, BaseNode] = {}
    for part in design.nodes.values():
        type_ = part.table.get("type")
        if isinstance(type_, str) and type_ not in found:
            settings = {key: value for key, value in part.table.items() if key not in COMMON}
            node, _ = build_node(part.name, type_, settings)
            if node is not None:
                found[type_] = node
    return found
