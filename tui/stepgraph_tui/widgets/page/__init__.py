"""Pages of text: lines with a left and a right part, wrapped to the width, scrolled, searched and copied."""

from __future__ import annotations

from .lines import Line, Role, blank, heading, paragraph, text_block
from .pane import NOWHERE, PagePane

__all__ = ["NOWHERE", "Line", "PagePane", "Role", "blank", "heading", "paragraph", "text_block"]
