"""TOML as text: where things are in it, and changing it with its comments and layout kept."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
