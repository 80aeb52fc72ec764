"""Graph files that are edited: the buffer, its drafts, the file on disk, and the user's own editor."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .disk import Editor, GraphDraft, GraphDrafts, Standing, Watcher, chosen_editor, editor_command
from .suspending import SuspendingEditor, lent_terminal

if TYPE_CHECKING:
    from .buffer import Buffer, Saved, graph_at
    from .checked import Checked
    from .difference import TextDifference
    from .opened_graph import OpenedGraph
    from .python_graph import PythonGraph

__all__ = [
    "Buffer",
    "Checked",
    "Editor",
    "GraphDraft",
    "GraphDrafts",
    "OpenedGraph",
    "PythonGraph",
    "Saved",
    "Standing",
    "SuspendingEditor",
    "TextDifference",
    "Watcher",
    "chosen_editor",
    "editor_command",
    "graph_at",
    "lent_terminal",
]
_OF_A_GRAPH = {
    "Buffer": "buffer",
    "Checked": "checked",
    "OpenedGraph": "opened_graph",
    "PythonGraph": "python_graph",
    "Saved": "buffer",
    "TextDifference": "difference",
    "graph_at": "buffer",
}
"""What reads graphs is imported with the first graph: the home screen needs the rest alone."""


def __getattr__(name: str) -> Any:
    if name not in _OF_A_GRAPH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_OF_A_GRAPH[name]}", __name__), name)
