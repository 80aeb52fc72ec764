"""Asking a person: the dialog in which a pending review is read and decided."""

from __future__ import annotations

from .drafts import ReviewDraft, ReviewDrafts
from .screen import ReviewScreen

__all__ = ["ReviewDraft", "ReviewDrafts", "ReviewScreen"]
