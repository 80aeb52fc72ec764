"""Small graphs to break, and nodes that say what they need."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from stepgraph import END, BaseNode, Problem, StateGraph, check
from stepgraph.toml.syntax import SourceText


def nothing(state: object) -> dict[str, object]:
    """A node without any effect."""
    return {}


def sound(name: str = "sound", **settings: Any) -> StateGraph:
    """A graph without any problem: draft, review, the end."""
    graph = StateGraph(name, **({"start": "draft"} | settings))
    graph.add_node("draft", nothing)
    graph.add_node("review", nothing)
    graph.add_edge("draft", "review")
    graph.add_edge("review", END)
    return graph


class Part(BaseNode):
    """A node that names what it is told to name."""

    type = "part"

    def __init__(
        self,
        *,
        reads: str = "",
        writes: str | None = "",
        tools: str = "",
        handlers: str = "",
        models: str = "",
        problems: tuple[Problem, ...] = (),
        editable: dict[str, str] | None = None,
    ) -> None:
        self.settings = SimpleNamespace(editable=editable)
        self._reads, self._writes = frozenset(reads.split()), writes
        self._tools, self._models = frozenset(tools.split()), frozenset(models.split())
        self._handlers, self._problems = tuple(handlers.split()), problems

    def execute(self, state: object) -> dict[str, object]:
        return {}

    def reads(self) -> frozenset[str]:
        return self._reads

    def writes(self) -> frozenset[str] | None:
        return None if self._writes is None else frozenset(self._writes.split())

    def tools(self) -> frozenset[str]:
        return self._tools

    def handlers(self) -> tuple[str, ...]:
        return self._handlers

    def models(self) -> frozenset[str]:
        return self._models

    def problems(self) -> tuple[Problem, ...]:
        return self._problems


def part_graph(**parts: Part) -> StateGraph:
    """A chain of such nodes."""
    names = list(parts)
    graph = StateGraph("parts", start=names[0])
    for name, target in zip(names, [*names[1:], END], strict=True):
        graph.add_node(name, parts[name])
        graph.add_edge(name, target)
    return graph


def from_text(graph: StateGraph, text: str, folder: Path) -> StateGraph:
    """The graph as if it had been read from a file with that text."""
    graph.source = folder / "graph.toml"
    graph.locate = SourceText(text, text.encode())
    return graph


def codes(graph: StateGraph) -> list[str]:
    """The codes of everything that is wrong with it, in order."""
    return [problem.code for problem in check(graph)]


def only(graph: StateGraph) -> Problem:
    """The one problem that the graph has."""
    problems = check(graph)
    assert len(problems) == 1, [str(problem) for problem in problems]
    return problems[0]


def spoilt(change: Callable[[StateGraph], object], **settings: Any) -> Problem:
    """The one problem that a change makes in a sound graph."""
    graph = sound(**settings)
    change(graph)
    return only(graph)
