"""The elements that a picture is made of, each a line of XML; every text of others is escaped here."""

from __future__ import annotations

from html import escape

from stepgraph_tui.text.plain import visible

CELL, ROW = 8, 22
"""How wide and how high a cell of the layout is drawn."""


def number(value: float) -> str:
    """Write a length as short as it can be."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def element(name: str, style: str, **values: float | str) -> str:
    """Write an element without content."""
    given = (f' {key}="{_attribute(value)}"' for key, value in values.items())
    return f'<{name} class="{style}"{"".join(given)}/>'


def _attribute(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def text_of(style: str, text: str, x: float, y: float, signs: str = "") -> str:
    """Write a text, perhaps with the signs of a node behind it."""
    behind = f'<tspan class="signs"> {safe(signs)}</tspan>' if signs else ""
    return f'<text class="{style}" x="{number(x)}" y="{number(y)}">{safe(text)}{behind}</text>'


def titled(style: str, title: str) -> str:
    """Open a group that has a tooltip, which programs read out as well."""
    return f'<g class="{style}"><title>{safe(title)}</title>'


def safe(text: str) -> str:
    """Write a text so that it is nothing but text, and has no character that XML cannot hold."""
    return escape(visible(text))
