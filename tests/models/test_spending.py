"""What a run has spent is found, however long it is and whoever answers now; it is not looked for in vain."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stepgraph import END, Executor, LLMNode, MemoryStore, StateGraph
from stepgraph.runs.modes import SCRIPTED, set_mode
from stepgraph.runs.run import Run
from stepgraph.runs.views import open_run
from stepgraph.stores.ledger import Row, RowKind

LONG = 250


class Parrot:
    """A model that answers at once."""

    def generate(self, prompt: str) -> str:
        return prompt


class WatchedStore(MemoryStore):
    """A store that knows which kinds of rows were read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: set[RowKind | None] = set()

    def rows(
        self,
        run_id: str,
        after: int = 0,
        upto: int | None = None,
        kinds: Iterable[RowKind] | None = None,
    ) -> list[Row]:
        kinds = None if kinds is None else tuple(kinds)
        self.read |= {None} if kinds is None else {*kinds}
        return super().rows(run_id, after, upto, kinds)


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


def test_a_long_run_that_was_live_once_tells_what_that_took() -> None:
    run = long_run(looping(replies=["canned"]), MemoryStore(), live=True)
    assert (run.spending.calls, run.spending_by_node["think"].calls) == (1, 1)


def test_a_node_without_canned_replies_asks_in_any_mode() -> None:
    assert long_run(looping(), MemoryStore()).spending.calls == LONG


def test_nobody_knows_what_a_node_of_the_program_has_asked() -> None:
    graph = StateGraph("loop", start="think", max_steps=10_000)
    graph.add_node("think", LLMNode(prompt="Think."))
    assert long_run(closed(graph), MemoryStore()).spending.calls == LONG


def test_a_graph_that_was_adopted_does_not_speak_for_the_one_before() -> None:
    store = MemoryStore()
    long_run(looping(), store)
    executor = Executor(looping(replies=["canned"]).compile(), store)
    executor.load("r-1", adopt=True)
    assert open_run(store, "r-1").spending.calls == LONG


def test_the_steps_of_a_run_that_can_have_asked_nobody_are_not_read_for_calls() -> None:
    store = WatchedStore()
    run = long_run(looping(replies=["canned"]), store)
    store.read.clear()
    assert (run.spending.calls, run.spending_by_node) == (0, {})
    assert store.read.isdisjoint({None, "step", "attempt", "review"})
