"""The colors of the app's themes and of the pictures that it writes, dark and light."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """One set of colors, each as ``#rrggbb``."""

    foreground: str
    background: str
    surface: str
    """What lies on the background, such as a box."""
    panel: str
    """What lies on that."""
    border: str
    primary: str
    secondary: str
    accent: str
    success: str
    warning: str
    error: str

    def mixed(self, color: str, part: float, ground: str = "") -> str:
        """Mix a color with the background or another ground; ``part`` is its share, from 0 to 1."""
        pairs = zip(_channels(color), _channels(ground or self.background), strict=True)
        return "#" + "".join(f"{round(part * one + (1 - part) * other):02x}" for one, other in pairs)


def _channels(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


DARK = Palette(
    foreground="#dde3ea",
    background="#14181d",
    surface="#1a1f26",
    panel="#232a33",
    border="#46525f",
    primary="#7cb4f0",
    secondary="#9fb3c8",
    accent="#f0c674",
    success="#8fcf8f",
    warning="#f0b36a",
    error="#ff8f8f",
)
"""Light text on a dark ground."""

LIGHT = Palette(
    foreground="#1d232a",
    background="#fafafa",
    surface="#f2f4f6",
    panel="#e7ebef",
    border="#a9b4bf",
    primary="#1a5fa8",
    secondary="#44586c",
    accent="#8a4b00",
    success="#1e6b2e",
    warning="#8a4b00",
    error="#b3261e",
)
"""Dark text on a light ground."""
