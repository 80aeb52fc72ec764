"""The workbench, where a graph is looked at and run step by step."""

from __future__ import annotations

from .file_controller import AnotherFileChosen
from .screen import Workbench

__all__ = ["AnotherFileChosen", "Workbench"]
