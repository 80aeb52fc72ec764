"""Graph files that are edited: the buffer, its drafts, the file on disk, and the user's own editor."""

from __future__ import annotations

from .buffer import Buffer, Saved
from .checked import Checked
from .difference import TextDifference, difference
from .disk import Standing
from .drafts import GraphDraft, GraphDrafts
from .editor import Editor, chosen_editor, editor_command
from .suspending import SuspendingEditor
from .watching import Watcher

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
    "difference",
    "editor_command",
]
