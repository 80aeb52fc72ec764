"""Find and change names in the parts of a design when a node, a key or a tool is renamed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..expressions.rename import with_keys, with_nodes
from ..graphs.parts import RESERVED
from ..nodes.holding import Held, Holds, held
from ..nodes.tool import ANY as ANY_TOOL
from ..templates.rename import with_key
from ..templates.rename import with_nodes as with_visits
from ..tools.call_line import with_tool
from ..values.errors import StepgraphError
from .edit import EditError
from .naming import edge_said, said
from .node_defaults import fields_of, settings_model

if TYPE_CHECKING:
    from collections.abc import Container

    from .design import Design, Part

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

    def followed(self, design: Design, named: Part | None = None, name: str = "") -> Design:
        """Make the design whose nodes and edges use the new names.

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
        """Make a node or an edge use the new names; it is the same one when nothing changes.

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
                raise _refused(f"{key!r} of {said(part.name)}", error) from None
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
        """Say how a setting is rewritten; None where it never is."""
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
        """Give an edge the new names of its ends."""
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
    """Rename a tool in settings, in what models are told and in what they say."""

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
        for key, holds in held(model).items()
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
