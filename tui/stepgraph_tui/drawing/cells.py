"""Text measured in terminal cells."""

from __future__ import annotations

from rich.cells import cell_len


def cells_of(text: str) -> list[str]:
    """What stands in each cell of a text.

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
