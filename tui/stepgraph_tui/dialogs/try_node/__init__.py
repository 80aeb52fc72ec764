"""Trying a node: the form that asks with which state, and the dialog that shows what came of it."""

from __future__ import annotations

from .beginnings import Beginning, beginnings
from .dialog import TriedDialog
from .form import TryForm, verbs_offered

__all__ = ["Beginning", "TriedDialog", "TryForm", "beginnings", "verbs_offered"]
