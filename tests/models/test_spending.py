"""What a run has spent is found, however long it is and whoever answers now; it is not looked for in vain."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import pytest

from stepgraph import END, BaseNode, Executor, MemoryStore, StateGraph
from stepgraph.models.client import Message, ModelRequest
from stepgraph.nodes import registry
from stepgraph.nodes.calls import ask_model
from stepgraph.nodes.settings import NodeSettings
from stepgraph.runs.modes import SCRIPTED
from stepgraph.runs.operations import set_mode
from stepgraph.runs.run import Run
from stepgraph.runs.views import open_run
from stepgraph.values.json_values import Json
from stepgraph.values.state import State

LONG = 250


class Parrot:
    """A model that answers at once."""

    def generate(self, prompt: str) -> str:
        return prompt


def looping(**settings: Any) -> StateGraph:
    graph = StateGraph("loop", start="think", max_steps=10_000)
    graph.declare_node("think", "llm", {"prompt": "Think.", **settings})
    return closed(graph)


def closed(graph: StateGraph) -> StateGraph:
    graph.add_edge("think", END, 'response == "enough"')
    graph.add_edge("think", "think")
    return graph


def long_run(graph: StateGraph, store: MemoryStore, *, live: bool = False) -> Run:
    """Take a step that may be live, and then many that are not."""
    app, models = graph.compile(), {"default": Parrot()}
    first = Executor(app, store, models=models, live=live)
    run = first.start({}, "r-1")
    first.step(run)
    if live:
        set_mode(run, SCRIPTED, "ana", 1.0)
    executor = Executor(app, store, models=models)
    run = executor.load("r-1")
    while run.step < LONG:
        executor.step(run)
    return open_run(store, "r-1")


def test_a_node_without_scripted_replies_asks_in_any_mode() -> None:
    assert long_run(looping(), MemoryStore()).spending.calls == LONG


class Asks(BaseNode):
    """A node type of a package that says nothing of the models it asks."""

    type: ClassVar[str] = "asks"
    Settings = NodeSettings

    def execute(self, state: State) -> dict[str, Json]:
        return {"response": ask_model(self, state, "default", ModelRequest((Message("user", "Hi"),))).text}


def test_nobody_knows_what_a_node_type_of_a_package_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_points", lambda: [EntryPoint("asks", f"{__name__}:Asks", registry.GROUP)])
    graph = StateGraph("asks", start="think", max_steps=10_000)
    graph.declare_node("think", "asks", {})
    assert long_run(closed(graph), MemoryStore()).spending.calls == LONG
