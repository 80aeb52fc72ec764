"""Graph files: reading, writing, and trusting the Python code that they name."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
