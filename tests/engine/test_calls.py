"""What a run keeps of the answers of models."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import (
    END,
    BaseNode,
    Decision,
    Executor,
    NodeResult,
    ReviewRequest,
    StateGraph,
    StateStore,
    ToolRegistry,
)
from stepgraph.models.client import Message, ModelRequest
from stepgraph.nodes.base import Services
from stepgraph.nodes.calls import ask_model
from stepgraph.stores.ledger import calls_of
from stepgraph.testing import ScriptedModel
from stepgraph.values.errors import NodeFailed
from stepgraph.values.state import State


class Asks(BaseNode):
    """Asks twice; between the two it pauses or fails when the state says so."""

    def execute(self, state: State) -> NodeResult | dict[str, Any]:
        first = ask_model(
            self, state, "default", ModelRequest((Message("user", state.get("say", "one")),))
        ).text
        if state.get("pause") and state.decision is None:
            return NodeResult.pause(ReviewRequest("Go on?"))
        if state.get("fail"):
            raise NodeFailed("not now")
        second = ask_model(self, state, "default", ModelRequest((Message("user", "two"),))).text
        return NodeResult({"both": [first, second]}, second)


def executor(store: StateStore, node: Any, replies: list[str | Exception]) -> Executor:
    graph = StateGraph("g", start="ask")
    graph.add_node("ask", node)
    graph.add_edge("ask", END)
    return Executor(graph.compile(), store, models={"default": ScriptedModel(replies)})


def texts(calls: list[dict[str, Any]]) -> list[str]:
    return [call.get("text", f"! {call.get('error')}") for call in calls]


def test_a_step_has_its_calls_in_order_and_the_text_that_it_puts_out_is_stored_once(
    store: StateStore,
) -> None:
    engine = executor(store, Asks(), ["first", "second"])
    record = engine.step(engine.start({}))
    assert texts(record.calls) == texts(calls_of(record.row)) == ["first", "second"]
    (stored,) = store.rows(record._history.run_id, kinds=("step",))
    kept: Any = (stored.data or {})["calls"]
    assert ["text" in call for call in kept] == [True, False]
    assert texts(calls_of(stored)) == ["first", "second"]


def test_a_visit_whose_state_was_edited_during_its_pause_keeps_what_it_asked_anew(store: StateStore) -> None:
    graph = StateGraph("g", start="ask")
    graph.add_node("ask", Asks())
    graph.add_edge("ask", END)
    model = ScriptedModel(["first", "second", "third"])
    engine = Executor(graph.compile(), store, models={"default": model})
    engine.run(engine.start({"pause": True}, run_id="r"))
    engine.decide("r", Decision.approve(by="ana"))
    engine.edit("r", {"say": "anew"}, by="ana")
    record = engine.run(engine.load("r")).history[-1]
    assert model.prompts == ["one", "anew", "two"]
    assert texts(record.calls) == ["first", "second", "third"]


def test_a_node_without_models_has_no_calls(store: StateStore) -> None:
    engine = executor(store, lambda state: {"a": 1}, ["never"])
    assert engine.step(engine.start({})).calls == []


class Own(BaseNode):
    """A node type of one's own, which asks as a program asks a client."""

    def execute(self, state: State) -> dict[str, Any]:
        assert self.services is not None
        model = self.services.models["default"]
        both = [model.generate("one"), model.generate("two")]
        if state.get("fail"):
            raise ValueError("not now")
        return {"both": both}


def test_what_a_node_of_ones_own_asks_is_kept_and_paid_once(store: StateStore) -> None:
    engine = executor(store, Own(), ["first", "second"])
    run = engine.run(engine.start({"fail": True}, "r"))
    assert [texts(attempt.calls) for attempt in run.attempts] == [["first", "second"]]
    engine.edit("r", {"fail": False}, by="ana")
    record = engine.retry("r").history[-1]
    assert record.updates == {"both": ["first", "second"]}
    assert texts(record.calls) == ["first", "second", "second"]
    asked = engine.models["default"] if engine.models else None
    assert isinstance(asked, ScriptedModel)
    assert asked.prompts == ["one", "two", "two"]  # the last call before a failure is not taken for good


def test_models_of_a_node_are_asked_in_its_visit_alone() -> None:
    node = Own("ask").bind(Services(ToolRegistry(), {"default": ScriptedModel(["no"])}))
    with pytest.raises(NodeFailed, match="the model 'default' was asked outside of a visit") as caught:
        node.execute(State({}))
    assert "ask_model" in caught.value.hint
