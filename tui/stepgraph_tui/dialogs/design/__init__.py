"""The forms of Design mode: nodes, edges, settings, state keys and tools."""

from __future__ import annotations

from .declared import DeclaredDialog
from .edge_form import EdgeForm, Preview
from .node_form import KeyForm, NodeForm, ProblemsOf, SettingsForm, ToolForm

__all__ = [
    "DeclaredDialog",
    "EdgeForm",
    "KeyForm",
    "NodeForm",
    "Preview",
    "ProblemsOf",
    "SettingsForm",
    "ToolForm",
]
