"""The list of all runs in a store."""

from .screen import RunsScreen, Then

__all__ = ["RunsScreen", "Then"]
