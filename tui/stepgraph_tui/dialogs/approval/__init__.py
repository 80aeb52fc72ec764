"""Asking a person: the dialog in which a pending review is read and decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .drafts import ReviewDraft, ReviewDrafts
from .onward import Onward

if TYPE_CHECKING:
    from .screen import ReviewScreen

__all__ = ["Onward", "ReviewDraft", "ReviewDrafts", "ReviewScreen"]


def __getattr__(name: str) -> Any:
    if name != "ReviewScreen":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .screen import (
        ReviewScreen,  # the drafts are there from the start, the dialog when a review is opened
    )

    return ReviewScreen
