"""Playing the example graphs to their end, with decisions and replies from lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stepgraph import CompiledGraph, Decision, Executor, Run, StateGraph
from stepgraph.files import resolve_handler
from stepgraph.files.importing import read_sources
from stepgraph.testing import ScriptedModel, scripted_human

GRAPHS = Path(__file__).parents[2] / "graphs"
NAMES = tuple(sorted(path.stem for path in GRAPHS.glob("*.toml")))


def compiled(name: str) -> CompiledGraph:
    """The example of that name, ready to run."""
    return StateGraph.from_file(GRAPHS / f"{name}.toml").compile()


def handler(ref: str) -> Callable[..., Any]:
    """A function of the modules beside the examples, as a graph file names it."""
    return resolve_handler(ref, read_sources([ref.split(":")[0]], GRAPHS))


def play(
    name: str,
    inputs: Mapping[str, Any] | None = None,
    decisions: Iterable[Decision] = (),
    replies: Iterable[str] = (),
) -> Run:
    """Run an example until it ends, fails, or waits for a decision that the list does not have.

    Args:
        name: The example.
        inputs: Values over its defaults.
        decisions: What the person decides, review by review.
        replies: What a live model answers, call by call; the scripted replies count when there are none.
    """
    answers = list(replies)
    models = {"default": ScriptedModel(answers)} if answers else {}
    executor = Executor(compiled(name), models=models, live=bool(answers))
    run = executor.run(executor.start(inputs or {}, "r-1"))
    for decision in decisions:
        run = scripted_human([decision]).answer(executor, run)
    return run


def path(run: Run) -> list[str]:
    """The nodes that completed, in order."""
    return [record.node for record in run.history]


def values(run: Run) -> dict[str, Any]:
    """The state now, for assertions that know what is in it."""
    return run.values


@dataclass(frozen=True)
class Journey:
    """One way through an example."""

    graph: str
    path: str
    """The nodes on the way, separated by blanks."""
    inputs: Mapping[str, Any] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    replies: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.graph}: {self.path}"

    def run(self) -> Run:
        """Play it."""
        return play(self.graph, self.inputs, self.decisions, self.replies)
