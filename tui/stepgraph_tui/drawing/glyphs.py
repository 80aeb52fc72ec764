"""The characters that pictures are made of."""

from __future__ import annotations

from dataclasses import dataclass

UP, RIGHT, DOWN, LEFT = 1, 2, 4, 8


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of characters. Lines are looked up by the sides that they touch: UP, RIGHT, DOWN, LEFT."""

    lines: str
    """Edges that go with the flow."""
    back: str
    """Edges that lead back, and self-loops."""
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
    more: str
    """What stands for the rest of a text that was cut."""


def _sides(chars: str) -> dict[int, str]:
    return dict(zip((UP, RIGHT, DOWN, LEFT), chars, strict=True))


UNICODE = Glyphs(
    lines="   ╰ │╭  ╯─ ╮  ┼",
    back="   ╰ ╎╭  ╯╌ ╮  ┼",
    heads=_sides("▲►▼◄"),
    ports=_sides("┴├┬┤"),
    fired=_sides("┸┝┰┥"),
    heavy_ports=_sides("┷┠┯┨"),
    heavy_fired=_sides("┻┣┳┫"),
    frame="─│┌┐┘└",
    heavy="━┃┏┓┛┗",
    more="…",
)

ASCII = Glyphs(
    lines="   ` |.  '- .  +",
    back="   ` :.  '~ .  +",
    heads=_sides("^>v<"),
    ports=_sides("++++"),
    fired=_sides("####"),
    heavy_ports=_sides("++++"),
    heavy_fired=_sides("####"),
    frame="-|++++",
    heavy="=#####",
    more="...",
)
