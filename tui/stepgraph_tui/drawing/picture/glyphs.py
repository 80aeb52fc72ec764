"""The characters that pictures are made of, in Unicode and in ASCII."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["start", "done", "next", "waits", "failed", "runs"]
"""The state of a node: the run begins there, has been there, goes there next, waits or failed there, or is
at it now."""

BreakSign = Literal["on", "when", "off", "broken"]
"""A breakpoint that always halts; one with a condition, a count or a log line; one that is off; one that can
never be met."""

UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8

UNLIKE_LINES = str.maketrans("▲►▼◄─╌━│╎┃╭╮╰╯┼┏┓┗┛", "^>v<---|||+++++++++")
"""Replacements for line characters in labels: on a line they would be read as a part of it."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of characters. Lines are looked up by the sides that they touch: UP, RIGHT, DOWN, LEFT."""

    lines: str
    """Edges that go with the flow."""
    back: str
    """Edges that lead back, and self-loops."""
    heavy_lines: str
    """An edge that is to stand out."""
    heads: dict[int, str]
    """Arrowheads by the side that they point to."""
    ports: dict[int, str]
    """Ports on a light frame by the side that they leave to."""
    fired: dict[int, str]
    """The same for an edge that was taken."""
    heavy_ports: dict[int, str]
    """Ports on a heavy frame."""
    heavy_fired: dict[int, str]
    """The same for an edge that was taken."""
    frame: str
    """A light frame: its two lines, then its corners from the upper left, clockwise."""
    heavy: str
    """A heavy frame."""
    faint: str
    """Edges that are never taken."""
    marks: dict[State, str]
    """What comes before a node's type."""
    error: str
    """What comes after the name of a node with errors, and at the head of an edge with errors."""
    warning: str
    """What comes after the name of a node with warnings."""
    picked: str
    """What comes before a node that somebody has marked."""
    pause: str
    """What is there before a node after which a run pauses."""
    breaks: dict[BreakSign, str]
    """What is there at a node, or at the head of an edge, that has a breakpoint."""
    dot: str
    """What is between two words about a node."""
    more: str
    """What stands for the rest of a text that was cut."""
    plain: bool = False
    """Whether texts are to be kept to ASCII, too."""


def _sides(chars: str) -> dict[int, str]:
    return dict(zip((UP, RIGHT, DOWN, LEFT), chars, strict=True))


UNICODE = Glyphs(
    lines="   ╰ │╭  ╯─ ╮  ┼",
    back="   ╰ ╎╭  ╯╌ ╮  ┼",
    heavy_lines="   ┗ ┃┏  ┛━ ┓  ┼",
    heads=_sides("▲►▼◄"),
    ports=_sides("┴├┬┤"),
    fired=_sides("┸┝┰┥"),
    heavy_ports=_sides("┷┠┯┨"),
    heavy_fired=_sides("┻┣┳┫"),
    frame="─│┌┐┘└",
    heavy="━┃┏┓┛┗",
    faint="   ╰ ·╭  ╯· ╮  ┼",
    marks={"start": "●", "done": "✓", "next": "►", "waits": "►", "failed": "✗", "runs": "◆"},
    error="✗",
    warning="▲",
    picked="▸",
    pause="‖",
    breaks={"on": "■", "when": "◊", "off": "□", "broken": "¤"},
    dot="·",
    more="…",
)

ASCII = Glyphs(
    lines="   ` |.  '- .  +",
    back="   ` :.  '~ .  +",
    heavy_lines="   # ##  #= #  +",
    heads=_sides("^>v<"),
    ports=_sides("++++"),
    fired=_sides("####"),
    heavy_ports=_sides("++++"),
    heavy_fired=_sides("####"),
    frame="-|++++",
    heavy="=#####",
    faint="   ` .,  '. ,  +",
    marks={"start": "*", "done": "+", "next": ">", "waits": ">", "failed": "x", "runs": "o"},
    error="x",
    warning="?",
    picked=">",
    pause="=",
    breaks={"on": "@", "when": "&", "off": "%", "broken": "$"},
    dot="-",
    more="...",
    plain=True,
)
