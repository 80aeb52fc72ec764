"""The two themes of the app: calm, of high contrast, and readable without any color."""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

from . import colors
from .colors import Palette


def _theme(name: str, of: Palette, *, dark: bool, cursor: str, cursor_text: str, **own: str) -> Theme:
    """Build a theme of a palette, and of what widgets have for themselves."""
    return Theme(
        name=name,
        dark=dark,
        primary=of.primary,
        secondary=of.secondary,
        accent=of.accent,
        success=of.success,
        warning=of.warning,
        error=of.error,
        foreground=of.foreground,
        background=of.background,
        surface=of.surface,
        panel=of.panel,
        variables={
            "text-disabled": "auto 55%",  # what is off can still be read
            "block-cursor-background": cursor,
            "block-cursor-foreground": cursor_text,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-foreground": of.foreground,
            "border": of.primary,
            "border-blurred": of.border,
            "footer-foreground": of.foreground,
            "footer-key-foreground": of.accent,
            "input-selection-background": cursor,
            "scrollbar": of.border,
            **{variable.replace("_", "-"): color for variable, color in own.items()},
        },
    )


DARK = _theme(
    "stepgraph-dark",
    colors.DARK,
    dark=True,
    cursor="#2f4a6b",
    cursor_text="#ffffff",
    boost="#2a323d",
    block_cursor_blurred_background="#2b3542",
    footer_background=colors.DARK.surface,
    scrollbar_background=colors.DARK.background,
)
"""Light text on a dark ground; the default."""

LIGHT = _theme(
    "stepgraph-light",
    colors.LIGHT,
    dark=False,
    cursor="#cfe0f3",
    cursor_text="#0b1a2b",
    boost="#dfe4ea",
    block_cursor_blurred_background="#dfe4ea",
    footer_background=colors.LIGHT.panel,
    scrollbar_background=colors.LIGHT.surface,
)
"""Dark text on a light ground."""

THEMES = (DARK, LIGHT)
"""What the app registers."""


def theme_names() -> tuple[str, ...]:
    """List the themes that settings may name: ours, then Textual's."""
    return (*(theme.name for theme in THEMES), *BUILTIN_THEMES)
