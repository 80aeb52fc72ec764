"""Building the graph of a design, and finding what is wrong with it."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.documents import GraphRebuilder
from stepgraph.graphs import definition_hash
from stepgraph.graphs.validation import CheckedGraph, problems, shadowed
from stepgraph.tools import known_tools

if TYPE_CHECKING:
    from stepgraph.editing import Design
    from stepgraph.graphs import Locator, StateGraph
    from stepgraph.tools import ToolRegistry
    from stepgraph.values import KeyPath, Problem


@dataclass(frozen=True)
class Checked:
    """A design as a graph, and what was found of it when it was checked."""

    design: Design
    graph: StateGraph | None = None
    """None before the first design was checked."""
    problems: tuple[Problem, ...] = ()
    """All that is wrong with the graph, or with the file where that cannot be read."""
    never_taken: Mapping[int, str] = field(default_factory=dict)
    """The edges that are shadowed by earlier ones, by position, with the reason."""
    models: Collection[str] | None = None
    """The models that were configured then; None where nobody has looked."""

    @cached_property
    def errors(self) -> int:
        """How many errors keep the graph from running."""
        return sum(problem.is_error for problem in self.problems)

    @cached_property
    def definition(self) -> str | None:
        """The hash of the graph's definition; None without a graph."""
        return definition_hash(self.graph.document) if self.graph is not None else None


class Checker:
    """Builds and checks designs that follow from one another; one at a time, from any thread."""

    def __init__(self) -> None:
        self._builder = GraphRebuilder()
        self._lock = threading.Lock()

    def check(
        self,
        design: Design,
        source: Path,
        locate: Locator | None,
        tools: ToolRegistry | None = None,
        models: Collection[str] | None = None,
    ) -> Checked:
        """Build and check a design.

        Args:
            design: The design.
            source: Its file.
            locate: Finds the lines of the file; None where the file has another design.
            tools: The tools of the user's servers.
            models: The models of the user's settings.
        """
        with self._lock:
            graph = self._builder.build(design.document(), source)
            graph.locate = locate if locate is not None else _nowhere
            checked = CheckedGraph(graph)
            known = known_tools(graph.tools.values(), source.parent, tools)
            found = problems(checked, models, known)
            return Checked(design, graph, tuple(found), shadowed(checked), models)


def _nowhere(path: KeyPath) -> None:
    """There is a file, but not with this design in it."""
