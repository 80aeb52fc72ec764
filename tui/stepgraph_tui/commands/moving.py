"""The keys that move in lists and scroll pages, which are the same everywhere."""

from __future__ import annotations

from .command import Command

_MOVED = {
    "down": ("j,down", "next", "Down", "Go to the next {}"),
    "up": ("k,up", "previous", "Up", "Go to the previous {}"),
    "page_down": ("pagedown", "page_down", "Page down", "Go down a page"),
    "page_up": ("pageup", "page_up", "Page up", "Go up a page"),
    "first": ("g,home", "first", "First", "Go to the first {}"),
    "last": ("G,end", "last", "Last", "Go to the last {}"),
}
LINES, PAGES, ENDS = ("down", "up"), ("page_down", "page_up"), ("top", "bottom")


def in_list(context: str, noun: str, *names: str) -> tuple[Command, ...]:
    """Give a list the keys that move its cursor.

    Args:
        context: What has the keys.
        noun: What the list calls an entry.
        *names: Which of them: ``LINES``, ``PAGES``; all of them, those to its ends too, unless any is named.
    """
    return tuple(
        Command(f"{context}.{name}", keys, f"to('{way}')", label, tooltip.format(noun), palette=False)
        for name, (keys, way, label, tooltip) in ((name, _MOVED[name]) for name in names or _MOVED)
    )


_SCROLLED = {
    "down": ("j,down", "Down", "Scroll down"),
    "up": ("k,up", "Up", "Scroll up"),
    "page_down": ("pagedown", "Page down", "Scroll a page down"),
    "page_up": ("pageup", "Page up", "Scroll a page up"),
    "top": ("g", "Top", "Scroll to the top"),
    "bottom": ("G", "Bottom", "Scroll to the bottom"),
}


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
