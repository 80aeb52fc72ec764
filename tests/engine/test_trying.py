"""Trying a node: what a run's step would do, and no run of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    END,
    Decision,
    Executor,
    MemoryStore,
    NodeFailed,
    NodeResult,
    NoEdgeMatched,
    NotAllowed,
    ReviewRequest,
    RunError,
    State,
    StateError,
    StateGraph,
    ToolRegistry,
    TrustError,
)
from stepgraph.files import grant, read_graph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.trial import state_to_try, try_node
from stepgraph.testing import FakeClock, ScriptedModel, scripted_human, sequential_ids
from stepgraph.values.errors import ConditionFailed, HandlerError

REFUND = Path(__file__).parents[2] / "graphs" / "refund_triage.toml"


def loop(node: Any, *edges: tuple[str, Any], **settings: Any) -> CompiledGraph:
    """A graph with one node of interest, whose edges lead on or back."""
    graph = StateGraph("loop", start="work", **settings)
    graph.add_node("work", node)
    graph.add_node("rest", lambda state: {})
    for target, when in edges or [("rest", None)]:
        graph.add_edge("work", target, when=when)
    graph.add_edge("rest", "work", when="count > 9")
    graph.add_edge("rest", END)
    graph.add_key("count", type="number", default=0)
    return graph.compile()


def test_it_is_the_step_that_a_run_would_take() -> None:
    app = read_graph(REFUND).compile()
    executor = Executor(app, clock=FakeClock(), ids=sequential_ids())
    run = scripted_human([Decision.approve(by="ana")]).finish(executor, executor.start({}))
    visits: dict[str, int] = {}
    for record in run.history:
        visit = visits[record.node] = visits.get(record.node, 0) + 1
        tried = try_node(
            app,
            record.node,
            run.values_at(record.step - 1),
            step=record.step,
            visit=visit,
            decision=Decision.approve(by="ana"),
            clock=FakeClock(),
        )
        assert (tried.node, tried.status, tried.error) == (record.node, "success", None)
        assert (tried.updates, tried.output, tried.next) == (record.updates, record.output, record.next)
        assert tried.after == run.values_at(record.step)
        assert [edge.matched for edge in tried.edges] == [edge.matched for edge in record.edges]
        assert [edge.explanation for edge in tried.edges] == [edge.explanation for edge in record.edges]


def test_no_store_and_no_listener_hears_of_it() -> None:
    app = loop(lambda state: {"count": 1})
    executor = Executor(app, MemoryStore())
    executor.on_step(lambda event: pytest.fail("a listener heard of a trial"))
    assert try_node(app, "work", {}).after == {"count": 1}
    assert executor.store.runs() == []


def test_defaults_fill_what_is_missing_and_none_takes_them_away() -> None:
    app = loop(lambda state: {"seen": sorted(state)})
    assert try_node(app, "work", {}).before == {"count": 0}
    assert try_node(app, "work", {"count": None, "more": [1]}).updates == {"seen": ["more"]}


def test_inputs_may_be_missing() -> None:
    graph = StateGraph("asks", start="work")
    graph.add_node("work", lambda state: {"had": "question" in state})
    graph.add_edge("work", END)
    graph.add_key("question", input=True)
    assert try_node(graph.compile(), "work", {}).updates == {"had": False}


def test_every_value_that_no_state_holds_is_refused_by_its_path() -> None:
    app = loop(lambda state: pytest.fail("it ran"))
    with pytest.raises(StateError) as raised:
        try_node(app, "work", {"count": "many", "docs": [{1, 2}]})
    assert 'state["count"] is text, declared as number' in str(raised.value)
    assert 'state["docs"][0] is a set' in str(raised.value)
    with pytest.raises(StateError, match="the values are"):
        state_to_try(app, [])  # type: ignore[arg-type]  # the point


def test_the_given_values_are_left_as_they_are() -> None:
    def work(state: State) -> dict[str, Any]:
        state["docs"].append("new")
        return {"docs": state["docs"]}

    values = {"docs": ["old"]}
    tried = try_node(loop(work), "work", values)
    assert values == {"docs": ["old"]}
    assert (tried.before["docs"], tried.after["docs"]) == (["old"], ["old", "new"])


def test_a_later_visit_sees_what_the_last_one_put_out() -> None:
    def work(state: State) -> dict[str, Any]:
        return {"seen": [state.visit, state.previous_output, state.feedback is not None]}

    app = loop(work)
    assert try_node(app, "work", {}).updates == {"seen": [1, None, False]}
    tried = try_node(app, "work", {}, visit=3, previous_output="so far")
    assert tried.updates == {"seen": [3, "so far", True]}
    quiet = loop(work, feedback=False)
    assert try_node(quiet, "work", {}, visit=3, previous_output="x").updates == {"seen": [3, None, False]}


def test_conditions_count_visits_and_steps_as_the_run_would() -> None:
    app = loop(lambda state: {}, ("work", "visits.work < 3 and visits.rest < 2 and step < 9"), ("rest", None))
    assert try_node(app, "work", {}, step=8, visit=2, visits={"rest": 1}).next == "work"
    assert try_node(app, "work", {}, step=9, visit=2, visits={"rest": 1}).next == "rest"
    assert try_node(app, "work", {}, visit=3).next == "rest"
    tried = try_node(app, "work", {}, visit=2, visits={"rest": 2})
    assert tried.next == "rest"
    assert tried.edges[0].matched is False
    assert [part.value for part in tried.edges[0].explanation.parts[1].parts][:1] == [2]


def test_a_predicate_sees_the_last_outputs() -> None:
    seen: list[Any] = []

    def look(context: Any) -> bool:
        seen.append((context.node, context.visits, context.outputs, context.last_output, dict(context.state)))
        return True

    app = loop(lambda state: NodeResult({"count": 1}, output="now"), ("rest", look))
    try_node(app, "work", {}, visit=2, visits={"rest": 1}, previous_output="before")
    assert seen == [("work", {"rest": 1, "work": 2}, {"work": ["before", "now"]}, "now", {"count": 1})]


def test_no_cap_ends_a_trial() -> None:
    app = loop(lambda state: {}, max_steps=1, on_max_steps="fail")
    tried = try_node(app, "work", {}, step=7)
    assert (tried.status, tried.next, tried.record.step) == ("success", "rest", 7)


def test_what_a_node_raises_is_returned_with_its_traceback() -> None:
    def work(state: State) -> dict[str, Any]:
        return {"x": state["nowhere"]}

    tried = try_node(loop(work), "work", {"count": 4})
    assert (tried.status, tried.output, tried.next, tried.edges) == ("failed", None, None, [])
    assert tried.before == tried.after == {"count": 4}
    assert isinstance(tried.error, NodeFailed)
    assert isinstance(tried.error.__cause__, KeyError)
    cause = (tried.record.row.error or {})["cause"]
    assert isinstance(cause, dict)
    assert 'return {"x": state["nowhere"]}' in str(cause["traceback"])


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (None, "returned None on visit 1"),
        ({"count": "x"}, 'state["count"] is text, declared as number'),
        ({"count": {1}}, 'state["count"] is a set'),
        (NodeResult.failed("no luck"), "failed on visit 1: no luck"),
    ],
)
def test_what_a_run_refuses_a_trial_refuses(result: Any, said: str) -> None:
    app = loop(lambda state: result)
    tried = try_node(app, "work", {})
    executor = Executor(app)
    run = executor.start({})
    executor.step(run)
    assert tried.status == "failed"
    assert said in str(tried.error)
    assert str(tried.error) == str(run.error)


def test_a_routing_failure_keeps_the_updates() -> None:
    app = loop(lambda state: {"count": 5}, ("rest", "count > 9"))
    tried = try_node(app, "work", {})
    assert (tried.status, tried.updates, tried.after, tried.next) == (
        "failed", {"count": 5}, {"count": 5}, None,
    )  # fmt: skip
    assert isinstance(tried.error, NoEdgeMatched)
    assert [edge.matched for edge in tried.edges] == [False]
    broken = try_node(loop(lambda state: {}, ("rest", "nothing > 9")), "work", {})
    assert isinstance(broken.error, ConditionFailed)
    assert "nothing" in str(broken.edges[0].error)


def ask(state: State) -> NodeResult:
    if state.decision is None:
        return NodeResult.pause(ReviewRequest("Pay?", show=("count",), allow=("approve", "respond")))
    return NodeResult({"verb": state.decision.verb, "by": state.decision.by}, output=state.decision.text)


def test_a_question_is_shown_and_with_an_answer_what_follows() -> None:
    app = loop(ask, ("rest", 'verb == "approve"'), ("work", None))
    tried = try_node(app, "work", {"count": 3})
    assert (tried.status, tried.next, tried.output, tried.edges) == ("paused", None, None, [])
    assert tried.request is not None
    assert (tried.request.prompt, tried.request.verbs) == ("Pay?", ("approve", "respond"))
    assert tried.after == {"count": 3}
    answered = try_node(app, "work", {"count": 3}, decision=Decision.approve(by="ana"))
    assert (answered.request, answered.next, answered.updates) == (
        None, "rest", {"verb": "approve", "by": "ana"},
    )  # fmt: skip
    worded = try_node(app, "work", {"count": 3}, decision=Decision.respond("why?"))
    assert (worded.next, worded.output) == ("work", "why?")
    with pytest.raises(NotAllowed, match="does not offer 'reject'"):
        try_node(app, "work", {}, decision=Decision.reject())


def test_a_node_may_ask_once_more() -> None:
    tried = try_node(
        loop(lambda state: NodeResult.pause(ReviewRequest(f"Sure? {state.decision is not None}"))),
        "work",
        {},
        decision=Decision.approve(),
    )
    assert tried.request is not None
    assert tried.request.prompt == "Sure? True"


def test_a_decision_that_nobody_asks_for_is_not_used() -> None:
    tried = try_node(
        loop(lambda state: {"had": state.decision is not None}), "work", {}, decision=Decision.approve()
    )
    assert tried.updates == {"had": False}


def test_outside_systems_never_take_two_trials_for_one() -> None:
    app = loop(lambda state: {"key": state.idempotency_key})
    keys = [str(try_node(app, "work", {}, step=4).updates["key"]) for _ in range(2)]
    assert keys[0] != keys[1]
    assert all(key.startswith("try-") and key.endswith(":4") for key in keys)
    assert try_node(app, "work", {}, ids=sequential_ids()).updates == {"key": "try-1:1"}


def test_tools_and_models_are_those_that_are_given() -> None:
    graph = StateGraph("helped", start="ask")
    graph.declare_node("ask", "llm", {"prompt": "{{ q }}", "replies": ["canned"]})
    graph.declare_node("look", "tool", {"tool": "find"})
    graph.add_edge("ask", "look")
    graph.add_edge("look", END)
    tools = ToolRegistry()
    tools.register("find", lambda: {"found": 1})
    graph.add_tool("find", returns={"found": 0})
    app = graph.compile()
    assert try_node(app, "ask", {"q": "hm"}).output == "canned"
    models = {"default": ScriptedModel(["alive"])}
    assert try_node(app, "ask", {"q": "hm"}, models=models, live=True).output == "alive"
    assert try_node(app, "look", {}, tools=tools).updates["context"] == {"found": 1}


@pytest.mark.parametrize("wrong", [{"step": 0}, {"visit": 0}, {"visit": True}, {"step": 1.5}])
def test_numbers_that_no_run_has_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(RunError, match="counted from 1"):
        try_node(loop(lambda state: {}), "work", {}, **wrong)


def test_a_node_that_is_not_there_is_named() -> None:
    with pytest.raises(RunError, match="has no node 'wrok'") as raised:
        try_node(loop(lambda state: {}), "wrok", {})
    assert "work" in raised.value.hint


CODE = """
format = 1
name = "code"
start = "mine"

[nodes.mine]
type = "handler"
handler = "work:mine"

[nodes.other]
type = "handler"
handler = "missing:other"

[[edges]]
from = "mine"
to = "other"

[[edges]]
from = "other"
to = "END"
"""


def test_code_that_nobody_trusts_is_not_even_imported(tmp_path: Path) -> None:
    (tmp_path / "graph.toml").write_text(CODE, encoding="utf-8")
    (tmp_path / "work.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    app = read_graph(tmp_path / "graph.toml").compile()
    with pytest.raises(TrustError):
        try_node(app, "mine", {})


def test_only_what_the_node_needs_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "graph.toml").write_text(CODE, encoding="utf-8")
    (tmp_path / "work.py").write_text("def mine(state):\n    return {'a': 1}\n", encoding="utf-8")
    app = read_graph(tmp_path / "graph.toml").compile()
    grant(app)
    assert try_node(app, "mine", {}).updates == {"a": 1}
    with pytest.raises(HandlerError):
        try_node(app, "other", {})
