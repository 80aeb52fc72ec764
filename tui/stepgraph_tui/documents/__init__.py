"""Graph files that are edited: the buffer, its drafts, the file on disk, and the user's own editor."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .disk import Standing
from .drafts import GraphDraft, GraphDrafts
from .editor import Editor, chosen_editor, editor_command
from .suspending import SuspendingEditor, lent_terminal
from .watching import Watcher

if TYPE_CHECKING:
    from .buffer import Buffer, Saved
    from .checked import Checked
    from .difference import TextDifference

__all__ = [
    "Buffer",
    "Checked",
    "Editor",
    "GraphDraft",
    "GraphDrafts",
    "Saved",
    "Standing",
    "SuspendingEditor",
    "TextDifference",
    "Watcher",
    "chosen_editor",
    "editor_command",
    "lent_terminal",
]
_OF_A_GRAPH = {"Buffer": "buffer", "Saved": "buffer", "Checked": "checked", "TextDifference": "difference"}
"""What reads graphs is imported with the first graph: the home screen needs the rest alone."""


def __getattr__(name: str) -> Any:
    if name not in _OF_A_GRAPH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_OF_A_GRAPH[name]}", __name__), name)
