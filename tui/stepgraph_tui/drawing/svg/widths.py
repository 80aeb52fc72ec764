"""How wide a text may become in a font that nobody has chosen.

A picture names generic families only, so each reader's machine chooses the font. The widths here are those of
DejaVu Sans Bold, about the widest of the usual ones: what fits by them fits everywhere.
"""

from __future__ import annotations

from stepgraph_tui.text.cells import cell_len, cells_of

_NARROW, _LOWER, _UPPER, _WIDE, _DOUBLE = 0.46, 0.72, 0.84, 1.11, 1.35  # parts of the font's size
_THIN = frozenset(" !'(),.:;[]fijlrt|I")
_BROAD = frozenset("mwMW%@")


def text_width(text: str, size: float) -> float:
    """Estimate how wide a text is at most, in a font of this size without serifs."""
    return size * sum(map(_width, cells_of(text)))


def _width(char: str) -> float:
    """Estimate one character; what follows the first cell of a wide one is empty."""
    if not char:
        return 0
    if char in _THIN:
        return _NARROW
    if char in _BROAD:
        return _WIDE
    if not char.isascii():
        return _DOUBLE if cell_len(char) > 1 else _WIDE
    return _UPPER if char.isupper() else _LOWER


def cut_to(text: str, width: float, size: float) -> str:
    """Cut a text to a width; an ellipsis marks what was cut."""
    if text_width(text, size) <= width:
        return text
    room, kept = width - size, ""
    for char in cells_of(text):
        room -= size * _width(char)
        if room < 0:
            break
        kept += char
    return f"{kept.rstrip()}…"
