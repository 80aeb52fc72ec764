"""Conditions as text: a small subset of Python's syntax, parsed once and evaluated by an allow-list."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
