"""One node at a time: where it runs, in which order a step does its work, and who chooses what comes next."""

from __future__ import annotations

import threading
from typing import Any

from stepgraph import END, Executor, NodeResult, State, StateGraph, StateStore, StepCompleted
from stepgraph.conditions.base import RoutingContext


# acceptance 43
def test_a_step_feeds_back_runs_routes_commits_and_then_tells(store: StateStore) -> None:
    log: list[tuple[Any, ...]] = []

    def stored() -> int:
        return store.load("r-1").pointer.step

    def count(state: State) -> dict[str, Any]:
        log.append(("ran", state.previous_output, stored()))
        return {"n": state.get("n", 0) + 1}

    def enough(context: RoutingContext) -> bool:
        log.append(("routed", context.state["n"], stored()))
        return context.step == 2

    def listen(event: StepCompleted) -> None:
        log.append(("told", event.next, stored()))

    graph = StateGraph("order", start="count")
    graph.add_node("count", count)
    graph.add_edge("count", END, when=enough)
    graph.add_edge("count", "count")
    executor = Executor(graph.compile(), store)
    executor.on_step(listen)
    executor.run(executor.start({}, "r-1"))
    assert log == [
        ("ran", None, 0),
        ("routed", 1, 0),
        ("told", "count", 1),
        ("ran", '{"n":1}', 1),
        ("routed", 2, 1),
        ("told", END, 2),
    ]


# acceptance 42
def test_nodes_predicates_and_listeners_run_in_the_callers_thread(store: StateStore) -> None:
    threads: set[int] = set()

    def note(anything: object) -> Any:
        threads.add(threading.get_ident())
        return {}

    graph = StateGraph("alone", start="a")
    for name in ("a", "b"):
        graph.add_node(name, note)
        graph.add_edge(name, END, when=note)
    graph.add_edge("a", "b")
    graph.add_edge("b", END)
    executor = Executor(graph.compile(), store)
    executor.on_step(note)
    run = executor.run(executor.start({}))
    assert [record.node for record in run.history] == ["a", "b"]
    assert threads == {threading.get_ident()}


# acceptance 17, e9 17
def test_nothing_that_a_node_writes_leads_where_no_edge_leads(store: StateStore) -> None:
    graph = StateGraph("closed", start="a")
    graph.add_node("a", lambda state: NodeResult({"next": "pay", "current": "pay"}, output="pay"))
    graph.add_node("b", lambda state: {})
    graph.add_node("pay", lambda state: {"paid": True})
    graph.add_edge("a", "b")
    graph.add_edge("b", END)
    graph.add_edge("pay", END)
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"next": "pay", "current": "pay", "start": "pay"}))
    assert [record.node for record in run.history] == ["a", "b"]


# acceptance 5
def test_a_predicate_is_told_by_its_label_and_without_one_by_its_name(store: StateStore) -> None:
    def is_urgent(context: RoutingContext) -> bool:
        return False

    graph = StateGraph("labels", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a", when=is_urgent, label="in a hurry")
    graph.add_edge("a", "a", when=is_urgent)
    graph.add_edge("a", END)
    executor = Executor(graph.compile(), store)
    record = executor.step(executor.start({}))
    assert [(edge.label, edge.description) for edge in record.edges] == [
        ("in a hurry", "in a hurry"),
        (None, "is_urgent"),
        (None, "always"),
    ]
