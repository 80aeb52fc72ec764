"""The forms of Design mode: nodes, edges, settings, state keys and tools."""

from __future__ import annotations

from .declarations import Declarations
from .edge_form import EdgeForm, Preview
from .form import DesignForm, EditElsewhere
from .key_form import KeyForm
from .node_form import NodeForm, ProblemsOf
from .settings_form import SettingsForm
from .tool_form import ToolForm

__all__ = [
    "Declarations",
    "DesignForm",
    "EdgeForm",
    "EditElsewhere",
    "KeyForm",
    "NodeForm",
    "Preview",
    "ProblemsOf",
    "SettingsForm",
    "ToolForm",
]
