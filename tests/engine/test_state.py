"""The state: inputs, types, reducers, isolation."""

from __future__ import annotations

import gc
import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import (
    END,
    Decision,
    Executor,
    MemoryStore,
    RunStatus,
    State,
    StateError,
    StateGraph,
    StateStore,
)
from stepgraph.values import json_line, plain
from stepgraph.values.state import StateKey, merge_updates


def one_node(node: Any) -> StateGraph:
    graph = StateGraph("one", start="a")
    graph.add_node("a", node)
    graph.add_edge("a", END)
    return graph


# acceptance 92, e9 10
def test_none_removes_a_key_at_the_top_level_and_stays_inside_containers(store: StateStore) -> None:
    executor = Executor(one_node(lambda state: {"gone": None, "never": None, "in": [None]}).compile(), store)
    run = executor.run(executor.start({"gone": 1, "other": 2}, run_id="r-1"))
    assert run.values == {"other": 2, "in": [None]}
    assert executor.load("r-1").values == {"other": 2, "in": [None]}
    assert run.history[0].updates == {"gone": None, "never": None, "in": [None]}


# e9 11
def test_a_node_cannot_change_the_state_by_changing_what_it_read_or_returned(store: StateStore) -> None:
    kept: list[Any] = []

    def meddle(state: State) -> dict[str, Any]:
        state["docs"].append("mine")
        state["table"]["x"]["y"] = 9
        result = {"made": [1]}
        kept.append(result["made"])
        return result

    executor = Executor(one_node(meddle).compile(), store)
    run = executor.start({"docs": ["a"], "table": {"x": {"y": 1}}})
    executor.step(run)
    kept[0].append(2)
    run.values["docs"].append("theirs")  # type: ignore[union-attr]
    run.history[0].updates["made"].append(3)  # type: ignore[union-attr]
    assert run.values == {"docs": ["a"], "table": {"x": {"y": 1}}, "made": [1]}


# acceptance 91
def test_what_a_handle_hands_out_is_a_copy(store: StateStore) -> None:
    executor = Executor(one_node(lambda state: {"docs": ["a"]}).compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    for handle in (run, executor.load("r-1")):
        for spoilt in (handle.values, handle.values_at(1), handle.history[0].updates):
            spoilt["docs"].append("b")  # type: ignore[union-attr]
            spoilt["more"] = 1

        handle.visits["a"] = 9
        handle.outputs["a"].append("said")
        assert handle.values == handle.values_at(1) == handle.history[0].updates == {"docs": ["a"]}
        assert (handle.visits, handle.outputs) == ({"a": 1}, {"a": ['{"docs":["a"]}']})


# acceptance 91
def test_the_state_that_a_node_sees_is_read_only_and_a_mapping() -> None:
    def look(state: State) -> dict[str, Any]:
        assert dict(state) == {"a": 1, "b": [2]}
        assert len(state) == 2
        assert "a" in state
        assert state.get("c", "none") == "none"
        with pytest.raises(TypeError):
            state["a"] = 2  # type: ignore[index]  # that is the point
        return {}

    executor = Executor(one_node(look).compile())
    run = executor.run(executor.start({"a": 1, "b": [2]}))
    run.raise_for_status()


def test_inputs_replace_defaults_without_reducing(store: StateStore) -> None:
    graph = one_node(lambda state: {})
    graph.add_key("log", reducer="append", default=["0"], input=True)
    run = Executor(graph.compile(), store).start({"log": ["mine"]})
    assert run.values == {"log": ["mine"]}


def test_missing_and_wrong_inputs_are_all_named_at_once(store: StateStore) -> None:
    graph = one_node(lambda state: {})
    graph.add_key("ticket", input=True, type="text", note="what the customer wrote")
    graph.add_key("amount", input=True, type="number")
    graph.add_key("flag", type="boolean", default=True)
    executor = Executor(graph.compile(), store)
    with pytest.raises(StateError) as caught:
        executor.start({"amount": "12", "flag": 1})
    assert "'ticket' is missing (what the customer wrote)" in str(caught.value)
    assert "'amount' is refused" in str(caught.value)
    assert "'flag' is refused" in str(caught.value)
    with pytest.raises(StateError, match=r'state\["x"\] is a set'):
        executor.start({"ticket": "t", "amount": 1, "x": {1}})


@dataclass
class Customer:
    """What a node may have at hand."""

    name: str = "Ana"


class Ticket(pydantic.BaseModel):
    """What a model's answer may be read as."""

    text: str = ""


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (Customer(), "dataclasses.asdict"),
        (Ticket(), 'model_dump(mode="json")'),
        (datetime.now(UTC), "isoformat()"),
        ({1}, "make it a list"),
        (object(), "text, numbers, booleans, lists and tables"),
    ],
)
def test_what_a_state_cannot_hold_is_refused_with_what_it_can(value: object, advice: str) -> None:
    with pytest.raises(StateError) as refused:
        plain({"x": value}, "state")
    assert advice in refused.value.hint


# acceptance 90
@pytest.mark.parametrize(
    "value",
    ["", "naïve ☃ \u0000 \U0001f600", 0, -1, 10**30, 1.5, -0.0, 1e308, True, False, [], {}, [[{}]], {"": ""}],
)
def test_every_kind_of_json_comes_back_the_same_from_the_store(store: StateStore, value: Any) -> None:
    executor = Executor(one_node(lambda state: {"out": state["in"]}).compile(), store)
    run = executor.run(executor.start({"in": value}, run_id="r-1"))
    run.raise_for_status()
    loaded = executor.load("r-1").values
    assert loaded == {"in": value, "out": value}
    assert type(loaded["out"]) is type(value)


def test_append_onto_what_is_no_list_is_refused_by_name() -> None:
    with pytest.raises(StateError, match=r'state\["log"\] is text, and its reducer "append" needs a list'):
        merge_updates({"log": "x"}, {"log": "y"}, {"log": StateKey("log", "append")})


def test_a_value_that_is_shown_cut_is_not_kept() -> None:
    value: list[Any] = ["a word"] * 1_000
    gc.disable()  # as the command line has it
    try:
        before = sys.getrefcount(value)
        assert json_line(value).endswith("…")
        assert sys.getrefcount(value) == before
    finally:
        gc.enable()


@given(st.lists(st.lists(st.integers(0, 2), max_size=6), min_size=1, max_size=12))
def test_a_list_that_grew_is_kept_by_what_came_to_it_and_told_as_it_was_returned(
    returned: list[list[int]],
) -> None:
    graph = StateGraph("many", start="a", max_steps=len(returned))
    graph.add_node("a", lambda state: {"items": [*returned[state.step - 1]]})
    graph.add_edge("a", "a")
    store = MemoryStore()
    executor = Executor(graph.compile(), store)
    run = executor.load(executor.run(executor.start({})).id)
    assert [record.updates for record in run.history] == [{"items": items} for items in returned]
    assert [json.loads(record.output or "") for record in run.history] == [
        {"items": items} for items in returned
    ]
    assert [json.loads(text) for text in run.outputs["a"]] == [{"items": items} for items in returned]
    assert [run.values_at(step)["items"] for step in range(1, run.step + 1)] == returned
    for before, after, row in zip([[], *returned], returned, store.rows(run.id, after=1), strict=False):
        kept = (row.updates or {})["items"]
        if before and len(after) > len(before) and after[: len(before)] == before:
            assert (row.ops, kept) == ({"items": "append"}, after[len(before) :])


def test_who_reviews_a_list_that_grew_sees_it_whole(store: StateStore) -> None:
    graph = StateGraph("reviewed", start="a")
    graph.add_node("a", lambda state: {"items": [*state["items"], "new"]}, review="after")
    graph.add_edge("a", END, when='last_output == "{\\"items\\":[\\"old\\",\\"new\\"]}"')
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"items": ["old"]}, run_id="r-1"))
    assert run.pending is not None
    assert run.pending.request.arguments == {"items": ["old", "new"]}
    executor.decide("r-1", Decision.approve(by="ana"))
    run = executor.run(executor.load("r-1"))
    assert run.status is RunStatus.ENDED
    assert run.values == {"items": ["old", "new"]}
    assert store.rows("r-1")[-1].updates == {"items": ["new"]}
