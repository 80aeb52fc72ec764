"""Running a graph: the executor, its steps, and the history of runs."""

from ..doors import door

__all__, __getattr__, __dir__ = door(__name__)
