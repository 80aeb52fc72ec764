"""What changed in a text, word by word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Literal

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
"""A word with the blanks behind it."""
_SENTENCES = re.compile(r"(?:[^\n.!?。！？]|[.!?](?!\s))*(?:\n|[.!?。！？][^\S\n]*|\Z)")  # noqa: RUF001
_BLANK = re.compile(r"\s")
_JOINS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class WordDiff:
    """What changed between two texts."""

    parts: tuple[DiffPart, ...]
    """From the beginning to the end; what went stands before what came in its place."""
    is_coarse: bool = False
    """Whether something was too long to be compared word by word."""


def word_diff(old: str, new: str) -> WordDiff:
    """Compare two texts by their words, in a time that is bounded for texts of any length."""
    start = _shared_start(old, new)
    end = _shared_end(old[start:], new[start:])
    changes, is_coarse = _compared(old[start : len(old) - end], new[start : len(new) - end])
    stayed = old[:start], old[len(old) - end :]
    joined = _joined([(stayed[0], stayed[0]), *changes, (stayed[1], stayed[1])])
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


def _joined(changes: Sequence[_Change]) -> Iterator[_Change]:
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
