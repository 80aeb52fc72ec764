"""The two themes of the app: calm, of high contrast, and readable without any colour."""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

DARK = Theme(
    name="stepgraph-dark",
    dark=True,
    primary="#7cb4f0",
    secondary="#9fb3c8",
    accent="#f0c674",
    success="#8fcf8f",
    warning="#f0b36a",
    error="#ff8f8f",
    foreground="#dde3ea",
    background="#14181d",
    surface="#1a1f26",
    panel="#232a33",
    variables={
        "boost": "#2a323d",
        "text-disabled": "auto 55%",  # what is off can still be read
        "block-cursor-background": "#2f4a6b",
        "block-cursor-foreground": "#ffffff",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": "#2b3542",
        "block-cursor-blurred-foreground": "#dde3ea",
        "border": "#7cb4f0",
        "border-blurred": "#46525f",
        "footer-background": "#1a1f26",
        "footer-foreground": "#dde3ea",
        "footer-key-foreground": "#f0c674",
        "input-selection-background": "#2f4a6b",
        "scrollbar": "#46525f",
        "scrollbar-background": "#14181d",
    },
)
"""Light text on a dark ground; the default."""

LIGHT = Theme(
    name="stepgraph-light",
    dark=False,
    primary="#1a5fa8",
    secondary="#44586c",
    accent="#8a4b00",
    success="#1e6b2e",
    warning="#8a4b00",
    error="#b3261e",
    foreground="#1d232a",
    background="#fafafa",
    surface="#f2f4f6",
    panel="#e7ebef",
    variables={
        "boost": "#dfe4ea",
        "text-disabled": "auto 55%",
        "block-cursor-background": "#cfe0f3",
        "block-cursor-foreground": "#0b1a2b",
        "block-cursor-text-style": "bold",
        "block-cursor-blurred-background": "#dfe4ea",
        "block-cursor-blurred-foreground": "#1d232a",
        "border": "#1a5fa8",
        "border-blurred": "#a9b4bf",
        "footer-background": "#e7ebef",
        "footer-foreground": "#1d232a",
        "footer-key-foreground": "#8a4b00",
        "input-selection-background": "#cfe0f3",
        "scrollbar": "#a9b4bf",
        "scrollbar-background": "#f2f4f6",
    },
)
"""Dark text on a light ground."""

THEMES = (DARK, LIGHT)
"""What the app registers."""


def theme_names() -> tuple[str, ...]:
    """List the themes that settings may name: ours, then Textual's."""
    return (*(theme.name for theme in THEMES), *BUILTIN_THEMES)
