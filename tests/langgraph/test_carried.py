"""All that can be carried: edges, state, and what LangGraph gives to nodes go as they do in LangGraph."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langgraph")


from stepgraph import Decision, Executor, RunStatus, check
from stepgraph.extras.langgraph.questions import answer
from stepgraph.runs.decision_preview import preview_verbs
from tests.langgraph.side_by_side import by_langgraph, here, loaded_of, opened, path_of, state_of

SAME: dict[str, dict[str, Any]] = {
    "conditional_start": {"x": 1},
    "nothing_to_do": {},
    "anywhere": {},
    "by_words": {},
    "one_of_two": {},
    "goes_nowhere": {},
    "ends_without_end": {},
    "deferred": {},
    "same_place": {},
    "summed": {"counts": {"a": 5}, "log": ["start"]},
    "nothing": {},
    "pydantic": {"n": 0},
    "objects": {},
    "schemas": {"question": "Why?", "answer": "is no input"},
    "messages": {"messages": [{"role": "user", "content": "Hello", "id": "m-1"}]},
    "retried": {},
    "with_config": {},
    "with_context": {},
    "counting": {},
    "outer": {"log": ["start"]},
    "handing_over": {},
    "remembering": {},
    "few_threads": {},
    "make": {},
    "make_b": {},
}


@pytest.mark.parametrize("name", SAME)
def test_path_and_final_state_are_those_of_langgraph(name: str) -> None:
    graph = opened(f"carried:{name}")
    assert [problem for problem in check(graph) if problem.is_error] == []
    theirs = by_langgraph(loaded_of(graph).compiled, SAME[name])
    assert here(graph, SAME[name]) == theirs


def test_async_nodes_and_routers_are_awaited() -> None:
    graph = opened("carried:awaited")
    played = here(graph, {})
    assert (played.path, played.values) == (["waits", "b"], {"log": ["async", "b"]})


def test_they_are_awaited_where_a_loop_runs_already() -> None:
    graph = opened("carried:awaited")

    async def within() -> list[str]:
        return here(graph, {}).path

    assert asyncio.run(within()) == ["waits", "b"]


def test_names_that_are_reserved_here_are_mended() -> None:
    graph = opened("carried:reserved")
    assert list(graph.nodes) == ["END_", "a_b"]
    assert here(graph, {}).values == {"log": ["END", "slash"]}


@pytest.mark.parametrize(
    ("name", "required"),
    [
        ("routing:graph", {"input"}),  # read by the first node
        ("tool_calling:graph", {"messages"}),
        ("asking:approval", set()),
        ("carried:pydantic", {"n"}),
        ("carried:objects", set()),  # all fields have defaults
        ("carried:schemas", {"question"}),
        ("carried:by_words", set()),
        ("carried:summed", set()),  # reducers begin with something
        ("carried:guarded", {"topic"}),
        ("carried:spoken", {"messages"}),  # a conversation begins with nothing, and nobody could answer that
    ],
)
def test_a_run_asks_for_what_it_cannot_begin_without(name: str, required: set[str]) -> None:
    graph = opened(name)
    assert {key.name for key in graph.keys.values() if key.input} == required


@pytest.mark.parametrize(
    "text",
    ["1e999", "[-1e999]", "NaN", "Infinity", '"\\ud800"', '{"\\udfff": 1}', "[" * 5000, "9" * 5000],
)
def test_json_that_no_state_can_hold_is_a_text(text: str) -> None:
    assert answer(Decision.respond(text)) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e3", 1000.0), (" [1] ", [1]), ('"é"', "é"), ("0", 0), ("null", None), ('"null"', "null")],
)
def test_json_is_taken_as_json(text: str, value: object) -> None:
    assert answer(Decision.respond(text)) == value


def test_an_answer_is_not_said_to_lead_further_than_to_the_node_itself() -> None:
    executor = Executor(opened("carried:asking").compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    (preview,) = preview_verbs(run.plan, run, run.pending)
    assert (preview.kind, [way.node for way in preview.path]) == ("runs", ["asks_twice", "END"])


def test_an_answer_that_does_not_fit_is_asked_for_again() -> None:
    executor = Executor(opened("carried:typed").compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    assert "answer" in run.pending.request.arguments  # what it must be
    run = executor.resume(run.id, Decision.respond("old", by="ana"))
    assert run.status is RunStatus.PAUSED
    assert run.pending is not None
    assert "The last answer was not taken: ValidationError" in run.pending.request.prompt
    run = executor.resume(run.id, Decision.respond('{"age": 31}', by="ana"))
    assert (run.status, run.values["log"]) == (RunStatus.ENDED, [31])


@pytest.mark.parametrize(
    ("name", "node", "side"), [("stopping", "b", "before"), ("stopping_after", "a", "after")]
)
def test_interrupt_before_and_after_are_gates(name: str, node: str, side: str) -> None:
    graph = opened(f"carried:{name}")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    assert run.pending.gate is not None
    assert (run.pending.node, run.pending.gate.side) == (node, side)
    run = executor.resume(run.id, Decision.approve(by="ana"))
    assert (path_of(run), state_of(run, graph)) == (["a", "b"], {"log": ["a", "b"]})
