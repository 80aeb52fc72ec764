"""Asking a person: the dialog in which a pending review is read and decided."""

from __future__ import annotations

from .dialog import ApprovalDialog
from .drafts import Draft, Drafts

__all__ = ["ApprovalDialog", "Draft", "Drafts"]
