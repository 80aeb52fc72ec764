"""A graph file as the workbench has it: its graph as far as it can be read, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.errors import GraphFileError
from stepgraph.files import read_graph
from stepgraph.validation import check

if TYPE_CHECKING:
    from stepgraph.graph import CompiledGraph, StateGraph
    from stepgraph.problems import Problem


class GraphFile:
    """A graph file, read anew when it is asked for. Nothing that it names is imported.

    Args:
        path: The file; None for a run that has none.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.graph: StateGraph | None = None
        """The graph when it was last readable; None when it never was."""
        self.problems: tuple[Problem, ...] = ()
        """All that is wrong with the file as it was last read."""
        self.readable = False
        """Whether ``graph`` is the file's as it was last read."""
        self.read()

    def read(self) -> None:
        """Read the file. One that cannot be read keeps the last good graph, and says why in ``problems``."""
        if self.path is None:
            return
        try:
            self.graph = read_graph(self.path)
        except GraphFileError as error:
            self.problems = error.problems
            self.readable = False
        else:
            self.problems = tuple(check(self.graph))
            self.readable = True

    @property
    def errors(self) -> int:
        """How many errors keep the graph from running."""
        return sum(problem.is_error for problem in self.problems)

    def compiled(self) -> CompiledGraph:
        """The plan of the file as it is now.

        Raises:
            GraphError: It has errors; ``problems`` lists them.
            GraphFileError: It cannot be read.
        """
        if self.path is None:
            raise GraphFileError("this run has no graph file to start another one from")
        self.read()
        if self.graph is None or not self.readable:
            raise GraphFileError(f"{self.path} cannot be read", self.problems)
        return self.graph.compile()
