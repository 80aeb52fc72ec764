"""The public fakes."""

from __future__ import annotations

import pytest

from stepgraph import END, Executor, NotReady, StateGraph
from stepgraph.testing import FakeClock, ScriptedModel, scripted_human, sequential_ids


def gate() -> Executor:
    graph = StateGraph("g", start="gate")
    graph.declare_node("gate", "approval", {"prompt": "Go on?", "show": ["x"]})
    graph.add_edge("gate", END)
    return Executor(graph.compile(), clock=FakeClock(50.0), ids=sequential_ids())


def test_the_clock_moves_only_when_told() -> None:
    clock = FakeClock(100.0)
    assert (clock.time(), clock.perf_counter()) == (100.0, 0.0)
    clock.advance(2.5)
    assert (clock.time(), clock.perf_counter()) == (102.5, 2.5)
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance(-1)


def test_a_scripted_model_replies_in_order_and_keeps_the_prompts() -> None:
    model = ScriptedModel(["a", ValueError("no"), "b"])
    assert model.generate("1") == "a"
    with pytest.raises(ValueError, match="no"):
        model.generate("2")
    assert (model.generate("3"), model.generate("4")) == ("b", "b")
    assert model.prompts == ["1", "2", "3", "4"]
    with pytest.raises(ValueError, match="at least one"):
        ScriptedModel([])


def test_a_scripted_human_has_nothing_to_say_where_nobody_asks() -> None:
    executor = gate()
    human = scripted_human([])
    run = executor.start({"x": 1})
    with pytest.raises(NotReady, match="waits for nobody"):
        human.answer(executor, run)
    executor.run(run)
    with pytest.raises(AssertionError, match="nothing left to decide review a-1"):
        human.answer(executor, run)
