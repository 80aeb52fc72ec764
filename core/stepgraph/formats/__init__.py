"""Graphs and runs in the formats of others: what can be written, and what can be read."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
