"""Tools: what nodes call by name, be it Python, a program, or a server of the Model Context Protocol."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
