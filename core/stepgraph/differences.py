"""What differs between two documents of graphs, by meaning: notes and labels do not count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from .compare import escaped, json_equal, shown
from .json_values import Json, canonical, dumps

Document = Mapping[str, Any]
_End = tuple[str, str]
"""Where an edge leads, and its condition as canonical JSON."""

_DEFAULTS: dict[str, Json] = {
    "start": "",
    "max_steps": 50,
    "on_max_steps": "return_last",
    "on_no_match": "fail",
    "max_seconds": None,
    "feedback": True,
    "no_feedback": [],
}
_SHOWN = 40


def differences(old: Document, new: Document) -> list[str]:
    """One line for each difference between two documents, empty when they mean the same.

    Args:
        old: A document, as ``to_document`` makes it.
        new: Another one.
    """
    lines = list(_settings(old, new))
    for table, noun in (("state", "state key"), ("tools", "tool"), ("nodes", "node")):
        lines += _tables(old.get(table, {}), new.get(table, {}), noun)
    return lines + list(_edges(old.get("edges", []), new.get("edges", [])))


def _settings(old: Document, new: Document) -> Iterator[str]:
    if old.get("name") != new.get("name"):
        yield f"name: {shown(old.get('name'), _SHOWN)} became {shown(new.get('name'), _SHOWN)}"
    for name, default in _DEFAULTS.items():
        was, now = old.get(name, default), new.get(name, default)
        if name == "no_feedback":
            was, now = sorted(was), sorted(now)
        if not json_equal(was, now):
            yield f"{name}: {shown(was, _SHOWN)} became {shown(now, _SHOWN)}"


def _tables(old: Document, new: Document, noun: str) -> Iterator[str]:
    for name in old:
        if name not in new:
            yield f"{noun} {name!r} was removed"
    for name, table in new.items():
        if name not in old:
            yield f"{noun} {name!r} was added"
            continue
        for key in dict.fromkeys([*old[name], *table]):
            was, now = old[name].get(key), table.get(key)
            if key != "note" and not (json_equal(was, now) and (key in old[name]) == (key in table)):
                yield f"{noun} {name!r}: {key} {_change(was, now, key in old[name], key in table)}"


def _change(was: Json, now: Json, had: bool, has: bool) -> str:
    if not had:
        return f"{shown(now, _SHOWN)} was added"
    if not has:
        return f"{shown(was, _SHOWN)} was removed"
    if any(len(dumps(value)) > _SHOWN for value in (was, now)):
        return "changed"
    return f"{shown(was, _SHOWN)} became {shown(now, _SHOWN)}"


def _edges(old: list[Document], new: list[Document]) -> Iterator[str]:
    before, after = _by_source(old), _by_source(new)
    for source in dict.fromkeys([*before, *after]):
        yield from _outgoing(source, before.get(source, []), after.get(source, []))


def _by_source(edges: list[Document]) -> dict[str, list[_End]]:
    """The edges of each node in the order in which they are tried: the order between nodes has no meaning."""
    ends: dict[str, list[_End]] = {}
    for edge in edges:
        ends.setdefault(edge["from"], []).append((edge["to"], canonical(edge.get("when"))))
    return ends


def _outgoing(source: str, before: list[_End], after: list[_End]) -> Iterator[str]:
    removed = list((Counter(before) - Counter(after)).elements())
    added = list((Counter(after) - Counter(before)).elements())
    kept = list(before)
    for end in removed:
        name = f"edge {source!r} -> {end[0]!r}"
        twin = next((other for other in added if other[0] == end[0]), None)
        if twin is None:
            kept.remove(end)
            yield f"{name} ({_condition(end)}) was removed"
        else:
            added.remove(twin)
            kept[kept.index(end)] = twin
            yield f"{name}: its condition {_condition(end)} became {_condition(twin)}"
    rest = list(after)
    for end in added:
        rest.remove(end)
        yield f"edge {source!r} -> {end[0]!r} ({_condition(end)}) was added"
    if kept != rest:
        yield f"the edges of {source!r} are tried in another order: " + ", ".join(
            repr(end[0]) for end in after
        )


def _condition(end: _End) -> str:
    when = json.loads(end[1])
    if when is None:
        return "always"
    if isinstance(when, str):
        return escaped(when if len(when) <= _SHOWN else when[: _SHOWN - 1] + "…")
    if "predicate" in when:
        return str(when["predicate"])
    return f"{when.get('key')} == {shown(when.get('equals'), _SHOWN)}"
