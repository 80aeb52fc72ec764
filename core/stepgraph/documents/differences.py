"""What differs between two documents of graphs, by meaning: notes and labels count only where asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from ..nodes.registry import node_type
from ..values.compare import json_equal, shown
from ..values.errors import GraphError
from ..values.json_values import Json, dumps
from ..values.state import UNSET
from .edge_differences import edge_changes
from .schema import KeyPart, NodePart, ToolPart

Document = Mapping[str, Any]
Section = Literal["settings", "state", "tools", "nodes", "edges"]

_DEFAULTS: dict[str, Json] = {
    "start": "",
    "max_steps": 50,
    "on_max_steps": "return_last",
    "on_no_match": "fail",
    "max_seconds": None,
    "feedback": True,
    "no_feedback": [],
}
_NOUNS: dict[Section, str] = {"state": "state key", "tools": "tool", "nodes": "node"}
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs."""

    section: Section
    name: str
    """The state key, tool or node; of an edge the node that it leaves; empty for the settings."""
    said: str
    """What differs, on one line."""
    key: str = ""
    """The setting that has another value; empty where a whole part was added, removed or moved."""
    old: Json = None
    new: Json = None
    """What it was and what it became; None where it was not there, and for the values of secret keys."""


def differences(old: Document, new: Document) -> list[str]:
    """One line for each difference between two documents, empty when they mean the same.

    Args:
        old: A document, as ``to_document`` makes it.
        new: Another one.
    """
    return [change.said for change in changes(old, new)]


def changes(old: Document, new: Document, *, words: bool = False) -> Iterator[Difference]:
    """Each difference between two documents.

    Args:
        old: A document, as ``to_document`` makes it.
        new: Another one.
        words: Whether notes and labels count too, which are for people and change no run.
    """
    yield from _settings(old, new, words)
    for section in _NOUNS:
        yield from _tables(old.get(section, {}), new.get(section, {}), section, words)
    for source, key, said, was, now in edge_changes(old.get("edges", []), new.get("edges", []), words):
        yield Difference("edges", source, said, key, was, now)


def _settings(old: Document, new: Document, words: bool) -> Iterator[Difference]:
    if old.get("name") != new.get("name"):
        yield _setting("name", old.get("name"), new.get("name"))
    for name, default in _DEFAULTS.items():
        was, now = old.get(name, default), new.get(name, default)
        if name == "no_feedback":
            was, now = sorted(was), sorted(now)
        if not json_equal(was, now):
            yield _setting(name, was, now)
    if words and old.get("note", "") != new.get("note", ""):
        had, has = "note" in old, "note" in new
        was, now = old.get("note"), new.get("note")
        yield Difference("settings", "", f"note {_change(was, now, had, has)}", "note", was, now)


def _setting(name: str, was: Json, now: Json) -> Difference:
    said = f"{name}: {shown(was, _SHOWN)} became {shown(now, _SHOWN)}"
    return Difference("settings", "", said, name, was, now)


def _tables(
    old: Mapping[str, Document], new: Mapping[str, Document], section: Section, words: bool
) -> Iterator[Difference]:
    noun = _NOUNS[section]
    for name in old:
        if name not in new:
            yield Difference(section, name, f"{noun} {name!r} was removed")
    for name, table in new.items():
        if name not in old:
            yield Difference(section, name, f"{noun} {name!r} was added")
        else:
            yield from _table(section, name, old[name], table, words)


def _table(section: Section, name: str, old: Document, new: Document, words: bool) -> Iterator[Difference]:
    is_secret = section == "state" and bool(old.get("secret") or new.get("secret"))
    defaults = _defaults(section, old, new)
    for key in dict.fromkeys([*old, *new]):
        if key == "note" and not words:
            continue
        was, now, had, has = old.get(key), new.get(key), key in old, key in new
        holds = (had or key in defaults) == (has or key in defaults)
        if holds and json_equal(old.get(key, defaults.get(key)), new.get(key, defaults.get(key))):
            continue
        if is_secret and key == "default":
            said, was, now = _hidden(had, has), None, None
        else:
            said = _change(was, now, had, has)
        yield Difference(section, name, f"{_NOUNS[section]} {name!r}: {key} {said}", key, was, now)


def _defaults(section: Section, old: Document, new: Document) -> dict[str, Json]:
    """What holds in both tables where they do not say otherwise."""
    models: list[Any] = [{"state": KeyPart, "tools": ToolPart, "nodes": NodePart}[section]]
    type_ = old.get("type")
    if section == "nodes" and isinstance(type_, str) and type_ == new.get("type"):
        with suppress(GraphError):  # nothing is known of a type that is not installed
            models.append(getattr(node_type(type_), "Settings", None))
    found: dict[str, Json] = {}
    for model in filter(None, models):
        for key, field in model.model_fields.items():
            if not field.is_required() and field.default is not UNSET:
                value = field.get_default(call_default_factory=True)
                found[key] = list(value) if isinstance(value, tuple) else value
    return found


def _hidden(had: bool, has: bool) -> str:
    return "changed" if had and has else "was removed" if had else "was added"


def _change(was: Json, now: Json, had: bool, has: bool) -> str:
    if not had:
        return f"{shown(now, _SHOWN)} was added"
    if not has:
        return f"{shown(was, _SHOWN)} was removed"
    if any(len(dumps(value)) > _SHOWN for value in (was, now)):
        return "changed"
    return f"{shown(was, _SHOWN)} became {shown(now, _SHOWN)}"
