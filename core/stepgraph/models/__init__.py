"""Language models: what is said to them and what they answer, and who answers."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
