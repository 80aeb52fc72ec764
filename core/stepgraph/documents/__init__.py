"""Graphs as data: reading the tables of a graph file or of a stored definition, and comparing two of them."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
