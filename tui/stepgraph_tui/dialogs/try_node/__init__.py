"""Trying a node: the form that asks with which state, and the dialog that shows what came of it."""

from __future__ import annotations

from .dialog import Beginning, TriedDialog, TryForm, beginnings, verbs_offered

__all__ = ["Beginning", "TriedDialog", "TryForm", "beginnings", "verbs_offered"]
