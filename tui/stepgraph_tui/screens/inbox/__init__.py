"""The inbox: the reviews of all runs and graphs, and what became of them."""

from .screen import InboxScreen

__all__ = ["InboxScreen"]
