"""Changing a design in any way at all, without asking whether an edit would do so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from stepgraph.editing import Design, Kind, Part

KINDS: tuple[Kind, ...] = ("state", "tools", "nodes", "edges")
_KEYS = ("type", "prompt", "a b", "x", "note", "from", "q.r", "é", "arguments", "#k", "label")
_NAMES = ("a", "b", "c d", "e.f", "日本", "g", "h#")
_SCALARS = (
    *(1, True, 1.0, 0, -0.0, 10**20, "", "a", "two\nlines", "end\n", "\nstart", 'quo"te', "it's", "# no"),
    *("back\\slash", '"""', "'''x", "r\r\nn", "a" * 90, "\u2028", "tab\t"),
)


def seeded(seed: int) -> Random:
    """Choices that are the same in each run."""
    return Random(seed)  # noqa: S311  # nothing here is a secret


def any_value(random: Random, depth: int = 0) -> Any:
    """A value of TOML."""
    kind = random.random()
    if depth < 3 and kind < 0.2:
        return {random.choice(_KEYS): any_value(random, depth + 1) for _ in range(random.randint(0, 3))}
    if depth < 3 and kind < 0.3:
        return [any_value(random, depth + 1) for _ in range(random.randint(0, 4))]
    if depth < 2 and kind < 0.36:
        sizes = [random.randint(0, 2) for _ in range(random.randint(1, 3))]
        return [{random.choice(_KEYS): any_value(random, 3) for _ in range(size)} for size in sizes]
    return random.choice(_SCALARS)


def any_table(random: Random) -> dict[str, Any]:
    """A table of TOML."""
    return {random.choice(_KEYS): any_value(random) for _ in range(random.randint(0, 5))}


def any_document(random: Random) -> dict[str, Any]:
    """A document that looks a little like a graph."""
    document: dict[str, Any] = {"format": 1, "name": "x"} if random.random() < 0.9 else {}
    if random.random() < 0.3:
        document["extra"] = any_value(random)
    for kind in KINDS[:3]:
        if random.random() < 0.7:
            names = [random.choice(_NAMES) for _ in range(random.randint(0, 4))]
            document[kind] = {name: any_table(random) for name in names}
            if random.random() < 0.1:
                document[kind]["plain"] = 5
        elif random.random() < 0.1:
            document[kind] = random.choice([5, [], [{}]])
    if random.random() < 0.8:
        ends = {"from": "a", "to": "b"}
        document["edges"] = [ends | any_table(random) for _ in range(random.randint(0, 5))]
    elif random.random() < 0.1:
        document["edges"] = random.choice([5, {"x": 1}, [5]])
    keys = random.sample(list(document), len(document))
    return {key: document[key] for key in keys}


def changed(random: Random, table: Mapping[str, Any]) -> dict[str, Any]:
    """A table with some keys removed, added or changed, perhaps deep inside."""
    new = dict(table)
    for _ in range(random.randint(1, 2)):
        kind = random.random()
        key = random.choice(list(new) or ["x"])
        if kind < 0.3:
            new.pop(key, None)
        elif kind < 0.7 and key in new:
            new[key] = _changed_value(random, new[key])
        else:
            new[random.choice(_KEYS)] = any_value(random)
    return new


def _changed_value(random: Random, value: Any) -> Any:
    if random.random() < 0.3 or not isinstance(value, dict | list) or not value:
        return any_value(random)
    if isinstance(value, dict):
        return changed(random, value)
    items = list(value)
    at, kind = random.randrange(len(items)), random.random()
    if kind < 0.3:
        del items[at]
    elif kind < 0.6:
        items.insert(at, any_value(random))
    else:
        items[at] = _changed_value(random, items[at])
    return items


def mutated(random: Random, design: Design) -> Design:
    """The design with one part or setting more, less, elsewhere or changed."""
    parts = list(design.parts)
    kind = random.random()
    at = random.randrange(len(parts)) if parts else 0
    if kind < 0.15:
        return design.having(changed(random, design.head))
    if kind < 0.3 or not parts:
        new = random.choice(KINDS)
        parts.insert(at, Part(new, _name(random, new), any_table(random)))
    elif kind < 0.5:
        del parts[at]
    elif kind < 0.75:
        parts[at] = parts[at].having(changed(random, parts[at].table))
    elif kind < 0.85:
        parts[at] = parts[at].having(parts[at].table, _name(random, parts[at].kind))
    elif kind < 0.95:
        parts.insert(random.randrange(len(parts)), parts.pop(at))
    else:
        parts.insert(
            random.randint(0, len(parts)), parts[at].having(parts[at].table, _name(random, parts[at].kind))
        )
    return replace(design, parts=tuple(parts))


def _name(random: Random, kind: Kind) -> str:
    return "" if kind == "edges" else f"new {random.random()}"
