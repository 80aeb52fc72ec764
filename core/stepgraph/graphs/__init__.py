"""The graph: a builder that takes anything, its validation, and the immutable plan that runs."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
