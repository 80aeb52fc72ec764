"""Language models: requests, replies, and who answers."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
