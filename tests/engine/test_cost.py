"""What a graph and a step cost, counted in calls, so that no slow machine can make it fail."""

from __future__ import annotations

from stepgraph import END, CompiledGraph, Executor, StateGraph
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
