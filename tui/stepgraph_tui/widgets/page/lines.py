"""The lines that a page is made of, before anybody knows how wide it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from stepgraph_tui.words.text import visible_lines

Role = Literal["plain", "title", "name", "dim", "value", "good", "bad", "warn", "rule"]
"""What a part of a line is; the pane has a style for each."""
LONG = 8_000
"""How many characters of one text a page shows."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, in parts of safe text."""

    parts: tuple[tuple[str, Role], ...] = ()
    right: tuple[str, Role] | None = None
    """What stands at the right end; below the line where there is no room for it."""
    indent: int = 0
    """Cells before the line; half of them on a narrow page."""
    hang: int = 0
    """More cells before the rows that the line is continued on."""
    block: int | None = None
    """The part of the page that the line belongs to, for a cursor that moves from part to part."""
    filled: bool = False
    """Whether a rule goes on to the right end."""

    @property
    def left(self) -> str:
        """The text without what stands at the right end."""
        return "".join(text for text, _ in self.parts)

    @property
    def plain(self) -> str:
        """The whole line as text."""
        right = f"  {self.right[0]}" if self.right is not None else ""
        return f"{' ' * self.indent}{self.left}{right}".rstrip()


def blank() -> Line:
    """An empty line."""
    return Line()


def heading(text: str) -> Line:
    """The heading of a section, drawn as a rule."""
    return Line((("─ ", "rule"), (text, "title")), hang=2, filled=True)


def paragraph(text: str, role: Role = "plain", indent: int = 0) -> Line:
    """A line of nothing but one text."""
    return Line(((text, role),), indent=indent)


def text_block(text: str, role: Role = "plain", indent: int = 0) -> Iterator[Line]:
    """A text with its line breaks, made safe to show, and cut when it is too long.

    Secrets in it are masked already.
    """
    shown, cut = text[:LONG], len(text) > LONG
    for line in visible_lines(shown.rstrip("\n")):
        yield paragraph(line, role, indent)
    if cut:
        yield paragraph(f"… {len(text):,} characters in all", "dim", indent)
