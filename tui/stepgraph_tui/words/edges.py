"""Edges in words."""

from __future__ import annotations

from .text import place, visible

_LABEL = 200  # characters of a label or a condition where it names an edge


def edge_name(label: str | None, condition: str, at: int, count: int) -> str:
    """Name an edge among the edges of its node: ``1 high``, ``2 else``; empty for the only one.

    Args:
        label: Its label.
        condition: Its condition in words.
        at: Its position among the node's edges, from 0.
        count: How many edges the node has.
    """
    name = " ".join((label or "").split())
    if count == 1:
        return visible(name[:_LABEL])
    if not name and condition == "always" and at == count - 1:
        name = "else"
    return visible(f"{at + 1} {name[:_LABEL]}".rstrip())


def way_text(label: str | None, condition: str, target: str, at: int, count: int) -> str:
    """Name an edge and where it leads: ``1 high → review``."""
    return f"{edge_name(label, condition, at, count)} → {place(target)}".lstrip()
