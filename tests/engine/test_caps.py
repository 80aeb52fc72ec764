"""The cap: its three policies, the loop report, extending."""

from __future__ import annotations

import pytest

from stepgraph import END, Executor, MaxStepsExceeded, NotReady, Outcome, RunStatus, StateGraph, StateStore


def pingpong(**settings: object) -> StateGraph:
    graph = StateGraph("pingpong", start="ping", **settings)  # type: ignore[arg-type]
    graph.add_node("ping", lambda state: {"n": state.get("n", 0) + 1})
    graph.add_node("pong", lambda state: {"mood": "same"})
    graph.add_edge("ping", "pong")
    graph.add_edge("pong", END, when="n > 100")
    graph.add_edge("pong", "ping", label="again")
    return graph


# acceptance 48
def test_reaching_the_end_at_the_very_last_step_is_no_cap(store: StateStore) -> None:
    graph = StateGraph("exact", start="a", max_steps=2)
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a", when="step < 2")
    graph.add_edge("a", END)
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}))
    assert (run.step, run.outcome, run.status) == (2, Outcome.END, RunStatus.ENDED)


# acceptance 9, 10, e9 9
def test_without_any_setting_a_run_is_stopped_after_fifty_steps_and_keeps_what_it_has(
    store: StateStore,
) -> None:
    executor = Executor(pingpong().compile(), store)
    run = executor.run(executor.start({}))
    assert (run.step, run.status, run.outcome, run.error) == (50, RunStatus.ENDED, Outcome.MAX_STEPS, None)
    assert run.values == {"n": 25, "mood": "same"}


# acceptance 49
def test_return_last_ends_the_run_and_names_the_node_that_did_not_run(store: StateStore) -> None:
    executor = Executor(pingpong(max_steps=4).compile(), store)
    run = executor.run(executor.start({}))
    assert (run.status, run.outcome, run.flagged, run.current) == (
        RunStatus.ENDED,
        Outcome.MAX_STEPS,
        False,
        None,
    )
    assert run.history[-1].next == "ping"
    run.raise_for_status()


# acceptance 51
def test_flag_ends_the_run_with_a_mark(store: StateStore) -> None:
    executor = Executor(pingpong(max_steps=4, on_max_steps="flag").compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    assert (run.status, run.outcome, run.flagged) == (RunStatus.ENDED, Outcome.MAX_STEPS, True)
    assert executor.load("r-1").flagged


# acceptance 50
def test_fail_names_the_graph_the_cap_and_the_last_node(store: StateStore) -> None:
    """The run is at the node that did not run, not at the one before it, which did."""
    executor = Executor(pingpong(max_steps=4, on_max_steps="fail").compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    assert (run.status, run.outcome, run.current) == (RunStatus.FAILED, Outcome.MAX_STEPS, "ping")
    for handle in (run, executor.load("r-1")):
        with pytest.raises(
            MaxStepsExceeded,
            match=r"'ping' did not run: .*'pingpong'.* 4 steps.*'pong'.*ping -> pong -> ping",
        ):
            handle.raise_for_status()
    assert len(run.history) == 4


@pytest.mark.parametrize("policy", ["return_last", "flag", "fail"])
def test_extend_makes_a_capped_run_ready_at_the_node_that_did_not_run(store: StateStore, policy: str) -> None:
    executor = Executor(pingpong(max_steps=4, on_max_steps=policy).compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    run = executor.extend("r-1", 3)
    assert (run.status, run.current, run.max_steps) == (RunStatus.READY, "ping", 7)
    assert (run.outcome, run.flagged, run.error) == (None, False, None)
    executor.run(run)
    assert (run.step, run.outcome) == (7, Outcome.MAX_STEPS)


def test_extend_refuses_a_run_that_ended_well_and_nonsense(store: StateStore) -> None:
    executor = Executor(pingpong(max_steps=400).compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    with pytest.raises(NotReady, match="ended"):
        executor.extend("r-1", 5)
    executor.start({}, run_id="r-2")
    with pytest.raises(Exception, match="by 0 steps"):
        executor.extend("r-2", 0)


def test_a_retry_of_a_capped_run_says_to_extend_it(store: StateStore) -> None:
    executor = Executor(pingpong(max_steps=4, on_max_steps="fail").compile(), store)
    executor.run(executor.start({}, run_id="r-1"))
    with pytest.raises(NotReady):
        executor.retry("r-1")
