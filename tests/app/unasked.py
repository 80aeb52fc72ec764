"""Styles of parts of widgets are worked out when asked for: a fifth of what a test of the app costs."""

from __future__ import annotations

from typing import Any

import pytest
from textual.css.styles import RenderStyles
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode


class AskedStyles(dict[str, RenderStyles]):
    """The styles of those parts of a widget that somebody has asked for, as its style sheet has them.

    Args:
        sheet: The style sheet.
        node: The widget.
    """

    def __init__(self, sheet: Stylesheet, node: DOMNode) -> None:
        super().__init__()
        self._sheet = sheet
        self._node = node
        self._names = node._get_component_classes()

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def clear(self) -> None:
        """A widget that is gone has no parts."""
        self._names = frozenset()
        super().clear()

    def __missing__(self, name: str) -> RenderStyles:
        part = DOMNode(classes=name)
        part._attach(self._node)
        self._sheet.apply(part, animate=False)
        self[name] = part.styles
        return part.styles


def leave_unasked(patch: pytest.MonkeyPatch) -> None:
    """Have style sheets work out anew only what was asked for before, and paint what that changes."""

    def process(sheet: Stylesheet, node: Any) -> None:
        if not node._get_component_classes():
            return
        before = node._component_styles
        now = node._component_styles = AskedStyles(sheet, node)
        if not isinstance(before, AskedStyles) or [name for name in before if now[name] != before[name]]:
            node.refresh()

    patch.setattr(Stylesheet, "_process_component_classes", process)
