"""Runs as the app looks at them: read from a store connection of its own, never driven."""

from __future__ import annotations

from .moment import Moment
from .run_view import RunView

__all__ = ["Moment", "RunView"]
