"""Compare two documents of graphs by meaning: notes and labels count only where asked for."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from ..nodes.registry import node_type
from ..values.declared import defaults_of
from ..values.errors import GraphError
from ..values.json_values import Json, canonical, dumps, escaped, json_equal, json_line
from ..values.state import UNSET
from .schema import GraphPart, KeyPart, NodePart, ToolPart

Document = Mapping[str, Any]
Section = Literal["settings", "state", "tools", "nodes", "edges"]

_DEFAULTS: dict[str, Json] = {
    key: value
    for key, value in defaults_of(GraphPart).items()
    if key not in ("format", "name", "note", "reviews", "state", "tools", "nodes", "edges")
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
    """List the differences between two documents, one per line; empty when they mean the same.

    Args:
        old: A document, as ``to_document`` makes it.
        new: Another one.
    """
    return [change.said for change in changes(old, new)]


def changes(old: Document, new: Document, *, words: bool = False) -> Iterator[Difference]:
    """Find each difference between two documents.

    Args:
        old: A document, as ``to_document`` makes it.
        new: Another one.
        words: Whether notes and labels count too, which are for people and change no run.
    """
    yield from _settings(old, new, words)
    for section in _NOUNS:
        yield from _tables(old.get(section, {}), new.get(section, {}), section, words)
    yield from _edges(old.get("edges", []), new.get("edges", []), words)


def _settings(old: Document, new: Document, words: bool) -> Iterator[Difference]:
    if old.get("name") != new.get("name"):
        yield _setting("name", old.get("name"), new.get("name"))
    for name, default in _DEFAULTS.items():
        was, now = old.get(name, default), new.get(name, default)
        if name == "no_feedback":
            was, now = sorted(was), sorted(now)
        if not json_equal(was, now):
            yield _setting(name, was, now)
    yield from _reviews(old.get("reviews", {}), new.get("reviews", {}))
    if words and old.get("note", "") != new.get("note", ""):
        had, has = "note" in old, "note" in new
        was, now = old.get("note"), new.get("note")
        yield Difference("settings", "", f"note {_change(was, now, had, has)}", "note", was, now)


def _reviews(old: Document, new: Document) -> Iterator[Difference]:
    for key in dict.fromkeys([*old, *new]):
        was, now, had, has = old.get(key), new.get(key), key in old, key in new
        if had != has or not json_equal(was, now):
            yield Difference("settings", "", f"reviews: {key} {_change(was, now, had, has)}", key, was, now)


def _setting(name: str, was: Json, now: Json) -> Difference:
    text = f"{name}: {json_line(was, _SHOWN)} became {json_line(now, _SHOWN)}"
    return Difference("settings", "", text, name, was, now)


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
            text, was, now = _hidden(had, has), None, None
        else:
            text = _change(was, now, had, has)
        yield Difference(section, name, f"{_NOUNS[section]} {name!r}: {key} {text}", key, was, now)


def _defaults(section: Section, old: Document, new: Document) -> dict[str, Json]:
    """Find what holds in both tables where they do not say otherwise."""
    models: list[Any] = [{"state": KeyPart, "tools": ToolPart, "nodes": NodePart}[section]]
    type_ = old.get("type")
    if section == "nodes" and isinstance(type_, str) and type_ == new.get("type"):
        with suppress(GraphError):  # nothing is known of a type that is not installed
            models.append(getattr(node_type(type_), "Settings", None))
    found: dict[str, Json] = {}
    for model in filter(None, models):
        for key, value in defaults_of(model).items():
            if value is not UNSET:
                found[key] = list(value) if isinstance(value, tuple) else value
    return found


def _hidden(had: bool, has: bool) -> str:
    return "changed" if had and has else "was removed" if had else "was added"


def _change(was: Json, now: Json, had: bool, has: bool) -> str:
    if not had:
        return f"{json_line(now, _SHOWN)} was added"
    if not has:
        return f"{json_line(was, _SHOWN)} was removed"
    if any(len(dumps(value)) > _SHOWN for value in (was, now)):
        return "changed"
    return f"{json_line(was, _SHOWN)} became {json_line(now, _SHOWN)}"


# Edges


def _edges(old: Sequence[Document], new: Sequence[Document], words: bool) -> Iterator[Difference]:
    """Compare the edges node by node: the order between the edges of different nodes has no meaning."""
    before, after = _by_source(old), _by_source(new)
    for source in dict.fromkeys([*before, *after]):
        yield from _Outgoing(source, before.get(source, []), after.get(source, [])).changes(words)


def _by_source(edges: Sequence[Document]) -> dict[str, list[Document]]:
    found: dict[str, list[Document]] = {}
    for edge in edges:
        found.setdefault(edge["from"], []).append(edge)
    return found


class _Outgoing:
    """The edges of one node, in the order in which they are tried."""

    def __init__(self, source: str, before: list[Document], after: list[Document]) -> None:
        self._source = source
        self._before = before
        self._after = after
        self._pairs = _paired(before, after)
        targets = Counter(edge["to"] for edge in after)
        self._doubled = {target for target, count in targets.items() if count > 1}

    def changes(self, words: bool) -> Iterator[Difference]:
        before, after, places = self._before, self._after, dict(self._pairs)
        for index, edge in enumerate(before):
            if index not in places:
                yield self._whole(edge, "was removed")
                continue
            twin = after[places[index]]
            if canonical(edge.get("when")) != canonical(twin.get("when")):
                text = f"{self._ends(edge)}: its condition {_condition(edge)} became {_condition(twin)}"
                yield Difference("edges", self._source, text, "when", edge.get("when"), twin.get("when"))
        kept = set(places.values())
        for index, edge in enumerate(after):
            if index not in kept:
                yield self._whole(edge, "was added")
        yield from self._moves()
        if words:
            yield from self._words()

    def _whole(self, edge: Document, what: str) -> Difference:
        return Difference("edges", self._source, f"{self._ends(edge)} ({_condition(edge)}) {what}")

    def _ends(self, edge: Document) -> str:
        return f"edge {self._source!r} -> {edge['to']!r}"

    def _moves(self) -> Iterator[Difference]:
        """Find which edges pass others: as few of them as make the new order of the old one."""
        old_places = {new: old for old, new in self._pairs}
        order = [new for _, new in self._pairs]
        # From the end: of several choices those edges stay that were tried first.
        staying = {order[-1 - at] for at in longest_rising([-place for place in reversed(order)])}
        for new in sorted(set(order) - staying):
            old = old_places[new]
            passed = next(
                (at for at in range(new + 1, len(self._after)) if old_places.get(at, old) < old), None
            )
            word = "before"
            if passed is None:
                word = "after"
                passed = next(at for at in range(new - 1, -1, -1) if old_places.get(at, old) > old)
            text = f"edge {self._edge_words(new)} is now tried {word} {self._edge_words(passed)}"
            yield Difference("edges", self._source, text)

    def _edge_words(self, index: int) -> str:
        edge = self._after[index]
        ends = f"{self._source!r} -> {edge['to']!r}"
        return f"{ends} ({_condition(edge)})" if edge["to"] in self._doubled else ends

    def _words(self) -> Iterator[Difference]:
        for old, new in self._pairs:
            for key in ("label", "note"):
                was, now = self._before[old].get(key), self._after[new].get(key)
                if was != now:
                    text = f"{self._ends(self._after[new])}: {key} {_word(was, now)}"
                    yield Difference("edges", self._source, text, key, was, now)


def _paired(before: list[Document], after: list[Document]) -> list[tuple[int, int]]:
    """Pair the edges that are the same, and then those that lead to the same place, in their old order."""
    pairs: dict[int, int] = {}
    left = set(range(len(after)))
    for same in (lambda edge: (edge["to"], canonical(edge.get("when"))), lambda edge: edge["to"]):
        free: dict[object, deque[int]] = defaultdict(deque)
        for index in sorted(left):
            free[same(after[index])].append(index)
        for index, edge in enumerate(before):
            if index not in pairs and free[same(edge)]:
                pairs[index] = free[same(edge)].popleft()
                left.discard(pairs[index])
    return sorted(pairs.items())


def longest_rising(numbers: Sequence[int]) -> list[int]:
    """Find the positions of most of the numbers that rise; of several choices, the one that ends lowest."""
    ends: list[int] = []  # the last number of the best row of each length
    tails: list[int] = []  # and its position
    before: list[int] = []
    for position, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(tails[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        tails[length : length + 1] = [position]
    found: list[int] = []
    at = tails[-1] if tails else -1
    while at >= 0:
        found.append(at)
        at = before[at]
    return found


def _word(was: Json, now: Json) -> str:
    if was is None:
        return f"{json_line(now, _SHOWN)} was added"
    if now is None:
        return f"{json_line(was, _SHOWN)} was removed"
    return f"{json_line(was, _SHOWN)} became {json_line(now, _SHOWN)}"


def _condition(edge: Document) -> str:
    when = json.loads(canonical(edge.get("when")))
    if when is None:
        return "always"
    if isinstance(when, str):
        return escaped(when if len(when) <= _SHOWN else when[: _SHOWN - 1] + "…")
    if "predicate" in when:
        return str(when["predicate"])
    return f"{when.get('key')} == {json_line(when.get('equals'), _SHOWN)}"
