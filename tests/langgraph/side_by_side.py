"""The same LangGraph graph run by LangGraph and here: paths and final states to compare."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from stepgraph import Decision, Executor, Run, RunStatus, StateGraph
from stepgraph.extras.langgraph import BESIDE
from stepgraph.extras.langgraph.loaded import LoadedGraph
from stepgraph.extras.langgraph.node import LangGraphNode
from stepgraph.files import grant, load_graph
from stepgraph.files.graph_refs import graph_ref
from stepgraph.files.opening import unopened

GRAPHS = Path(__file__).parent / "graphs"


class Played(NamedTuple):
    """What a run has done."""

    path: list[str]
    """The nodes that were completed, in order."""
    values: dict[str, Any]
    """The state at its end, with the ids of messages replaced by when they were first there."""
    asked: list[Any]
    """What people were asked."""


def opened(name: str, file: Path | None = None) -> StateGraph:
    """Open a graph of one of the modules, trusted."""
    module, _, graph = name.partition(":")
    path = Path(f"{file or GRAPHS / module}.py:{graph}")
    ref = graph_ref(path)
    assert ref is not None
    grant(unopened(ref))
    return load_graph(ref)


def loaded_of(graph: StateGraph) -> LoadedGraph:
    """Find the LangGraph graph behind one that was opened, as its nodes have it."""
    ref = graph_ref(graph.source)
    assert ref is not None
    app = graph.compile()
    executor = Executor(app)
    node = executor._nodes[app.start].work
    assert isinstance(node, LangGraphNode)
    assert node._loaded is not None
    return node._loaded


def by_langgraph(graph: Any, inputs: Any, answers: Sequence[Any] = ()) -> Played:
    """Run a graph by LangGraph itself."""
    compiled = graph.compile() if not hasattr(graph, "invoke") else graph
    compiled = compiled.copy({"checkpointer": InMemorySaver()})
    config = {"configurable": {"thread_id": "t"}}
    path: list[str] = []
    at = -2
    step: set[str] = set()  # the tasks of one node in one superstep are a step here
    asked: list[Any] = []
    waiting = list(answers)
    what: Any = inputs
    while True:
        for mode, part in compiled.stream(what, config, stream_mode=["updates", "checkpoints"]):
            if mode == "updates":
                step |= {name for name in part if not name.startswith("__")}
            elif part["metadata"]["step"] > at:  # not the one that it continues from after an answer
                at = part["metadata"]["step"]
                path += sorted(step)
                step.clear()
        state = compiled.get_state(config)
        if not state.interrupts:
            return Played(path, numbered(state.values), asked)
        asked.append(state.interrupts[0].value)
        answer = waiting.pop(0)
        by_id = len(state.interrupts) > 1 or answer is None or answer == {}  # else it takes these for none
        what = Command(resume={state.interrupts[0].id: answer} if by_id else answer)


def here(graph: StateGraph, inputs: Mapping[str, Any], answers: Sequence[Any] = (), **options: Any) -> Played:
    """Run a graph here, answering as a person would type."""
    executor = Executor(graph.compile(), **options)
    run = executor.run(executor.start(dict(inputs)))
    asked: list[Any] = []
    waiting = list(answers)
    while run.status is RunStatus.PAUSED:
        assert run.pending is not None
        asked.append(run.pending.request.arguments or run.pending.request.prompt)
        run = executor.resume(run.id, Decision.respond(typed(waiting.pop(0)), by="ana"))
    run.raise_for_status()
    return Played(path_of(run), state_of(run, graph), asked)


def typed(answer: Any) -> str:
    """Write an answer as a person types it: text as it is, all else as JSON."""
    return answer if isinstance(answer, str) and answer else json.dumps(answer)


def path_of(run: Run) -> list[str]:
    """Give the nodes that LangGraph would tell of."""
    return [record.node for record in run.history if record.node != "__start__"]


def state_of(run: Run, graph: StateGraph) -> dict[str, Any]:
    """Give the state as LangGraph has it."""
    loaded = loaded_of(graph)
    beside: Any = run.values.get(BESIDE, {})
    values = {
        name: loaded.values.read(value, name)
        for name, value in run.values.items()
        if name in loaded.builder.channels
    }
    return numbered(values | dict.fromkeys(beside.get("none", ())))


def numbered(values: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the ids of messages, which LangGraph draws by chance, by their order."""
    known: dict[str | None, str] = {}

    def renamed(value: Any) -> Any:
        if isinstance(value, BaseMessage):
            return value.model_copy(update={"id": known.setdefault(value.id, f"m-{len(known)}")})
        if isinstance(value, list):
            return [renamed(item) for item in value]
        if isinstance(value, dict):
            return {name: renamed(item) for name, item in value.items()}
        return value

    return {name: renamed(value) for name, value in sorted(values.items())}


__all__ = ["GRAPHS", "Played", "by_langgraph", "here", "loaded_of", "opened", "path_of", "state_of"]
