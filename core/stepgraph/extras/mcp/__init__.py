"""Tools of servers that speak the Model Context Protocol; its SDK is imported at the first use."""

from ...doors import door

__all__, __getattr__, __dir__ = door(__name__)
