"""The parts of a graph: settings, nodes as they were added, edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .conditions import Condition
from .errors import ExpressionError
from .json_values import Json
from .nodes.base import Node
from .problems import KeyPath, Problem

END = "__END__"
"""The reserved name of the place where a run ends; written ``END`` in graph files."""

MAX_STEPS = 1_000_000_000
"""The highest cap: what every store can count."""

OnMaxSteps = Literal["return_last", "flag", "fail"]
OnNoMatch = Literal["fail", "end"]
Gate = Literal["before", "after"]
NodeLike = Node | Callable[..., Any]
Locator = Callable[[KeyPath], int | None]


@dataclass(frozen=True, slots=True)
class GraphSettings:
    """What holds for a graph as a whole."""

    name: str
    start: str
    max_steps: int = 50
    """How many steps a run may complete, pauses and resumes included."""
    on_max_steps: OnMaxSteps = "return_last"
    on_no_match: OnNoMatch = "fail"
    max_seconds: float | None = None
    """How long the nodes of a run may take in all, looked at between steps."""
    feedback: bool = True
    """Whether a node that is visited again sees its previous output."""
    no_feedback: tuple[str, ...] = ()
    """The nodes that never see it."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class NodeEntry:
    """A node as it was added."""

    name: str
    node: NodeLike | None
    """What runs; None when the type or its settings are wrong (see ``problems``)."""
    type: str = "python"
    settings: Mapping[str, Json] | None = None
    """The settings of a node declared by type; None for a Python object, which is opaque."""
    review: Gate | None = None
    side_effects: bool = False
    note: str = ""
    problems: tuple[Problem, ...] = ()
    index: int = 0
    """Its position in declaration order; the graph sets it."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge; the order in which a node's edges were added is their meaning."""

    source: str
    target: str
    condition: Condition
    label: str | None
    index: int
    """Its position among all edges of the graph, in declaration order."""
    broken: ExpressionError | None = None
    """Why the condition's text does not parse; ``condition`` is then a stand-in."""

    @property
    def unconditional(self) -> bool:
        """True when the edge always matches."""
        return self.condition.kind == "always" and self.broken is None

    def describe(self) -> str:
        """The label, else the condition in words."""
        return self.label or self.condition.describe()
