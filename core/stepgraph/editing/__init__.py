"""Editing a graph: designs that are never changed in place, edits that make new ones, undo and redo."""

from __future__ import annotations

from .design import Design, Edit, Edited, EditError, EditHistory, Kind, Part, Turned

__all__ = ["Design", "Edit", "EditError", "EditHistory", "Edited", "Kind", "Part", "Turned"]
