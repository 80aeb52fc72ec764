"""The list of all runs in a store."""

from .actions import Then
from .screen import RunsScreen

__all__ = ["RunsScreen", "Then"]
