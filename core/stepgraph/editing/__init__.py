"""Editing a graph: designs that are never changed in place, edits that make new ones, undo and redo."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
