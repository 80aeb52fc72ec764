"""The keys of a form as its last line names them."""

from __future__ import annotations

from rich.style import Style
from rich.text import Text


def key_text(key: str, what: str, action: str = "") -> Text:
    """Write a key and what it does; one with an action can be clicked."""
    text = Text.assemble((key, "bold"), f" {what}")
    if action:
        text.stylize(Style(meta={"@click": action}))
    return text
