"""What a person is asked and decides, and the inbox of what waits in a store."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
