"""Pictures that nobody looks at are not painted: a third of the cost of a test of the app."""

from __future__ import annotations

from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.screen import Screen


def leave_unseen(patch: pytest.MonkeyPatch) -> None:
    """Have apps without a terminal paint when a test asks for the screen, not for each change."""
    paint = Compositor.render_update

    def update(
        screen: Compositor,
        full: bool = False,
        screen_stack: list[Screen[Any]] | None = None,
        simplify: bool = False,
    ) -> Any:
        if full:
            return paint(screen, full, screen_stack, simplify)
        visible_screen_stack.set(screen_stack or [])
        screen._dirty_regions.clear()
        return None

    patch.setattr(Compositor, "render_update", update)
