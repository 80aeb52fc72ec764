"""Where a run stands and what comes next, in words: the header's status and the NEXT line."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stepgraph.nodes.approval import ApprovalNode
from stepgraph.nodes.llm import LLMNode
from stepgraph.stores.ledger import Outcome, RunStatus
from stepgraph_tui.words.runs import ending
from stepgraph_tui.words.text import place, plural, took, visible

from .coming import coming

if TYPE_CHECKING:
    from pathlib import Path

    from stepgraph.graphs.builder import StateGraph
    from stepgraph.graphs.plan import CompiledGraph

    from .moment import Moment
    from .run_view import RunView

_STANDING = {
    RunStatus.READY: "READY",
    RunStatus.PAUSED: "AWAITING HUMAN",
    RunStatus.FAILED: "FAILED",
    RunStatus.ENDED: "ENDED",
}


@dataclass(frozen=True, slots=True)
class Said:
    """What the NEXT line says."""

    word: str
    """Its first word, in capitals."""
    text: str


def standing_word(moment: Moment | None, running: bool) -> str:
    """The status of a run in one or two words."""
    if moment is None:
        return "NO RUN"
    if running:
        return "RUNNING"
    if not moment.live:
        return f"VIEWING {moment.step}"
    return _STANDING[moment.view.run.status]


def is_scripted(graph: StateGraph | CompiledGraph) -> bool:
    """Whether the graph has models, and all of them have canned replies."""
    models = [entry.node for entry in graph.nodes.values() if isinstance(entry.node, LLMNode)]
    return bool(models) and not any(node.models() for node in models)


def said_without_a_run(graph: StateGraph | None, errors: int) -> Said:
    """What there is to do with a graph that no run is shown of."""
    if errors:
        return Said("HINT", f"{plural(errors, 'error')} to mend before it can run: 6 shows them")
    if graph is None:
        return Said("HINT", "o on the home screen opens a graph")
    return Said("HINT", "no run yet: c starts one, m edits the graph")


def said_of_design(nodes: Collection[str], node: str | None, edge: int | None, errors: int) -> Said:
    """What there is to do with what is selected while a graph is designed.

    Args:
        nodes: The nodes of the graph.
        node: The selected node.
        edge: The position of the selected edge.
        errors: How many errors keep the graph from running.
    """
    if not nodes:
        return Said("DESIGN", "a adds the first node")
    left = f"; {plural(errors, 'error')} left: . goes there, ! mends the obvious" if errors else ""
    if edge is not None:
        return Said("EDGE", f"Enter edits it, K J move it, a puts a node into it, d deletes it{left}")
    if node is None or node not in nodes:
        return Said("DESIGN", f"hjkl select a node{left}")
    return Said("NODE", f"{visible(node)}: Enter edits it, a adds one after it, C connects it{left}")


def said_of_no_design(file: Path | None, line: int | None) -> Said:
    """Why a graph cannot be designed, and what there is to do about it.

    Args:
        file: The file, which cannot be read; None where there is none.
        line: The first line that is wrong.
    """
    if file is None:
        return Said("DESIGN", "this run has no graph file: it can be looked at, not edited")
    where = f" at line {line}" if line is not None else ""
    return Said("BROKEN", f"the file cannot be read{where}: E opens it there; this is how it was before")


def said_of_running(node: str, seconds: float) -> Said:
    """What there is to say while a node runs."""
    length = f", {took(seconds)}" if seconds >= 1 else ""
    return Said("RUNS", f"{visible(node)}{length}: X stops after it")


def said_of_trying(node: str, seconds: float) -> Said:
    """What there is to say while a node is tried."""
    length = f", {took(seconds)}" if seconds >= 1 else ""
    return Said("TRIES", f"{visible(node)}{length}: nothing is recorded, and it cannot be stopped")


def said_of(moment: Moment) -> Said:
    """What the next key will do, or why there is no next step."""
    view = moment.view
    run = view.run
    if not moment.live:
        where = "the start" if moment.step == 0 else f"step {moment.step} of {run.step}"
        return Said("VIEWING", f"{where}; Esc goes back to where the run stands")
    if run.status is RunStatus.ENDED:
        return Said("ENDED", f"{ending(run)} after {plural(run.step, 'step')}; S starts over")
    node = visible(run.current or "")
    if run.status is RunStatus.PAUSED:
        return Said("WAITS", f"{node} asks a person: A opens the review")
    if run.status is RunStatus.FAILED:
        reason = view.mask.text(run.error.message) if run.error is not None else "failed"
        if run.outcome is Outcome.MAX_STEPS:
            return Said("FAILED", f"S starts over: {visible(reason)}")
        return Said("FAILED", f"r tries again: {visible(reason)}")
    return Said("NEXT", f"{node}  {coming(view)}{_then(view)}")


def _then(view: RunView) -> str:
    """What a step does to the next node."""
    entry = view.plan.nodes.get(view.run.current or "")
    if entry is None or view.decision is not None:
        return ""
    if isinstance(entry.node, ApprovalNode):
        return ": the run stops here for a decision"
    return f": s runs it, {_ways(view.plan, entry.name)}"


def _ways(plan: CompiledGraph, node: str) -> str:
    edges = plan.edges_from(node)
    if len(edges) == 1:
        then = "then" if edges[0].unconditional else "then, if it matches,"
        return f"{then} → {place(edges[0].target)}"
    return f"then one of {len(edges)} edges"
