"""The whole screen in ASCII, for terminals that have nothing else."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from stepgraph_tui.drawing.picture.glyphs import ASCII, UNICODE, Glyphs
from stepgraph_tui.text.cells import cells_of
from stepgraph_tui.text.system import is_plain

_OTHERS = {
    "…": "~", "→": ">", "←": "<", "↑": "^", "↓": "v", "▸": ">", "▾": "v", "▶": ">", "◀": "<",
    "○": "o", "◆": "*", "•": "*", "\u2013": "-", "\u2014": "-",
    "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"',
    "█": "#", "▀": "-", "▔": "-", "▄": "_", "▁": "_", "▂": "_", "▃": "_", "▅": "#", "▆": "#", "▇": "#",
    "▌": "|", "▐": "|", "▊": "|", "▋": "|", "▉": "#", "▍": "|", "▎": "|", "▏": "|", "▕": "|",
    "┄": "-", "┆": ":", "░": ".", "▒": ":", "▓": "#", "\xa0": " ",
}  # fmt: skip
_UNKNOWN = "?"


def _both(one: Glyphs, other: Glyphs) -> Mapping[str, str]:
    """Pair each character of one set with the one that stands for it in the other."""
    pairs = dict(zip(one.lines + one.back + one.pause, other.lines + other.back + other.pause, strict=True))
    pairs |= zip(one.frame + one.heavy + one.dot, other.frame + other.heavy + other.dot, strict=True)
    for name in ("heads", "ports", "fired", "heavy_ports", "heavy_fired", "marks", "breaks"):
        mine, theirs = getattr(one, name), getattr(other, name)
        pairs |= {mine[key]: theirs[key] for key in mine}
    return pairs


def _frames() -> Mapping[str, str]:
    """Map the frames of Textual's own widgets: heavy and double lines as in pictures."""
    chars = {chr(code): unicodedata.name(chr(code)) for code in range(0x2500, 0x2580)}
    return {char: _line(name.removeprefix("BOX DRAWINGS ")) for char, name in chars.items()}


def _line(name: str) -> str:
    strong = "HEAVY" in name or "DOUBLE" in name
    if name.endswith("HORIZONTAL") and "AND" not in name:
        return "=" if strong else "-"
    if name.endswith("VERTICAL") and "AND" not in name:
        return "#" if strong else "|"
    return "#" if strong else "+"


_TABLE = {**_frames(), **_OTHERS, **_both(UNICODE, ASCII)}
_TRANSLATION = str.maketrans(_TABLE)


@lru_cache(4096)
def to_ascii(text: str) -> str:
    """Write the text in ASCII, in exactly as many cells: what has no likeness becomes question marks."""
    text = text.translate(_TRANSLATION)
    if text.isascii():
        return text
    cells = cells_of(text)
    return "".join(_cell(cell, end) for cell, end in pairwise([*cells, " "]))


def _cell(cell: str, following: str) -> str:
    """Write one cell: letters lose their accents, wide characters and their second cells are not known."""
    if cell.isascii() and len(cell) == 1:
        return cell
    bare = unicodedata.normalize("NFKD", cell)[:1]
    narrow = cell != "" and following != ""
    return bare if narrow and bare.isascii() and bare.isprintable() else _UNKNOWN


class AsciiFilter(LineFilter):
    """Turns every line of the screen into ASCII as the last thing before it is written."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Write the same segments in ASCII."""
        return [
            segment
            if segment.control or segment.text.isascii()
            else segment._replace(text=to_ascii(segment.text))
            for segment in segments
        ]


def wants_ascii(
    setting: Literal["auto", "always", "never"],
    environment: Mapping[str, str] = os.environ,
    encoding: str | None = None,
) -> bool:
    """Say whether the screen is to be ASCII.

    Args:
        setting: What the user has set; ``auto`` leaves it to the terminal.
        environment: Where TERM is.
        encoding: The encoding of the terminal's output; None for that of the process.
    """
    if encoding is None:
        encoding = sys.__stdout__.encoding if sys.__stdout__ is not None else "ascii"
    return setting == "always" or (setting == "auto" and is_plain(environment, encoding))
