"""Node types."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
