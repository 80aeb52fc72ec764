"""Breakpoints and watches: where a run halts, and expressions that are followed from step to step."""

from ...doors import door

__all__, __getattr__, __dir__ = door(__name__)
