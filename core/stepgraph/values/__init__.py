"""What everything else builds on: JSON values, the state and its keys, problems and errors."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
