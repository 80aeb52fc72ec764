"""All that can be carried: edges, state, and what LangGraph gives to nodes go as they do in LangGraph."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langgraph")

from langgraph.graph import MessagesState

from stepgraph import Decision, Executor, Outcome, RunStatus, check
from stepgraph.langgraph import BESIDE
from stepgraph.langgraph.questions import answer
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


def test_why_says_what_the_router_returned() -> None:
    executor = Executor(opened("tool_calling:graph").compile())
    run = executor.start({"messages": "Calculate."})
    first = executor.step(run)
    assert run.values["tools_condition"] == "tools"
    taken, other = first.edges
    assert (taken.label, taken.matched, taken.explanation.text) == (
        "tools",
        True,
        'tools_condition == "tools"',
    )
    assert (other.target, other.matched) == ("END", None)
    executor.run(run)
    refused, taken = run.history[-1].edges
    assert (refused.label, refused.matched, taken.label, taken.matched) == ("tools", False, "END", True)


def test_each_value_that_a_router_returns_is_an_edge_of_its_own() -> None:
    graph = opened("carried:same_place")
    assert [(edge.target, edge.label) for edge in graph.edges if edge.source == "a"] == [
        ("b", "first"),
        ("b", "second"),
    ]
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert [edge.matched for edge in run.history[0].edges] == [False, True]


def test_names_that_are_reserved_here_are_mended() -> None:
    graph = opened("carried:reserved")
    assert list(graph.nodes) == ["END_", "a_b"]
    assert here(graph, {}).values == {"log": ["END", "slash"]}


def test_a_node_that_goes_nowhere_ends_the_run_at_end() -> None:
    executor = Executor(opened("carried:goes_nowhere").compile())
    run = executor.run(executor.start({}))
    assert (run.outcome, run.values["goto"]) == (Outcome.END, "END")


def test_the_state_is_json_between_the_steps() -> None:
    graph = opened("carried:objects")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    items: Any = run.values["items"]
    assert items[0] == {
        "$type": "Item",
        "name": "i1",
        "color": {"$type": "Color", "value": "RED"},
        "at": {"$type": "datetime", "value": "2026-01-01T00:00:00+00:00"},
    }


def test_ids_and_tool_calls_of_messages_are_kept() -> None:
    executor = Executor(opened("carried:messages").compile())
    run = executor.start({"messages": [{"role": "user", "content": "Hello", "id": "m-1"}]})
    executor.step(run)
    said: Any = run.values["messages"]
    hello, hi = said
    assert hello == {"type": "human", "content": "Hello", "id": "m-1"}
    assert hi == {"type": "ai", "content": [{"type": "text", "text": "Hi"}], "id": "m-2"}
    executor.step(run)
    left: Any = run.values["messages"]
    assert [message["id"] for message in left] == ["m-2"]


def test_an_edited_state_is_taken_as_it_stands() -> None:
    graph = opened("carried:summed")
    executor = Executor(graph.compile())
    run = executor.start({"counts": {"a": 5}, "log": ["start"]})
    executor.step(run)
    run = executor.edit(run.id, {"log": ["edited"], "counts": {"b": 10}}, by="ana")
    executor.step(run)
    assert run.values["counts"] == {"a": 1, "b": 12}
    assert run.values["log"] == ["over"]


def test_a_context_can_be_given_by_the_node() -> None:
    graph = opened("carried:with_context")
    entry = graph.nodes["runs_in"]
    settings: dict[str, Any] = {**(entry.settings or {}), "context": {"user": "ana"}}
    assert graph.source is not None
    again = type(graph)("context", start="runs_in").of_module(graph.source)
    again.declare_node("runs_in", "langgraph", settings)
    again.add_edge("runs_in", "END")
    executor = Executor(again.compile())
    assert executor.run(executor.start({})).values["log"] == ["ana"]


def test_a_run_may_end_on_its_last_step_and_may_be_extended() -> None:
    graph = opened("carried:endless")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert (run.outcome, run.values["log"]) == (Outcome.MAX_STEPS, ["a", "a"])
    executor.extend(run.id, 2)
    run = executor.run(executor.load(run.id))
    assert (run.outcome, run.values["log"]) == (Outcome.END, ["a", "a", "a", "a"])


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


def test_a_conversation_with_a_plain_reducer_says_what_it_takes() -> None:
    graph = opened("carried:spoken")
    assert graph.keys["messages"].note.startswith('Messages such as [{ type = "human", content = "Hi" }].')
    assert "Messages" not in graph.keys["seen"].note
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"messages": [{"type": "human", "content": "Hi"}]}))
    said: Any = run.values["messages"]
    assert [(each["type"], each["content"]) for each in said] == [("human", "Hi"), ("ai", "after 1")]


def test_langgraphs_limit_of_steps_is_the_cap() -> None:
    graph = opened("carried:counting")
    assert (graph.settings.max_steps, graph.settings.on_max_steps) == (4, "fail")


def test_interrupts_of_one_node_are_answered_one_after_another() -> None:
    graph = opened("carried:asking")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"log": ["begun"]}))
    assert run.pending is not None
    request = run.pending.request
    assert (request.prompt, dict(request.arguments), request.verbs) == (
        "First?",
        {"so far": ["begun"]},
        ("respond",),
    )
    run = executor.resume(run.id, Decision.respond('{"a": [1]}', by="ana"))
    assert run.pending is not None
    assert (run.pending.request.prompt, len(run.history)) == ("Second?", 0)
    run = executor.resume(run.id, Decision.respond("null", by="ben"))
    assert run.values["log"] == ["begun", {"a": [1]}, "null"]


@pytest.mark.parametrize(
    "text",
    ["1e999", "[-1e999]", "NaN", "Infinity", '"\\ud800"', '{"\\udfff": 1}', "[" * 5000, "9" * 5000, "null"],
)
def test_json_that_no_state_can_hold_is_a_text(text: str) -> None:
    assert answer(Decision.respond(text)) == text


@pytest.mark.parametrize(("text", "value"), [("1e3", 1000.0), (" [1] ", [1]), ('"é"', "é"), ("0", 0)])
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


def test_a_run_may_be_forked_anywhere() -> None:
    graph = opened("reflection:builder")
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"messages": "Write."}))
    fork = executor.run(executor.fork(run.id, at=2))
    assert path_of(fork)[-2:] == path_of(run)[-2:]
    assert {len(run.values["messages"]), len(fork.values["messages"])} == {8}  # type: ignore[arg-type]


def test_what_the_graph_says_of_itself_is_carried() -> None:
    graph = opened("routing:graph")
    assert graph.settings.note == "What is asked for, and what was written."
    assert graph.nodes["write_story"].note == "Write a story."
    assert graph.keys[BESIDE].type == "table"
    assert "route_decision" in graph.keys
    assert (
        MessagesState.__doc__ is None
        or MessagesState.__doc__ not in opened("tool_calling:graph").settings.note
    )
