"""The command line: one module a family of commands, imported when one of them is called."""

from __future__ import annotations

from .main import main

__all__ = ["main"]
