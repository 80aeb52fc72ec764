"""Graphs as pictures in terminal cells: layout, routing and the text painter, without any Textual."""

from stepgraph.doors import door

__all__, __getattr__, __dir__ = door(__name__)
