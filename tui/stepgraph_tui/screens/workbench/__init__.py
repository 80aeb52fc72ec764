"""The workbench, where a graph is looked at and run step by step."""

from __future__ import annotations

from .file_controller import AnotherFileChosen
from .screen import Workbench
from .surface import TALKS

__all__ = ["TALKS", "AnotherFileChosen", "Workbench"]
