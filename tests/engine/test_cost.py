"""What a graph and a step cost, counted in calls, so that no slow machine can make it fail."""

from __future__ import annotations

from typing import Any

from stepgraph import END, CompiledGraph, Decision, Executor, MemoryStore, StateGraph, StepRecord
from stepgraph.runs.history import PAGE
from stepgraph.stores import Row
from tests.counting import calls_of


def ring(size: int) -> StateGraph:
    graph = StateGraph("ring", start="n0")
    for number in range(size):
        graph.add_node(f"n{number}", lambda state: {})
        graph.add_edge(f"n{number}", END, when="n > 3")
        graph.add_edge(f"n{number}", f"n{(number + 1) % size}")
    return graph


# acceptance 20
def test_declaring_and_compiling_grows_with_the_graph_and_no_faster() -> None:
    ring(2).compile()  # what is imported once is not counted
    small, large = (calls_of(lambda size=size: ring(size).compile())[0] for size in (100, 400))  # type: ignore[misc]
    assert small > 100, "the counting does not work"
    assert large < 4.4 * small


def second_step(app: CompiledGraph) -> tuple[int, set[str]]:
    executor = Executor(app)
    run = executor.start({"n": 1})
    executor.step(run)
    return calls_of(lambda: executor.step(run))


# acceptance 20
def test_a_step_costs_the_same_in_a_graph_of_any_size_and_touches_no_graph_library() -> None:
    small, _ = second_step(ring(3).compile())
    large, modules = second_step(ring(600).compile())
    assert "stepgraph" in modules, "the counting does not work"
    assert large == small
    assert "networkx" not in modules


class CountedRows(MemoryStore):
    """A store that counts the rows it was asked for."""

    asked_for = 0

    def rows(self, *args: Any, **named: Any) -> list[Row]:
        found = super().rows(*args, **named)
        self.asked_for += len(found)
        return found


def test_no_answer_reads_the_answers_before_it() -> None:
    graph = StateGraph("chat", start="ask", max_steps=1_000)
    graph.declare_node("ask", "approval", {"prompt": "Go on?"})
    graph.add_edge("ask", "ask")
    store = CountedRows()
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({}, run_id="r-1"))

    def answer() -> StepRecord:
        executor.decide("r-1", Decision.approve(by="ana"))
        return executor.run(executor.load("r-1")).history[-1]

    def read_after(rounds: int) -> int:
        for _ in range(rounds):
            answer()
        store.asked_for = 0
        last = answer()
        assert last.calls == []
        assert last.decision is not None
        assert last.decision.by == "ana"
        return store.asked_for

    few, many = read_after(20), read_after(200)
    assert few > 0, "the counting does not work"
    assert many < few + PAGE, "only the page that the last step stands on"
