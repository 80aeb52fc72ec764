"""What changed in a value, to be read: a text word by word, a list or table part by part."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice
from operator import itemgetter

from stepgraph.expressions.spelling import step_text
from stepgraph.values.compare import json_equal
from stepgraph.values.json_values import Json

from .plain import visible, visible_lines
from .word_diff import DiffPart, Mark, word_diff

MOST_PARTS = 500
"""How many changed parts of a list or table are shown."""
_MOST_ITEMS = 2_000  # items of a list that are compared with all others; of more, each with its neighbour
_COARSE = "(too much changed to compare word by word: first the old, then the new)"
_ENDS: dict[Mark, tuple[str, str]] = {"-": ("[-", "-]"), "+": ("{+", "+}")}  # as git writes a word diff
_Path = tuple[str | int, ...]
_Change = tuple[Mark | str, _Path, Json, Json]  # "~" for what is there before and after


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text that is safe to show, and what became of its pieces."""

    text: str
    """With line breaks. What went and what came is marked in the text as well, for it to be told by."""
    marks: tuple[tuple[int, int, Mark], ...] = ()
    """The pieces that went or came: where each begins and ends."""

    def parts(self, start: int, stop: int) -> Iterator[DiffPart]:
        """Cut a piece out of it, in parts of one kind."""
        for first, last, mark in self.marks[bisect_right(self.marks, start, key=itemgetter(1)) :]:
            if first >= stop:
                break
            if start < first:
                yield "", self.text[start:first]
            yield mark, self.text[max(start, first) : min(last, stop)]
            start = min(last, stop)
        if start < stop:
            yield "", self.text[start:stop]


class _Writer:
    """Writes a marked text piece by piece."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._marks: list[tuple[int, int, Mark]] = []
        self._at = 0

    def add(self, text: str, mark: Mark = "") -> None:
        """Write a piece that is safe to show, with line breaks."""
        if mark and text:
            self._marks.append((self._at, self._at + len(text), mark))
        self._pieces.append(text)
        self._at += len(text)

    def changed(self, text: str, mark: Mark) -> None:
        """Write a piece that went or came, between marks on each of its lines."""
        before, after = _ENDS[mark]
        if not text.strip():  # nothing that could be seen
            self.add(before + visible(text) + after, mark)
            self.add("\n" * text.count("\n") if mark == "+" else "")
            return
        for number, line in enumerate(visible_lines(text)):
            self.add("\n" if number else "")
            self.add(f"{before}{line}{after}" if line else "", mark)

    def text(self) -> MarkedText:
        return MarkedText("".join(self._pieces), tuple(self._marks))


def value_diff(old: Json, new: Json) -> MarkedText:
    """Compare two values, in a time that is bounded for values of any size."""
    writer = _Writer()
    if isinstance(old, str) and isinstance(new, str):
        _write_words(writer, old, new)
    elif _is_nested(old, new):
        changes = _changes((), old, new)
        for number, change in enumerate(islice(changes, MOST_PARTS)):
            writer.add("\n" if number else "")
            _write_change(writer, *change)
        if next(changes, None) is not None:
            writer.add("\n… and more, which is not shown here")
        elif not writer.text().text:
            writer.add("(nothing to show: a secret in it may have changed)")
    else:
        writer.changed(_json(old), "-")
        writer.changed(_json(new), "+")
    return writer.text()


def _write_words(writer: _Writer, old: str, new: str) -> None:
    found = word_diff(old, new)
    if found.is_coarse:
        writer.add(f"{_COARSE}\n\n")
    for mark, text in found.parts:
        if mark:
            writer.changed(text, mark)
        else:
            writer.add("\n".join(visible_lines(text)))


def _write_change(writer: _Writer, sign: str, path: _Path, old: Json, new: Json) -> None:
    """Write a changed part behind its path, or on the lines below it."""
    where = "".join(step_text(step) for step in path).removeprefix(".")
    writer.add(f"{sign} {visible(where)}  ")
    if sign == "-":
        writer.add("\n".join(visible_lines(_json(old))), "-")
    elif sign == "+":
        writer.add("\n".join(visible_lines(_json(new))), "+")
    elif isinstance(old, str) and isinstance(new, str):
        _write_words(writer, old, new)
    else:
        writer.changed(_json(old), "-")
        writer.changed(_json(new), "+")


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, (dict, list)) else None)


def _is_nested(old: Json, new: Json) -> bool:
    return (isinstance(old, dict) and isinstance(new, dict)) or (
        isinstance(old, list) and isinstance(new, list)
    )


# Lists and tables


def _changes(path: _Path, old: Json, new: Json) -> Iterator[_Change]:
    """Walk through what differs between two values of the same path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            if name not in new:
                yield "-", (*path, name), old[name], None
            elif name not in old:
                yield "+", (*path, name), None, new[name]
            else:
                yield from _changes((*path, name), old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list):
        yield from _items(path, old, new)
    elif not json_equal(old, new):
        yield "~", path, old, new


def _items(path: _Path, old: list[Json], new: list[Json]) -> Iterator[_Change]:
    """Walk through what differs between two lists: an item that was put in moves those behind it."""
    for first, last, start, stop in _unlike(old, new):
        both = min(last - first, stop - start)
        for offset in range(both):
            yield from _changes((*path, start + offset), old[first + offset], new[start + offset])
        for at in range(first + both, last):
            yield "-", (*path, at), old[at], None
        for at in range(start + both, stop):
            yield "+", (*path, at), None, new[at]


def _unlike(old: list[Json], new: list[Json]) -> Iterator[tuple[int, int, int, int]]:
    """Find the stretches of two lists that lie between the items that are the same."""
    one, other = ([json.dumps(item, sort_keys=True) for item in items] for items in (old, new))
    least = min(len(one), len(other))
    start = next((at for at in range(least) if one[at] != other[at]), least)
    most = least - start
    end = next((at for at in range(most) if one[-1 - at] != other[-1 - at]), most)
    one, other = one[start : len(one) - end], other[start : len(other) - end]
    if max(len(one), len(other)) > _MOST_ITEMS:
        yield start, start + len(one), start, start + len(other)
        return
    for tag, i, j, k, m in SequenceMatcher(None, one, other).get_opcodes():
        if tag != "equal":
            yield start + i, start + j, start + k, start + m
