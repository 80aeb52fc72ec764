"""Graphs to begin with, and making a file of one."""

from __future__ import annotations

from .creating import create_graph, refusal
from .texts import DEFAULT, TEMPLATES, template_text

__all__ = ["DEFAULT", "TEMPLATES", "create_graph", "refusal", "template_text"]
