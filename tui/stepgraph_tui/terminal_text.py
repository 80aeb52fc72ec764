"""The last look at what goes to the terminal: nothing hides in it, and each row stays in its columns.

Every widget's lines pass here, Textual's own too, so nothing that was forgotten elsewhere gets through.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice

from rich.segment import Segment
from textual.color import Color
from textual.driver import Driver
from textual.filter import LineFilter

from .text.cells import padded, spans, split_at
from .text.characters import is_plain, shows
from .text.plain import escaped


class HiddenTextFilter(LineFilter):
    """Writes out what would not be seen, in lines of whatever widget; a line stays as wide as it was."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Write the same line, safe to show; what then has no room in it is cut, with an ellipsis."""
        if is_plain("".join([text for text, _, control in segments if not control])):
            return segments
        whole = "".join(one.text for one in segments if not one.control)
        if all(shows(whole)):  # of the whole line: where a style begins, no character need begin
            return segments
        width = sum(segment.cell_length for segment in segments)
        return list(_fitted(list(_written_out(segments, shows(whole))), width))


def _written_out(segments: Iterable[Segment], shown: Iterator[bool]) -> Iterator[Segment]:
    for one in segments:
        if not one.control:
            signs = zip(one.text, islice(shown, len(one.text)), strict=True)
            text = "".join(char if is_seen else escaped(char) for char, is_seen in signs)
            one = Segment(text, one.style)
        yield one


def _fitted(segments: Iterable[Segment], width: int) -> Iterator[Segment]:
    """Cut segments to so many cells, as one text: a character may lie in several of them."""
    left = padded("".join(one.text for one in segments if not one.control), width)
    style = None
    for one in segments:
        if one.control:
            yield one
        elif left:
            yield Segment(left[: len(one.text)], one.style)
            left, style = left[len(one.text) :], one.style
    if left:  # the ellipsis, or a blank for half of a wide character
        yield Segment(left, style)


# Columns


@classmethod  # type: ignore[misc]  # it becomes one of Segment
@lru_cache(4096)
def _split_cells(cls: type[Segment], segment: Segment, cut: int) -> tuple[Segment, Segment]:
    """Part a segment at a cell as a text is parted; Rich's own way parts joined characters too."""
    before, after = split_at(segment.text, cut)
    return cls(before, segment.style, segment.control), cls(after, segment.style, segment.control)


Segment._split_cells = _split_cells  # type: ignore[method-assign]

_DISPUTED = (
    "\u200d\ufe0e\ufe0f\u1160-\u11ff\ud7b0-\ud7ff"  # joiners, selectors, parts of Korean syllables
    "\u0900-\u0dff\u0f00-\u109f\u1700-\u1aff\u1b00-\u1cff\ua800-\uabff"  # the scripts of India and around
    "\U00010a00-\U00011fff\U0001f000-\U0001faff"  # more of them; pictures, flags, skin tones
)
_COMMAND = r"\x1b\][^\x07\x1b]*"  # a title, say: it takes no room
_WORD = r"(?:[^\x00-\x7f\u2500-\u259f]|[#*0-9](?=\ufe0f))++"  # up to what is plain, or a line that is drawn
_APART = re.compile(f"{_COMMAND}|{_WORD}")


def in_columns(data: str) -> str:
    """Hold texts in their columns of which terminals disagree how wide they are.

    The cells of each such sign are cleared, it is drawn without wrapping, and the cursor is put behind
    them. So whatever the terminal makes of it, what follows stays where it belongs.
    """
    return _APART.sub(_held, data) if _disputed(data) else data


_disputed = re.compile(f"[{_DISPUTED}]").search


def _held(found: re.Match[str]) -> str:
    text = found.group()
    if text.startswith("\x1b") or not _disputed(text):
        return text
    return "".join(_placed(text[start:end], cells) for start, end, cells in spans(text))


def _placed(text: str, cells: int) -> str:
    if not _disputed(text):
        return text
    return f"\x1b7{' ' * cells}\x1b8\x1b[?7l{text}\x1b[?7h\x1b8\x1b[{cells}C"


def holding_columns(driver: type[Driver]) -> type[Driver]:
    """Make a driver that holds texts in their columns."""

    def write(self: Driver, data: str) -> None:
        driver.write(self, in_columns(data))

    return type(driver.__name__, (driver,), {"write": write})
