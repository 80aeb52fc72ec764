"""The node type ``transform``: set, copy, rename and delete keys of the state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from ..templates.template import rendered, templates_in
from ..values.declared import Converted, Declared, field
from ..values.errors import NodeFailed
from ..values.json_values import Json, by_path, read_path, with_kind
from ..values.problems import did_you_mean
from .base import BaseNode, JsonTable, NodeFacts, NodeResult, holding, in_tables_too

if TYPE_CHECKING:
    from ..values.state import State


def _flat(table: object) -> object:
    """Accept paths without quotes too, which TOML reads as tables in tables."""
    return by_path(table) if isinstance(table, dict) else table


_Paths = Annotated[dict[str, str], Converted(_flat, first=True, takes=in_tables_too)]


class TransformSettings(Declared):
    """The settings of a ``transform`` node."""

    set: Annotated[JsonTable, Converted(_flat, first=True)] = field(
        default_factory=dict,
        description="New values by path; texts are templates, also within lists.",
        examples=[{"order.total": "{{ order.amount * 2 }}"}],
        json_schema_extra=holding("template", keys="path"),
    )
    copied: _Paths = field(
        default_factory=dict,
        alias="copy",  # a pydantic model has a method of that name
        description="Copies: each path gets the value of another.",
        examples=[{"original": "draft"}],
        json_schema_extra=holding("path", keys="path"),
    )
    rename: _Paths = field(
        default_factory=dict,
        description="Renames: each path gets the value of another, which is removed.",
        examples=[{"letter": "draft"}],
        json_schema_extra=holding("path", keys="path"),
    )
    delete: tuple[str, ...] = field(
        (),
        description="Paths to delete; missing ones are ignored.",
        examples=[["draft", "order.note"]],
        json_schema_extra=holding("path"),
    )

    def _check(self) -> None:
        """Refuse paths that are none, and two values for one path."""
        written = [*self.set, *self.copied, *self.rename]
        for path in (*written, *self.copied.values(), *self.rename.values(), *self.delete):
            if not all(path.split(".")):
                raise ValueError(f"{path!r} is not a path into the state: write keys with dots between them")
        twice = next((path for path in written if written.count(path) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice!r} gets two values: write it in one of 'set', 'copy' and 'rename'")


class TransformNode(BaseNode):
    """Sets, copies, renames and deletes state keys.

    What is on the right of ``set``, ``copy`` and ``rename`` is read in the state as the node found it.
    Then ``delete`` and the old names of ``rename`` go, and the new values come, in the order of the table.
    """

    type: ClassVar[str] = "transform"
    Settings = TransformSettings
    settings: TransformSettings

    def execute(self, state: State) -> NodeResult:
        """Compute the changed keys."""
        settings = self.settings
        found = {key: state[key] for key in state}
        news = {path: rendered(value, f"set.{path}", state) for path, value in settings.set.items()}
        for path, source in (*settings.copied.items(), *settings.rename.items()):
            news[path] = _read(found, source)
        now = dict(found)
        for path in (*settings.rename.values(), *settings.delete):
            now = _without(now, path)
        for path, value in news.items():
            now = _with(now, path, value, path)
        changed = {_head(found, path) for path in (*news, *settings.rename.values(), *settings.delete)}
        return NodeResult({key: now.get(key) for key in sorted(changed) if key in found or key in now})

    def facts(self) -> NodeFacts:
        """Declare its texts, the keys that it copies, renames or deletes, and those that it gives values.

        Where it takes a part of a key away, it writes that key.
        """
        settings = self.settings
        removes = (*settings.rename.values(), *settings.delete)
        parts = (path for path in removes if "." in path)
        return NodeFacts(
            templates=tuple(templates_in(dict(settings.set), "set")),
            reads=_heads((*settings.copied.values(), *removes)),
            writes=_heads((*settings.set, *settings.copied, *settings.rename, *parts)),
            removes=removes,
        )


def _heads(paths: Iterable[str]) -> frozenset[str]:
    return frozenset(path.split(".")[0] for path in paths)


def _head(values: dict[str, Json], path: str) -> str:
    """Name the top-level key that a path leads into; one with dots in its name is not a path into another."""
    return path if path in values else path.split(".")[0]


def _read(values: dict[str, Json], path: str) -> Json:
    """Read the value at a path.

    Raises:
        NodeFailed: There is none.
    """
    try:
        return read_path(values, path)
    except KeyError as error:
        before, _, last = error.args[0].rpartition(".")
        known: Any = read_path(values, before) if before else values
        hint = did_you_mean(last, known, listing="there are") if isinstance(known, dict) else ""
        message = f"{path!r} is missing: the state has no {error.args[0]!r}"
        raise NodeFailed(message, hint=hint) from None


def _with(table: dict[str, Json], path: str, value: Json, whole: str) -> dict[str, Json]:
    """Set the value of a table at a path, creating missing tables.

    Raises:
        NodeFailed: The path leads through something that is not a table.
    """
    head, _, rest = path.partition(".")
    if not rest or path in table:
        return {**table, path: value}
    inner = table.get(head)
    if inner is None:
        inner = {}
    if type(inner) is not dict:
        at = whole.removesuffix(f".{rest}")
        raise NodeFailed(
            f"{whole!r} cannot be set: {at!r} is {with_kind(inner)}, not a table",
            hint=f"set the whole of {at!r}",
        )
    return {**table, head: _with(inner, rest, value, whole)}


def _without(table: dict[str, Json], path: str) -> dict[str, Json]:
    """Remove what is at a path from a table; where nothing is, it stays as it is."""
    head, _, rest = path.partition(".")
    if path in table or not rest:
        return {key: item for key, item in table.items() if key != path}
    inner = table.get(head)
    return {**table, head: _without(inner, rest)} if type(inner) is dict else table
