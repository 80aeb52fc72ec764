"""The settings of the graph as a whole: each new one where files usually have it."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from ..documents.schema import GraphPart

if TYPE_CHECKING:
    from .design import Design

_ORDER = tuple(GraphPart.model_fields)


def with_setting(design: Design, key: str, value: Any) -> Design:
    """The design with one setting changed, added or (None) removed."""
    head = dict(design.head)
    if value is None:
        head.pop(key, None)
        return design.having(head)
    if key in head:
        return design.having({**head, key: value})
    before = set(_ORDER[: _ORDER.index(key)])
    at = max((place for place, name in enumerate(head, 1) if name in before), default=0)
    items = list(head.items())
    return design.having(dict([*items[:at], (key, value), *items[at:]]))


def without_feedback(design: Design) -> list[Any]:
    """What ``no_feedback`` lists, whatever that is."""
    found = design.head.get("no_feedback", [])
    return list(found) if isinstance(found, list) else []


def renamed_heads(design: Design, old: str, new: str) -> Design:
    """The design whose settings name a node by its new name."""
    if design.start == old:
        design = with_setting(design, "start", new)
    names = without_feedback(design)
    if old in names:
        design = with_setting(design, "no_feedback", [new if name == old else name for name in names])
    return design


def forgotten_heads(design: Design, nodes: Container[str]) -> Design:
    """The design whose ``no_feedback`` no longer names some nodes."""
    names = without_feedback(design)
    left = [name for name in names if not (isinstance(name, str) and name in nodes)]
    return design if len(left) == len(names) else with_setting(design, "no_feedback", left or None)
