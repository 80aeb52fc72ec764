"""Graph files that are edited: the buffer, its drafts, the file on disk, and the user's own editor."""

from stepgraph.doors import door

__all__, __getattr__, __dir__ = door(__name__)
