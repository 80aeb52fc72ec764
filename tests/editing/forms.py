"""Writing a document as TOML in any of the forms that TOML knows, with comments in odd places.

Each comment is named after the place that it belongs to, so that tests can tell where it has to be.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

from stepgraph.toml.values import inline_text, key_text, value_text

Path = tuple[str | int, ...]


@dataclass
class PartText:
    """A header and what stands under it, not written yet."""

    path: Path
    is_item: bool
    items: list[tuple[tuple[str, ...], Any]] = field(default_factory=list)


class Writer:
    """Writes one document; each choice is the generator's."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.places: dict[str, Path | None] = {}
        """Where each comment belongs; None: to the file."""
        self._part_texts: list[PartText] = []
        self.newline = random.choice(["\n", "\n", "\r\n"])

    def text(self, document: dict[str, Any]) -> str:
        top = PartText((), is_item=False)
        self._fill(top, document, ())
        rest = self._shuffled(self._part_texts)
        text = self._part_text(top, top)
        for before, part_text in pairwise([top, *rest]):
            text += self._part_text(part_text, before)
        if self._random.random() < 0.3:
            text += f"\n{self._comment(None)}\n"
        if self._random.random() < 0.2:
            text = text.removesuffix("\n")
        mark = "\ufeff" if self._random.random() < 0.05 else ""
        return mark + text.replace("\n", self.newline)

    # The forms

    def _fill(self, part_text: PartText, table: dict[str, Any], keys: tuple[str, ...]) -> None:
        """Choose a form for each key of a table."""
        for key, value in table.items():
            path = (*keys, key)
            full = (*part_text.path, *path)
            form = self._random.random()
            if isinstance(value, dict) and value and form < (0.1 if len(full) < 3 else 0.3):
                self._fill_dotted(part_text, value, path)
            elif isinstance(value, dict) and not keys and form < (0.9 if len(full) < 3 else 0.6):
                self._header(full, value)
            elif _is_list_of_tables(value) and not keys and form < 0.7:
                for position, item in enumerate(value):
                    self._header((*full, position), item)
            else:
                part_text.items.append((path, value))

    def _fill_dotted(self, part_text: PartText, table: dict[str, Any], keys: tuple[str, ...]) -> None:
        for key, value in table.items():
            if isinstance(value, dict) and value and self._random.random() < 0.3:
                self._fill_dotted(part_text, value, (*keys, key))
            else:
                part_text.items.append(((*keys, key), value))

    def _header(self, path: Path, table: dict[str, Any]) -> None:
        part_text = PartText(path, isinstance(path[-1], int))
        place = len(self._part_texts)
        self._fill(part_text, table, ())
        made_others = len(self._part_texts) > place
        if part_text.items or part_text.is_item or not made_others or self._random.random() < 0.3:
            self._part_texts.insert(place, part_text)

    def _shuffled(self, part_texts: list[PartText]) -> list[PartText]:
        """Another order that means the same: the tables of lists keep theirs."""
        if self._random.random() < 0.6:
            return part_texts
        ranks = [self._random.random() for _ in part_texts]
        last: dict[str | int, float] = {}
        for at, part_text in enumerate(part_texts):
            if any(isinstance(step, int) for step in part_text.path):
                ranks[at] = last[part_text.path[0]] = max(last.get(part_text.path[0], 0.0), ranks[at])
        order = sorted(range(len(part_texts)), key=lambda at: (ranks[at], at))
        return [part_texts[at] for at in order]

    # The text

    def _comment(self, place: Path | None) -> str:
        name = f"# c{len(self.places)} [x] = 'quo\"te"
        self.places[name] = place
        return name

    def _maybe(self, place: Path | None, chance: float) -> list[str]:
        return [self._comment(place)] if self._random.random() < chance else []

    def _part_text(self, part_text: PartText, before: PartText) -> str:
        lines: list[str] = []
        if part_text.path:
            lines += [""] * self._random.choice([0, 1, 1, 1, 2])
            same = (
                len(part_text.path) > 1 and part_text.path[:2] == before.path[:2]
            )  # between two tables of a part
            banner = self._maybe(part_text.path[:2] if same else None, 0.1)
            lines += ["", *banner, ""] if banner else []
            lines += self._maybe(part_text.path, 0.2)
            keys = " . ".join if self._random.random() < 0.1 else ".".join
            name = keys([self._key(step) for step in part_text.path if isinstance(step, str)])
            header = f"[[{name}]]" if part_text.is_item else f"[{name}]"
            lines.append(" ".join([header, *self._maybe(part_text.path, 0.1)]))
        for path, value in part_text.items:
            full = (*part_text.path, *path)
            if self._random.random() < 0.1:
                lines += ["", *self._maybe(part_text.path or None, 0.3), ""]
            lines += self._maybe(full, 0.15)
            equals = self._random.choice([" = ", "=", "   =  "])
            key = ".".join(self._key(step) for step in path)
            lines.append(f"{key}{equals}{self._value(value, full)}" + "".join(self._tail(full)))
        if part_text.items and self._random.random() < 0.1:
            lines += [self._comment(part_text.path or None), ""]
        return "".join(f"{line}\n" for line in lines)

    def _tail(self, path: Path) -> list[str]:
        return [f"  {comment}" for comment in self._maybe(path, 0.1)]

    def _key(self, key: str) -> str:
        return (
            json.dumps(key)
            if key.isascii() and key.isprintable() and self._random.random() < 0.1
            else key_text(key)
        )

    def _value(self, value: Any, path: Path) -> str:
        if isinstance(value, list) and value and self._random.random() < 0.4:
            lines = ["[", *self._maybe(path, 0.2)]
            for item in value:
                lines += [f"    {comment}" for comment in self._maybe(path, 0.2)]
                lines.append(f"    {self._value(item, path)}," + "".join(self._tail(path)))
            return "\n".join([*lines, *self._maybe(path, 0.1), "]"])
        if isinstance(value, dict) and value and self._random.random() < 0.5:
            pairs = (f"{self._key(key)}={self._value(item, (*path, key))}" for key, item in value.items())
            return "{" + ",".join(pairs) + "}"
        if (
            isinstance(value, str)
            and "'" not in value
            and value.isprintable()
            and self._random.random() < 0.3
        ):
            return f"'{value}'" if self._random.random() < 0.5 else f"'''{value}'''"
        return value_text(value) if self._random.random() < 0.7 else inline_text(value)


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
