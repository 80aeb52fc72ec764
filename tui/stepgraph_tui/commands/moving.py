"""The keys that move in lists and scroll pages, which are the same everywhere."""

from __future__ import annotations

from .command import Command


def in_list(context: str, noun: str) -> tuple[Command, ...]:
    """Give a list all its keys: to the next entry, by pages, to its ends.

    Args:
        context: What has the keys.
        noun: What the list calls an entry.
    """
    return (
        *by_entries(context, noun),
        *by_pages(context),
        Command(f"{context}.first", "g,home", "first", "First", f"Go to the first {noun}", palette=False),
        Command(f"{context}.last", "G,end", "last", "Last", f"Go to the last {noun}", palette=False),
    )


def by_entries(context: str, noun: str) -> tuple[Command, Command]:
    """Give a list the keys to the next entry and the one before."""
    return (
        Command(f"{context}.down", "j,down", "move(1)", "Down", f"Go to the next {noun}", palette=False),
        Command(f"{context}.up", "k,up", "move(-1)", "Up", f"Go to the previous {noun}", palette=False),
    )


def by_pages(context: str) -> tuple[Command, Command]:
    """Give a list, or a page of text, the keys for a page down and up."""
    return (
        Command(f"{context}.page_down", "pagedown", "page(1)", "Page down", "Go down a page", palette=False),
        Command(f"{context}.page_up", "pageup", "page(-1)", "Page up", "Go up a page", palette=False),
    )


_SCROLLED = {
    "down": ("j,down", "Down", "Scroll down"),
    "up": ("k,up", "Up", "Scroll up"),
    "page_down": ("pagedown", "Page down", "Scroll a page down"),
    "page_up": ("pageup", "Page up", "Scroll a page up"),
    "top": ("g", "Top", "Scroll to the top"),
    "bottom": ("G", "Bottom", "Scroll to the bottom"),
}
LINES, PAGES, ENDS = ("down", "up"), ("page_down", "page_up"), ("top", "bottom")


def scrolling(context: str, *ways: str) -> tuple[Command, ...]:
    """Give a dialog the keys that scroll what it shows.

    Args:
        context: What has the keys.
        *ways: Which of them: ``LINES``, ``PAGES``, ``ENDS``.
    """
    return tuple(
        Command(f"{context}.{way}", keys, f"scroll('{way}')", label, tooltip, palette=False)
        for way, (keys, label, tooltip) in ((way, _SCROLLED[way]) for way in ways)
    )
