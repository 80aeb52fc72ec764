"""The one thread that runs nodes: it owns an executor and a store connection, and takes work from a queue."""

from stepgraph.doors import door

__all__, __getattr__, __dir__ = door(__name__)
