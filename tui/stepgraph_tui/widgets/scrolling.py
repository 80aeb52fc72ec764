"""Scrolling of what need not have the focus."""

from __future__ import annotations

from textual.widget import Widget


def scroll(widget: Widget, way: str) -> None:
    """Scroll a widget as a key says.

    Args:
        widget: What scrolls.
        way: ``down``, ``up``, ``page_down``, ``page_up``, ``half_down``, ``half_up``, ``top`` or ``bottom``.
    """
    if way.startswith("half"):
        half = widget.scrollable_content_region.height // 2 or 1
        widget.scroll_relative(y=half if way == "half_down" else -half, animate=False)
        return
    ways = {
        "down": widget.scroll_down,
        "up": widget.scroll_up,
        "page_down": widget.scroll_page_down,
        "page_up": widget.scroll_page_up,
        "top": widget.scroll_home,
        "bottom": widget.scroll_end,
    }
    ways[way](animate=False)
