"""The keys that scroll what has the keys, the same wherever something is scrolled."""

from __future__ import annotations

from .command import Command, Context


def by_lines(context: Context) -> tuple[Command, Command]:
    """A line down, a line up."""
    return (
        Command(f"{context}.down", "j,down", "scroll_down", "Down", "Scroll down", palette=False),
        Command(f"{context}.up", "k,up", "scroll_up", "Up", "Scroll up", palette=False),
    )


def by_pages(context: Context) -> tuple[Command, Command]:
    """A page down, a page up."""
    return (
        Command(
            f"{context}.page_down", "pagedown", "page_down", "Page down", "Scroll a page down", palette=False
        ),
        Command(f"{context}.page_up", "pageup", "page_up", "Page up", "Scroll a page up", palette=False),
    )
