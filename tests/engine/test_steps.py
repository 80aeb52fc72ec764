"""Steps: order, routing, ends, outputs, what a node sees."""

from __future__ import annotations

import json

import pytest

from stepgraph import (
    END,
    Decision,
    Executor,
    NodeResult,
    NotReady,
    Outcome,
    RoutingContext,
    RunStatus,
    State,
    StateGraph,
    StateStore,
    UnknownRun,
)
from stepgraph.testing import FakeClock


def counter(top: int = 3, **settings: object) -> StateGraph:
    """Counts to ``top`` in a self-loop."""
    graph = StateGraph("counter", start="count", **settings)  # type: ignore[arg-type]
    graph.add_node("count", lambda state: {"n": state.get("n", 0) + 1})
    graph.add_edge("count", "count", when=f"n < {top}", label="more")
    graph.add_edge("count", END, label="done")
    return graph


# acceptance 42, 47
def test_step_runs_exactly_one_node_and_end_is_terminal(store: StateStore) -> None:
    executor = Executor(counter(2).compile(), store)
    run = executor.start({})
    first = executor.step(run)
    assert (first.node, first.step, first.visit, first.status, first.next) == (
        "count",
        1,
        1,
        "success",
        "count",
    )
    assert (run.status, run.current, run.outcome) == (RunStatus.READY, "count", None)
    second = executor.step(run)
    assert (second.step, second.visit, second.next) == (2, 2, END)
    assert (run.status, run.current, run.outcome) == (RunStatus.ENDED, None, Outcome.END)
    with pytest.raises(NotReady, match="ended"):
        executor.step(run)
    assert list(executor.iterate(run)) == []
    assert executor.run(run) is run


# acceptance 44, 45
def test_the_first_matching_edge_in_declaration_order_wins(store: StateStore) -> None:
    graph = StateGraph("order", start="a")
    graph.add_node("a", lambda state: {"n": 5})
    for name in ("never", "first", "second"):
        graph.add_node(name, lambda state: {})
        graph.add_edge(name, END)
    graph.add_edge("a", "never", when="n > 9", label="big")
    graph.add_edge("a", "first", when="n > 1", label="some")
    graph.add_edge("a", "second", when="n > 0")
    executor = Executor(graph.compile(), store)
    record = executor.step(executor.start({}))
    assert record.next == "first"
    assert [(edge.label, edge.matched) for edge in record.edges] == [
        ("big", False),
        ("some", True),
        (None, None),
    ]
    assert "5" in "\n".join(record.edges[0].explanation.lines())


# acceptance 46
def test_a_predicate_sees_node_output_step_visits_outputs_and_state(store: StateStore) -> None:
    seen: list[tuple[object, ...]] = []

    def watch(context: RoutingContext) -> bool:
        seen.append(
            (
                context.node,
                context.last_output,
                context.step,
                dict(context.visits),
                {node: list(outputs) for node, outputs in context.outputs.items()},
                context.state["n"],
            )
        )
        return context.step == 2

    graph = StateGraph("watch", start="count")
    graph.add_node("count", lambda state: {"n": state.get("n", 0) + 1})
    graph.add_edge("count", END, when=watch)
    graph.add_edge("count", "count")
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({}))
    assert seen == [
        ("count", '{"n":1}', 1, {"count": 1}, {"count": ['{"n":1}']}, 1),
        ("count", '{"n":2}', 2, {"count": 2}, {"count": ['{"n":1}', '{"n":2}']}, 2),
    ]


# acceptance 61
@pytest.mark.parametrize("choice", ["left", "right"])
def test_a_node_whose_output_names_the_next_node_can_route(choice: str) -> None:
    graph = StateGraph("named", start="pick")
    graph.add_node("pick", lambda state: NodeResult(output=choice))
    for name in ("left", "right"):
        graph.add_node(name, lambda state: {})
        graph.add_edge(name, END)
        graph.add_edge("pick", name, when=f'last_output == "{name}"')
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert [record.node for record in run.history] == ["pick", choice]


# acceptance 62, 63, 64, 65, 66, 90, 91
def test_history_outputs_and_visits_are_all_there_also_in_a_fresh_handle(store: StateStore) -> None:
    executor = Executor(counter(3).compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    for handle in (run, executor.load("r-1")):
        assert [(r.step, r.node, r.visit, r.output, r.next) for r in handle.history] == [
            (1, "count", 1, '{"n":1}', "count"),
            (2, "count", 2, '{"n":2}', "count"),
            (3, "count", 3, '{"n":3}', END),
        ]
        assert handle.outputs == {"count": ['{"n":1}', '{"n":2}', '{"n":3}']}
        assert handle.output == '{"n":3}'
        assert handle.visits == {"count": 3}
        assert handle.outcome is Outcome.END
        assert handle.values == {"n": 3}


# acceptance 76, 77
def test_the_trace_is_json(store: StateStore) -> None:
    executor = Executor(counter(2).compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    assert json.loads(json.dumps(run.trace())) == {
        "graph": "counter",
        "run": "r-1",
        "start": "count",
        "status": "ended",
        "outcome": "end",
        "steps_run": 2,
        "max_steps": 50,
        "steps": [
            {"node": "count", "step": 1, "next": "count"},
            {"node": "count", "step": 2, "next": END},
        ],
    }


# acceptance 106
def test_times_come_from_the_clock(store: StateStore) -> None:
    clock = FakeClock()
    graph = StateGraph("slow", start="wait")

    def wait(state: State) -> dict[str, object]:
        clock.advance(2.5)
        return {}

    graph.add_node("wait", wait)
    graph.add_edge("wait", END)
    executor = Executor(graph.compile(), store, clock=clock)
    began = clock.time()
    record = executor.step(executor.start({}))
    assert record.started_at == pytest.approx(began)
    assert record.duration == pytest.approx(2.5)


# acceptance 130
def test_max_seconds_stops_between_steps(store: StateStore) -> None:
    clock = FakeClock()

    def wait(state: State) -> dict[str, object]:
        clock.advance(2)
        return {}

    graph = StateGraph("slow", start="wait", max_seconds=5)
    graph.add_node("wait", wait)
    graph.add_edge("wait", "wait", when="step < 40")
    graph.add_edge("wait", END)
    executor = Executor(graph.compile(), store, clock=clock)
    run = executor.run(executor.start({}))
    assert (run.status, run.outcome, run.step) == (RunStatus.ENDED, Outcome.STOPPED, 3)


def test_any_past_state_can_be_read_again(store: StateStore) -> None:
    graph = counter(4)
    graph.add_key("log", reducer="append", default=[])
    graph.add_node("note", lambda state: {"log": f"at {state['n']}", "seen": {"n": state["n"]}})
    graph.add_edge("note", END)
    builder = StateGraph("past", start="count")
    builder.add_key("log", reducer="append", default=[])
    builder.add_node("count", lambda state: {"n": state.get("n", 0) + 1, "log": [state.get("n", 0)]})
    builder.add_edge("count", "count", when="n < 4")
    builder.add_edge("count", END)
    executor = Executor(builder.compile(), store)
    run = executor.run(executor.start({"x": "kept"}))
    assert [run.values_at(step) for step in range(5)] == [
        {"log": list(range(n)), "x": "kept"} | ({"n": n} if n else {}) for n in range(5)
    ]
    with pytest.raises(Exception, match="no step 5"):
        run.values_at(5)


# acceptance 127
def test_a_stored_run_is_loaded_and_goes_on_where_it_stood(store: StateStore) -> None:
    executor = Executor(counter(3).compile(), store)
    executor.step(executor.start({}, run_id="r-1"))
    again = Executor(counter(3).compile(), store).load("r-1")
    record = executor.step(again)
    assert (record.step, record.visit, again.values["n"]) == (2, 2, 2)


# e9 17
def test_a_run_cannot_be_started_twice(store: StateStore) -> None:
    from stepgraph import RunExists

    executor = Executor(counter(3).compile(), store)
    executor.step(executor.start({}, run_id="r-1"))
    with pytest.raises(RunExists, match="r-1"):
        executor.start({}, run_id="r-1")
    assert executor.load("r-1").step == 1


# acceptance 126
def test_an_unknown_run_is_a_clear_error(store: StateStore) -> None:
    executor = Executor(counter().compile(), store)
    executor.start({}, "r-1")
    for call in (
        lambda: executor.load("r-9"),
        lambda: executor.load("r-9", adopt=True),
        lambda: executor.decide("r-9", Decision.approve()),
        lambda: executor.resume("r-9", Decision.approve()),
        lambda: executor.retry("r-9"),
        lambda: executor.extend("r-9", 1),
        lambda: executor.edit("r-9", {"n": 1}, by="ana"),
        lambda: executor.fork("r-9"),
    ):
        with pytest.raises(UnknownRun, match="no run 'r-9'"):
            call()
    assert [run.head.id for run in store.runs()] == ["r-1"]


# acceptance 126
def test_a_run_without_any_step_yet_is_whole(store: StateStore) -> None:
    executor = Executor(counter().compile(), store)
    run = executor.start({"n": 7}, "r-1")
    for handle in (run, executor.load("r-1")):
        assert (handle.step, list(handle.history), handle.visits, handle.outputs) == (0, [], {}, {})
        assert (handle.output, handle.attempts, handle.pending, handle.error) == (None, [], None, None)
        assert handle.values_at(0) == {"n": 7}
        assert handle.trace()["steps"] == []


# acceptance 109
def test_the_step_number_is_readable_in_conditions() -> None:
    graph = StateGraph("bounded", start="a")
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a", when="step < 7")
    graph.add_edge("a", END)
    executor = Executor(graph.compile())
    assert executor.run(executor.start({})).step == 7


# acceptance 8, 110
def test_a_loop_of_its_own_is_bounded_by_visits() -> None:
    graph = StateGraph("critique", start="draft")
    graph.add_node("draft", lambda state: {"text": f"draft {state.visit}"})
    graph.add_node("check", lambda state: {"verdict": "bad"})
    graph.add_node("escalate", lambda state: {})
    graph.add_edge("draft", "check")
    graph.add_edge("check", END, when='verdict == "good"')
    graph.add_edge("check", "escalate", when="visits.draft >= 3")
    graph.add_edge("check", "draft")
    graph.add_edge("escalate", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert [record.node for record in run.history] == ["draft", "check"] * 3 + ["escalate"]
