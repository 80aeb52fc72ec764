"""Characters that show as themselves, and those that need an escape to be seen at all.

A character may be printable and yet leave no trace: fillers and blanks that terminals draw empty, selectors
and joiners that only mean something beside others, marks piled up until nobody can tell them apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Literal

_Kind = Literal["letter", "picture", "space", "mark", "joiner", "selector", "tone", "flag", "jamo", "hidden"]
_BASES = ("letter", "picture", "space")
_VIRAMA = 9  # the combining class of what joins two consonants

_MOST_MARKS = 4
"""How many marks are on one letter; terminals keep few, and more cannot be distinguished."""

_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
"""Finds the ranges of signs and emoji."""
_PLAIN = (
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u0590\u05be\u05d0-\u05ea\u0e01-\u0e30\u1e00-\u1fff"
    "\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2100-\u27ff\u2900-\u2bff\u3001-\u3029\u3030-\u3098\u309b-\u3163"
    "\u3165-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff9f]*"
)
"""Finds out fast that nothing in a text could hide; whoever is not matched is looked at closely."""
_IDEOGRAPH = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u2d7f\u3164\uffa0\ufffc"
    "\U0001107f\U00013441\U00013442\U00016fe4\U0001d159"
)
"""Printable, and drawn empty or not at all."""
_KEYCAPS = "#*0123456789"
_ZWNJ, _ZWJ, _KEYCAP = "\u200c", "\u200d", "\u20e3"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern when it is first needed: that takes milliseconds, and most texts are ASCII."""
    return re.compile(pattern)


def visible(text: str) -> str:
    """Write the text on one line, with escapes for all that would not be seen or could fool a terminal."""
    if is_plain(text):
        return text
    return "".join(char if shown else escaped(char) for char, shown in zip(text, shows(text), strict=True))


def escaped(char: str) -> str:
    """Write a character that does not show as itself: a blank for any kind of space, else its number."""
    if char in "\n\t":
        return {"\n": "\\n", "\t": "\\t"}[char]
    if char.isspace() and ord(char) >= 0xA0 and char not in "\u2028\u2029":
        return " "
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def is_plain(text: str) -> bool:
    """Check quickly that every character of a text shows as itself; a False needs ``shows``."""
    return text.isprintable() and (text.isascii() or _compiled(_PLAIN).fullmatch(text) is not None)


def shows(text: str) -> Iterator[bool]:
    """Check for each character of a line whether it shows as itself in its context."""
    base, marks, flags = "", 0, 0
    for at, char in enumerate(text):
        kind = _kind(char)
        before, after = text[at - 1 : at], text[at + 1 : at + 2]
        flags = flags + 1 if kind == "flag" else 0
        if kind in _BASES:
            shown, marks = True, marks if before == _ZWJ else 0
        elif kind == "mark":
            marks += 1
            shown = base != "" and marks <= _MOST_MARKS
        elif kind == "flag":
            shown, marks = flags % 2 == 0 or (after != "" and _kind(after) == "flag"), 0
        elif kind == "jamo":
            shown = base != "" and _composes(before, char)
        else:
            shown = base != "" and marks < _MOST_MARKS and _belongs(kind, char, before, after, base)
            marks += kind == "joiner"
        yield shown
        if not shown or kind == "space":
            base = ""  # what marks are on: nothing at the start, and nothing after an escape
        elif kind in _BASES or kind in ("flag", "jamo"):
            base = char


@lru_cache(4096)
def _kind(char: str) -> _Kind:
    if char == " ":
        return "space"
    if char in (_ZWNJ, _ZWJ):
        return "joiner"
    if not char.isprintable() or char in _BLANK:
        return "hidden"
    code = ord(char)
    if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or code in (0x180B, 0x180C, 0x180D, 0x180F):
        return "selector"
    if 0x1F3FB <= code <= 0x1F3FF:
        return "tone"
    if 0x1F1E6 <= code <= 0x1F1FF:
        return "flag"
    if 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FB:
        return "jamo"
    if unicodedata.category(char)[0] == "M":
        return "mark"
    return "picture" if _compiled(_PICTURE).match(char) and _is_emoji(char) else "letter"


def _is_emoji(char: str) -> bool:
    from rich.cells import cell_len  # `stepgraph check` needs no Rich

    return cell_len(f"{char}\ufe0f") == 2


def _belongs(kind: _Kind, char: str, before: str, after: str, base: str) -> bool:
    """Check whether a joiner, a selector or a skin tone means something where it stands."""
    if kind == "joiner":
        return _joins(char, before, after, base)
    if kind == "tone":
        return before == base and _kind(base) == "picture"
    if kind != "selector" or before != base:
        return False
    if char in "\ufe0e\ufe0f":
        if base in _KEYCAPS:
            return after == _KEYCAP
        return _kind(base) == "picture"
    if ord(char) < 0xFE00:
        return "\u1820" <= base <= "\u18aa"
    return _compiled(_IDEOGRAPH).match(base) is not None


def _joins(joiner: str, before: str, after: str, base: str) -> bool:
    """Check whether a joiner has something to join, or to keep apart."""
    if not after or _kind(before) == "joiner":
        return False
    if _VIRAMA in (unicodedata.combining(before), unicodedata.combining(after)):
        return True
    if joiner == _ZWJ and _kind(base) == _kind(after) == "picture":
        return True
    arabic = unicodedata.bidirectional(base) == unicodedata.bidirectional(after) == "AL"
    return arabic and _kind(after) == "letter"


def _composes(before: str, char: str) -> bool:
    """Check whether a vowel or a final consonant of Korean goes on with the syllable before it."""
    if char <= "\u11a7" or "\ud7b0" <= char <= "\ud7c6":
        return "\u1100" <= before <= "\u115e" or "\ua960" <= before <= "\ua97c"
    syllable = "\uac00" <= before <= "\ud7a3" and (ord(before) - 0xAC00) % 28 == 0
    return syllable or "\u1161" <= before <= "\u11a7" or "\ud7b0" <= before <= "\ud7c6"
