"""Texts measured in the cells that a terminal gives them."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size


def cut(text: str, width: int, more: str = "…") -> str:
    """Cut the text to at most so many cells; what was cut off is marked by ``more``."""
    if len(text) * 2 <= width or cell_len(text) <= width:
        return text
    more = more[: max(0, width)]
    kept = set_cell_size(text, max(0, width - len(more)))
    return (kept if text.startswith(kept) else kept[:-1]) + more  # no blank for half of a wide character


def padded(text: str, width: int) -> str:
    """Fit the text into exactly so many cells."""
    return set_cell_size(cut(text, width), width)


def cells_of(text: str) -> list[str]:
    """Split a text into what stands in each cell.

    A wide character leaves the cell behind it empty; a mark that takes no cell of its own goes with the
    character before it.
    """
    if text.isascii():
        return list(text)
    cells: list[str] = []
    for end, char in enumerate(text, 1):
        # of the whole text: joined emoji are narrower than their parts
        grown = cell_len(text[:end]) - len(cells)
        if grown > 0:
            cells += [char, *([""] * (grown - 1))]
        elif cells:
            cells[-1] += char
    return cells
