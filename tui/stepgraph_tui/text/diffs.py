"""Differences between texts and values: by line, by word, and for the trust question."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, islice, takewhile
from operator import itemgetter
from typing import TYPE_CHECKING, Literal

from stepgraph.expressions import step_text
from stepgraph.values import Json, json_equal

from .characters import visible
from .plain import visible_lines

if TYPE_CHECKING:
    from stepgraph.files import FileChange


_AROUND = 2  # lines before and after those that differ
_COMPARED = 4_000  # lines that differ; of more, all old ones are listed first, then all new ones
_ENDS = "only the line ends differ"


def changed_lines(old: str, new: str, *, compared: int = _COMPARED) -> tuple[str, ...]:
    """List the lines that differ, each after ``-`` or ``+``, with some after a blank around them.

    Args:
        old: The text that is shown as removed.
        new: The text that is shown as added.
        compared: How many lines are compared; of more, all old ones are listed first, then all new ones.
    """
    lines = tuple(_line_by_line(old.splitlines(), new.splitlines(), compared))
    return lines if lines or old == new else (_ENDS,)


def _line_by_line(old: list[str], new: list[str], compared: int) -> Iterator[str]:
    start = sum(1 for _ in takewhile(_is_pair, zip(old, new, strict=False)))
    shortest = min(len(old), len(new)) - start
    pairs = zip(reversed(old), reversed(new), strict=False)
    end = min(shortest, sum(1 for _ in takewhile(_is_pair, pairs)))
    first = max(0, start - _AROUND)
    last = max(0, end - _AROUND)
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    if len(before) > compared or len(after) > compared:
        yield from (f"-{line}" for line in old[start : len(old) - end])
        yield from (f"+{line}" for line in new[start : len(new) - end])
        return
    for group in SequenceMatcher(None, before, after).get_grouped_opcodes(_AROUND):
        yield f"line {first + group[0][3] + 1}"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in before[i1:i2])
            else:
                yield from (f"-{line}" for line in before[i1:i2])
                yield from (f"+{line}" for line in after[j1:j2])


def _is_pair(lines: tuple[str, str]) -> bool:
    return lines[0] == lines[1]


_FILES = 20  # whose lines are shown
_LINES = 300  # of a file
_SOURCE_COMPARED = 500  # lines of a file: somebody may have written them to make that take long


def any_tool_remark(servers: Iterable[str]) -> str:
    """Explain that a node may call any tool, and name the servers that there are; not made safe to show."""
    now = ", ".join(servers) or "none"
    return (
        f"It may call any tool of your servers (now: {now}), also of those that you add later: which one, "
        "a model says, or the state of a run."
    )


def file_changes(changes: Sequence[FileChange]) -> Iterator[tuple[str, list[str]]]:
    """Yield a heading for each changed file, and the lines that differ; not made safe to show."""
    for change in changes[:_FILES]:
        lines = changed_lines(change.before or "", change.after or "", compared=_SOURCE_COMPARED)
        more = [f"… and {len(lines) - _LINES:,} more lines"] if len(lines) > _LINES else []
        if lines:
            yield f"{change.name} {change.said}", [*lines[:_LINES], *more]
    if len(changes) > _FILES:
        yield f"… and {len(changes) - _FILES:,} more files", []


Mark = Literal["", "+", "-"]
"""What became of a piece of text: it stayed, it came, it went."""
DiffPart = tuple[Mark, str]
"""A piece of text, and what became of it."""
_Change = tuple[str, str]  # what went and what came; the same text twice for what stayed

MOST_WORDS = 3_000
"""How many words are compared with as many others; of more, first the sentences and lines are."""
MOST_SENTENCES = 5_000
"""How many of those are compared."""
MOST_CHARACTERS = 500_000
"""How many characters are looked at, between what both texts begin with and what both end with."""
_SHORT = 600  # words; from there on those that stand everywhere do not count
_FAR = 1_000  # characters, in which a word ends
_LONG = 16  # characters without a blank, in which the difference is looked for inside the word

# Of scripts that put no blanks between words, each character is a word. Marks that combine, joined emoji and
# everything else that is neither ASCII nor punctuation stay with the letters around them.
_SINGLE = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTER = rf"(?![{_SINGLE}])(?:\w|[^\x00-\xbf\s\u2000-\u200b\u200e-\u206f\u3000-\u303f\uff00-\uff65])"
_WORDS = re.compile(rf"(?:(?:{_LETTER})+|.)(?:[^\S\n]*\n|[^\S\n]*)", re.DOTALL)
"""A word with the blanks after it."""
_SENTENCES = re.compile(r"(?:[^\n.!?。！？]|[.!?](?!\s))*(?:\n|[.!?。！？][^\S\n]*|\Z)")  # noqa: RUF001
_BLANK = re.compile(r"\s")
_JOINS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class WordDiff:
    """What changed between two texts."""

    parts: tuple[DiffPart, ...]
    """From the beginning to the end; what went comes before what came in its place."""
    is_coarse: bool = False
    """Whether something was too long to be compared word by word."""


def word_diff(old: str, new: str) -> WordDiff:
    """Compare two texts by their words, in a time that is bounded for texts of any length."""
    start = _shared_start(old, new)
    end = _shared_end(old[start:], new[start:])
    changes, is_coarse = _compared(old[start : len(old) - end], new[start : len(new) - end])
    stayed = old[:start], old[len(old) - end :]
    joined = _join_changes([(stayed[0], stayed[0]), *changes, (stayed[1], stayed[1])])
    return WordDiff(tuple(_parts(joined)), is_coarse)


def _parts(changes: Iterable[_Change]) -> Iterator[DiffPart]:
    for same, group in groupby(changes, key=lambda change: change[0] == change[1]):
        went, came = map("".join, zip(*group, strict=True))
        parts: tuple[DiffPart, ...] = (("", went),) if same else (("-", went), ("+", came))
        yield from (part for part in parts if part[1])


# What both texts begin and end with


def _alike(one: str, other: str) -> int:
    """Count the characters that both begin with, by halving: texts of megabytes take no time."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _shared_start(one: str, other: str) -> int:
    """Count the characters that both begin with, up to the beginning of the word in which they differ."""
    shared = _alike(one, other)
    if shared == len(one) == len(other):
        return shared
    tail = one[max(0, shared - _FAR) : shared]
    return shared - len(_WORDS.findall(tail)[-1]) if tail else 0


def _shared_end(one: str, other: str) -> int:
    """Count the characters that both end with, from the end of the word in which they differ."""
    shared = _alike(one[::-1], other[::-1])
    word = _WORDS.match(one[len(one) - shared :][:_FAR])
    return shared - len(word.group()) if word is not None else 0


# What lies between


def _compared(old: str, new: str) -> tuple[list[_Change], bool]:
    if not old or not new:
        return [(old, new)] if old or new else [], False
    if max(len(old), len(new)) > MOST_CHARACTERS:
        return [(old, new)], True
    words = _WORDS.findall(old), _WORDS.findall(new)
    if max(map(len, words)) <= MOST_WORDS:
        return list(_matched(*words)), False
    sentences = _SENTENCES.findall(old), _SENTENCES.findall(new)
    if max(map(len, sentences)) > MOST_SENTENCES or min(map(len, sentences)) < 3:
        return [(old, new)], True
    changes: list[_Change] = []
    is_coarse = False
    for went, came in _matched(*sentences):
        if went == came:
            changes.append((went, came))
            continue
        words = _WORDS.findall(went), _WORDS.findall(came)
        if max(map(len, words)) > MOST_WORDS:
            changes.append((went, came))
            is_coarse = True
        else:
            changes += _matched(*words)
    return changes, is_coarse


def _matched(old: Sequence[str], new: Sequence[str]) -> Iterator[_Change]:
    """Pair what stayed, and what lies between. The blanks behind a word do not make it another word."""
    words = list(map(str.strip, old)), list(map(str.strip, new))
    matcher = SequenceMatcher(None, *words, len(words[1]) > _SHORT)
    for tag, first, last, start, stop in matcher.get_opcodes():
        if tag != "equal":
            yield "".join(old[first:last]), "".join(new[start:stop])
            continue
        for went, came in zip(old[first:last], new[start:stop], strict=True):
            if went == came:
                yield went, came
            else:
                word = came.rstrip()
                yield word, word
                yield went[len(word) :], came[len(word) :]


# Making it readable


def _join_changes(changes: Sequence[_Change]) -> Iterator[_Change]:
    """Join changes with next to nothing between them, and look inside what is left."""
    went = came = little = ""
    for old, new in changes:
        if old != new:
            went, came, little = went + little + old, came + little + new, ""
        elif (went or came) and not little and _is_little(old):
            little = old
        else:
            yield from _inside(went, came)
            yield little + old, little + old
            went = came = little = ""
    yield from _inside(went, came)
    yield little, little


def _is_little(text: str) -> bool:
    """Whether a text between two changes is better shown as part of them: one letter, a comma, a blank."""
    return "\n" not in text and len(text) < _LONG and sum(map(str.isalnum, text)) < 2


def _inside(went: str, came: str) -> Iterator[_Change]:
    """Set apart what both sides of a change begin and end with: blanks, and much of a long word.

    Such words are numbers of orders, addresses, what is written in scripts without blanks.
    """
    least = min(len(went), len(came))
    if least >= _LONG and not _BLANK.search(went) and not _BLANK.search(came):
        start = _alike(went, came)
        while start and (_goes_on(went[start:]) or _goes_on(came[start:])):
            start -= 1
        end = _alike(went[start:][::-1], came[start:][::-1])
        while end and _goes_on(went[len(went) - end :]):
            end -= 1
        if start + end < least // 2:
            start = end = 0
    else:
        start = _alike(went[: len(went) - len(went.lstrip())], came)
        end = _alike(went[max(start, len(went.rstrip())) :][::-1], came[start:][::-1])
    yield went[:start], went[:start]
    yield went[start : len(went) - end], came[start : len(came) - end]
    yield went[len(went) - end :], came[len(came) - end :]


def _goes_on(text: str) -> bool:
    """Whether a text begins inside a character as it is drawn: an accent, or joined to the one before."""
    return text[:1] != "" and (text[0] in _JOINS or unicodedata.category(text[0])[0] == "M")


MOST_PARTS = 500
"""How many changed parts of a list or table are shown."""
_MOST_ITEMS = 2_000  # items of a list that are compared with all others; of more, each with its neighbor
_COARSE = "(too much changed to compare word by word: first the old, then the new)"
_BRACKETS: dict[Mark, tuple[str, str]] = {
    "-": ("[-", "-]"),
    "+": ("{+", "+}"),
}  # as git writes a word diff
_Path = tuple[str | int, ...]
_ValueChange = tuple[Mark | str, _Path, Json, Json]  # "~" for what is there before and after


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text that is safe to show, and what became of its pieces."""

    text: str
    """With line breaks. Changes are marked in the text as well, for those who see no colors."""
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
        before, after = _BRACKETS[mark]
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
    """Write a changed part after its path, or on the lines below it."""
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


def _changes(path: _Path, old: Json, new: Json) -> Iterator[_ValueChange]:
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


def _items(path: _Path, old: list[Json], new: list[Json]) -> Iterator[_ValueChange]:
    """Walk through what differs between two lists: an item that was put in moves those after it."""
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
