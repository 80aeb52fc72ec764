"""Asking a person: the dialog in which a pending review is read and decided."""

from stepgraph.doors import door

__all__, __getattr__, __dir__ = door(__name__)
