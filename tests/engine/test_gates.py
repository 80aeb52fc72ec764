"""Gates around nodes: a person is asked before a node runs, or about what it did before that counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stepgraph import (
    END,
    Breakpoint,
    Conflict,
    Decision,
    Executor,
    NodeResult,
    NotAllowed,
    Outcome,
    PayloadChanged,
    ReviewRequest,
    Reviews,
    Run,
    RunStatus,
    State,
    StateGraph,
    StateStore,
    StepCompleted,
)
from stepgraph.graphs.parts import NodeReview, ReviewPolicy
from stepgraph.runs.session import DebugSession
from stepgraph.testing import FakeClock

ran: list[str] = []


@pytest.fixture(autouse=True)
def clean() -> None:
    ran.clear()


def write(state: State) -> dict[str, Any]:
    """Writes a draft about the topic; counts how often it ran."""
    ran.append("write")
    return {"draft": f"{state['topic']} {len(ran)}", "log": "wrote"}


def send(state: State) -> dict[str, Any]:
    ran.append("send")
    return {"sent": state["draft"]}


def mail(
    review: NodeReview | None = None, *, policy: ReviewPolicy = "never", write: Callable[[State], Any] = write
) -> StateGraph:
    """A graph of two nodes, the first of them gated."""
    graph = StateGraph("mail", start="write", review=policy)
    graph.add_key("log", reducer="append", default=[])
    graph.add_node("write", write, review=review)
    graph.add_node("send", send, review=None if review is None else "never")
    graph.add_edge("write", "send")
    graph.add_edge("send", END)
    return graph


def waiting(graph: StateGraph, store: StateStore, **values: Any) -> Executor:
    """A run that waits at its first gate."""
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"topic": "tea"} | values, run_id="r-1"))
    assert run.status is RunStatus.PAUSED
    return executor


def kinds(run: Run) -> list[str]:
    return [row.kind for row in run.store.rows(run.id)]


EDIT = Decision.edit({"topic": "coffee"}, by="ana")
CHANGED = Decision.edit({"draft": "coffee, please"}, by="ana")


# acceptance 142, 143, 147, 153
@pytest.mark.parametrize(
    ("side", "decision", "did", "outcome", "draft", "nodes"),
    [
        ("before", Decision.approve(), ["write", "send"], Outcome.END, "tea 1", ["write", "send"]),
        ("before", EDIT, ["write", "send"], Outcome.END, "coffee 1", ["write", "send"]),
        ("before", Decision.reject(), [], Outcome.STOPPED, None, []),
        ("after", Decision.approve(), ["write", "send"], Outcome.END, "tea 1", ["write", "send"]),
        ("after", CHANGED, ["write", "send"], Outcome.END, "coffee, please", ["write", "send"]),
        ("after", Decision.reject(), ["write"], Outcome.STOPPED, "tea 1", ["write"]),
    ],
)
def test_each_decision_at_each_gate_has_its_exact_effect(
    store: StateStore,
    side: Any,
    decision: Decision,
    did: list[str],
    outcome: Outcome,
    draft: str | None,
    nodes: list[str],
) -> None:
    executor = waiting(mail(side), store)
    before = list(ran)
    assert before == ([] if side == "before" else ["write"])
    run = executor.resume("r-1", decision)
    assert ran == did
    assert (run.status, run.outcome, run.current) == (RunStatus.ENDED, outcome, None)
    assert run.values.get("draft") == draft
    assert [record.node for record in run.history] == nodes
    assert [record.visit for record in run.history] == [1] * len(nodes)
    assert run.store.values("r-1", run.version) == run.values  # what was kept in memory and what is replayed


def test_before_a_node_nothing_has_run_and_its_question_shows_what_it_is_given(store: StateStore) -> None:
    executor = waiting(mail("before"), store)
    run = executor.load("r-1")
    review = run.pending
    assert review is not None
    assert (review.gate.side if review.gate else None, review.node, review.step) == ("before", "write", 1)
    assert (review.request.prompt, review.request.action) == ("May 'write' run?", "run write")
    assert review.request.verbs == ("approve", "edit", "reject")
    assert review.values == {"topic": "tea", "log": []}
    assert review.request.editable == {"topic": "text", "log": "list"}
    assert (run.step, run.visits, ran) == (0, {}, [])


def test_after_a_node_its_result_waits_outside_the_state(store: StateStore) -> None:
    executor = waiting(mail("after"), store, draft="an old one")
    run = executor.load("r-1")
    review = run.pending
    assert review is not None
    assert (review.gate.side if review.gate else None, review.node, review.step) == ("after", "write", 1)
    assert review.request.prompt == "Go on with what 'write' did?"
    assert review.request.arguments == review.proposed == {"draft": "tea 1", "log": "wrote"}
    assert review.values == {"draft": "an old one", "log": []}  # what stands there now
    assert (run.step, run.visits, run.values["draft"]) == (0, {}, "an old one")
    assert kinds(run) == ["start", "review"]


def test_a_visit_behind_a_gate_is_one_record_with_its_decision(store: StateStore) -> None:
    for side, edit in (("before", EDIT), ("after", CHANGED)):
        graph = mail(side)  # type: ignore[arg-type]  # two of its values
        executor = Executor(graph.compile(), store)
        run = executor.run(executor.start({"topic": "tea"}))
        run = executor.resume(run.id, edit)
        assert kinds(run) == ["start", "review", "decision", "step", "step"]
        record = run.history[0]
        assert (record.step, record.status, record.decision and record.decision.by) == (1, "success", "ana")
        assert [edge.matched for edge in record.edges] == [True]


def test_what_the_reviewer_changed_before_is_part_of_the_step_and_of_what_the_node_saw(
    store: StateStore,
) -> None:
    def both(state: State) -> dict[str, Any]:
        return {"log": ["wrote"], "notes": {"b": 2}, "topic": state["topic"].upper()}

    graph = mail("before", write=both)
    graph.add_key("notes", reducer="merge", default={"a": 1})
    graph.add_key("seen", default=[1, 2])
    executor = waiting(graph, store, log=["old"], draft="x")
    edit: dict[str, Any] = {"log": ["mine"], "notes": {"c": 3}, "topic": "cocoa", "seen": [3]}
    run = executor.resume("r-1", Decision.edit(edit))
    assert run.values == {
        "topic": "COCOA",
        "log": ["mine", "wrote"],
        "notes": {"c": 3, "b": 2},
        "seen": [3],
        "draft": "x",
        "sent": "x",
    }
    assert run.values_at(1) == {key: value for key, value in run.values.items() if key != "sent"}
    record = run.history[0]
    assert record.before == {"draft": "x"} | edit
    assert record.output == '{"log":["wrote"],"notes":{"b":2},"topic":"COCOA"}'
    assert record.updates == {
        "topic": "COCOA",
        "log": ["mine", "wrote"],
        "notes": {"c": 3, "b": 2},
        "seen": [3],
    }


def test_a_value_that_the_node_gives_again_unchanged_is_the_edited_one(store: StateStore) -> None:
    text = "a long text that the ledger would not store twice, for it is more than sixty-four characters"

    def same(state: State) -> dict[str, Any]:
        return {"draft": state["draft"], "log": []}

    executor = waiting(mail("before", write=same), store, draft="short")
    run = executor.resume("r-1", Decision.edit({"draft": text}))
    assert run.values["sent"] == text
    assert run.history[0].updates == {"draft": text, "log": []}
    assert run.store.values("r-1", run.version) == run.values


def test_an_edit_of_a_result_goes_through_the_reducers_as_the_result_would(store: StateStore) -> None:
    executor = waiting(mail("after"), store, log=["before"])
    run = executor.resume("r-1", Decision.edit({"log": "corrected"}))
    assert run.values["log"] == ["before", "corrected"]
    assert run.values["draft"] == "tea 1"
    assert run.history[0].output == '{"draft":"tea 1","log":"corrected"}'


def test_an_output_that_is_the_value_of_an_edited_key_changes_with_it(store: StateStore) -> None:
    graph = StateGraph("mail", start="write")
    settings = {"prompt": "Write.", "output": "draft", "replies": ["Dear all"]}
    graph.declare_node("write", "llm", settings, review="after")  # type: ignore[arg-type]  # JSON
    graph.add_node("send", send)
    graph.add_edge("write", END, when='last_output == "Dear Ana"')
    graph.add_edge("write", "send")
    graph.add_edge("send", END)
    executor = waiting(graph, store)
    review = executor.load("r-1").pending
    assert review is not None
    assert "put out" not in review.request.prompt  # it is among the updates
    run = executor.resume("r-1", Decision.edit({"draft": "Dear Ana"}))
    assert (ran, run.history[0].output, run.outputs["write"]) == ([], "Dear Ana", ["Dear Ana"])


def test_an_output_of_its_own_is_shown_and_kept(store: StateStore) -> None:
    executor = waiting(mail("after", write=lambda _: NodeResult({"draft": "x"}, "twelve words")), store)
    review = executor.load("r-1").pending
    assert review is not None
    assert review.request.prompt == "Go on with what 'write' did? It put out:\ntwelve words"
    assert executor.resume("r-1", Decision.edit({"draft": "y"})).history[0].output == "twelve words"


def test_only_what_is_offered_can_be_changed(store: StateStore) -> None:
    for review, offered, not_offered in (("before", "topic", "draft"), ("after", "draft", "topic")):
        executor = Executor(mail(review).compile(), store)  # type: ignore[arg-type]
        run = executor.run(executor.start({"topic": "tea"}))
        with pytest.raises(NotAllowed, match="not editable"):
            executor.decide(run.id, Decision.edit({not_offered: "x"}))
        with pytest.raises(NotAllowed, match="takes a text"):
            executor.decide(run.id, Decision.edit({offered: 3}))
        with pytest.raises(NotAllowed, match="does not offer 'respond'"):
            executor.decide(run.id, Decision.respond("x"))


def test_secrets_and_removed_keys_are_not_offered(store: StateStore) -> None:
    graph = mail("after", write=lambda _: {"draft": "x", "token": "new", "topic": None})
    graph.add_key("token", secret=True, default="old")
    executor = waiting(graph, store)
    review = executor.load("r-1").pending
    assert review is not None
    assert dict(review.request.editable) == {"draft": "text"}
    assert review.request.arguments == {"draft": "x", "token": "new", "topic": None}
    assert "topic" not in executor.resume("r-1", Decision.approve()).values


def test_a_result_without_updates_can_only_be_approved_or_rejected(store: StateStore) -> None:
    executor = waiting(mail("after", write=lambda _: {}), store, draft="x")
    review = executor.load("r-1").pending
    assert review is not None
    assert (review.request.verbs, review.request.action) == (("approve", "reject"), "")
    assert executor.resume("r-1", Decision.approve()).outcome is Outcome.END


# acceptance 144
@pytest.mark.parametrize(
    ("policy", "settings", "asked"),
    [
        ("never", {}, []),
        ("every", {}, ["write", "send"]),
        ("last", {}, ["send"]),
        ("every", {"write": "never"}, ["send"]),
        ("every", {"send": "never"}, ["write"]),
        ("last", {"send": "never"}, []),
        ("last", {"write": "after"}, ["write", "send"]),
        ("never", {"write": "after"}, ["write"]),
        ("never", {"write": "before", "send": "after"}, ["write", "send"]),
        ("every", {"write": "before"}, ["write", "send"]),
    ],
)
def test_a_nodes_own_setting_goes_before_the_policy(
    store: StateStore, policy: ReviewPolicy, settings: dict[str, NodeReview], asked: list[str]
) -> None:
    graph = StateGraph("mail", start="write", review=policy)
    graph.add_node("write", write, review=settings.get("write"))
    graph.add_node("send", send, review=settings.get("send"))
    graph.add_edge("write", "send")
    graph.add_edge("send", END)
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"topic": "tea"}, run_id="r-1"))
    found = []
    while run.pending is not None:
        found.append(run.pending.node)
        run = executor.resume("r-1", Decision.approve())
    assert (found, run.outcome, ran) == (asked, Outcome.END, ["write", "send"])


def test_the_last_node_is_the_one_whose_edge_leads_to_the_end(store: StateStore) -> None:
    looked: list[int] = []

    def enough(context: Any) -> bool:
        looked.append(context.step)
        return bool(context.state["count"] >= 2)

    graph = StateGraph("loop", start="count", review="last")
    graph.add_node("count", lambda state: {"count": state.get("count", 0) + 1})
    graph.add_edge("count", END, when=enough)
    graph.add_edge("count", "count")
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({}, run_id="r-1"))
    assert (run.status, run.step, looked) == (
        RunStatus.PAUSED,
        1,
        [1, 2],
    )  # nobody was asked on the first visit
    run = executor.resume("r-1", Decision.edit({"count": 0}))  # the edited result does not end the run
    assert (run.status, run.step, run.values["count"]) == (RunStatus.PAUSED, 3, 1)
    run = executor.resume("r-1", Decision.approve())
    assert (run.outcome, run.step, run.values["count"]) == (Outcome.END, 4, 2)


def test_a_policy_leaves_approval_nodes_out_and_their_own_setting_does_not(store: StateStore) -> None:
    for review, asked in ((None, ["ask"]), ("after", ["ask", "ask"]), ("before", ["ask", "ask"])):
        graph = StateGraph("ask", start="ask", review="every")
        graph.declare_node("ask", "approval", {"prompt": "Go on?"}, review=review)  # type: ignore[arg-type]
        graph.add_edge("ask", END)
        executor = Executor(graph.compile(), store)
        run = executor.run(executor.start({}))
        found = []
        while run.pending is not None:
            found.append(run.pending.node)
            run = executor.resume(run.id, Decision.approve(comment="fine"))
        assert (found, run.outcome, len(run.history)) == (asked, Outcome.END, 1)
        assert (run.values["decision"], (run.output, run.outcome)) == ("approve", ("fine", Outcome.END))


def test_every_visit_of_a_loop_is_asked_anew(store: StateStore) -> None:
    for side in ("before", "after"):
        ran.clear()
        graph = StateGraph("loop", start="write", max_steps=3)
        graph.add_node("write", write, review=side)
        graph.add_edge("write", "write")
        executor = Executor(graph.compile(), store)
        run = executor.run(executor.start({"topic": "tea"}))
        ids: list[str] = []
        while run.pending is not None:
            assert len(run.history) == len(ids)
            assert run.pending.visit == len(ids) + 1
            ids.append(run.pending.id)
            run = executor.resume(run.id, Decision.approve(by=f"person {len(ids)}"))
        assert (len(set(ids)), run.outcome, run.step, ran) == (3, Outcome.MAX_STEPS, 3, ["write"] * 3)
        decided = [record.decision.by for record in run.history if record.decision is not None]
        assert decided == ["person 1", "person 2", "person 3"]


def asking(state: State) -> NodeResult | dict[str, Any]:
    """A node that asks a person by itself."""
    ran.append("ask")
    if state.decision is None:
        return NodeResult.pause(ReviewRequest(f"About {state['topic']}?", show=("topic",)))
    return {"draft": f"{state['topic']}: {state.decision.verb}"}


def test_a_node_that_asks_by_itself_is_asked_about_at_its_gates_too(store: StateStore) -> None:
    """The decision at a gate is not the answer to the node's own question."""
    executor = waiting(mail("before", write=asking), store)
    run = executor.resume("r-1", Decision.edit({"topic": "cocoa"}))
    assert run.pending is not None
    assert (run.pending.request.prompt, run.pending.gate, ran) == ("About cocoa?", None, ["ask"])
    assert run.values["topic"] == "tea"  # the edit counts with the visit
    run = executor.resume("r-1", Decision.reject())
    assert (run.values["sent"], run.values["topic"]) == ("cocoa: reject", "cocoa")
    assert (run.outcome, ran, len(run.history)) == (Outcome.END, ["ask", "ask", "send"], 2)
    executor = Executor(mail("after", write=asking).compile(), store)
    run = executor.run(executor.start({"topic": "tea"}, run_id="r-2"))
    assert (run.pending is not None and run.pending.gate) is None
    run = executor.resume("r-2", Decision.approve())
    assert run.pending is not None
    assert run.pending.request.arguments == {"draft": "tea: approve"}
    run = executor.resume("r-2", Decision.approve())
    assert (run.outcome, run.values["sent"]) == (Outcome.END, "tea: approve")


def test_an_edit_behind_a_passed_gate_asks_only_what_it_changes(store: StateStore) -> None:
    executor = waiting(mail("before", write=asking), store)
    executor.resume("r-1", Decision.approve(by="ana"))  # now the node itself asks
    run = executor.edit("r-1", {"topic": "cocoa"}, by="ben")
    assert run.pending is not None
    assert run.pending.gate is not None  # what ana agreed to is another question now
    run = executor.resume("r-1", Decision.approve())
    assert run.pending is not None
    assert (run.pending.gate, run.pending.request.prompt) == (None, "About cocoa?")
    graph = mail(write=asking)
    graph = StateGraph("typed", start="ask")
    settings = {"prompt": "Pay {{ amount }}?"}
    graph.declare_node("ask", "approval", settings, review="before")
    graph.add_edge("ask", END)
    executor = Executor(graph.compile(), store)
    executor.run(executor.start({"amount": 3, "note": ""}, run_id="r-2"))
    executor.resume("r-2", Decision.approve())
    run = executor.edit("r-2", {"note": "no part of either question"}, by="ben")
    assert run.pending is not None
    assert run.pending.gate is None
    assert executor.resume("r-2", Decision.approve()).outcome is Outcome.END


def test_an_edit_while_a_gate_waits_asks_anew_about_the_new_state(store: StateStore) -> None:
    executor = waiting(mail("before"), store)
    old = executor.load("r-1").pending
    run = executor.edit("r-1", {"topic": "cocoa"}, by="ben")
    new = run.pending
    assert old is not None
    assert new is not None
    assert (new.values["topic"], old.hash == new.hash) == ("cocoa", False)
    with pytest.raises(PayloadChanged, match="withdrawn"):
        Reviews(store).decide(old.id, Decision.approve())
    assert executor.resume("r-1", Decision.approve(), review=new.id).values["sent"] == "cocoa 1"


def test_an_edit_while_a_result_waits_proposes_the_same_result_and_runs_nothing(store: StateStore) -> None:
    executor = waiting(mail("after"), store)
    old = executor.load("r-1").pending
    run = executor.edit("r-1", {"topic": "cocoa", "draft": "mine"}, by="ben")
    new = run.pending
    assert old is not None
    assert new is not None
    assert (new.request.arguments, new.values["draft"]) == (old.request.arguments, "mine")
    assert (old.id == new.id, old.hash == new.hash, ran) == (False, False, ["write"])
    with pytest.raises(PayloadChanged, match="withdrawn"):
        Reviews(store).decide(old.id, Decision.approve())
    run = executor.resume("r-1", Decision.approve())
    assert (run.values["draft"], run.values["topic"], ran) == ("tea 1", "cocoa", ["write", "send"])
    assert run.seconds == pytest.approx(sum(record.duration for record in run.history))


def test_a_crash_after_that_edit_loses_nothing(store: StateStore) -> None:
    """The process dies between the edit and the question that follows it."""
    from stepgraph.runs import operations

    executor = waiting(mail("after"), store)
    operations.edit(executor.load("r-1"), {"draft": "mine"}, "ben", "", 1.0)
    other = Executor(mail("after").compile(), store)
    run = other.load("r-1")
    assert (run.status, run.pending) == (RunStatus.READY, None)
    assert other.run(run).pending is not None
    assert other.resume("r-1", Decision.approve()).values["sent"] == "tea 1"
    assert ran == ["write", "send"]


def test_an_edit_between_a_decision_and_its_use_asks_anew(store: StateStore) -> None:
    for side, key in (("before", "topic"), ("after", "draft")):
        ran.clear()
        executor = Executor(mail(side).compile(), store)  # type: ignore[arg-type]
        run = executor.run(executor.start({"topic": "tea"}))
        executor.decide(run.id, Decision.reject())
        executor.edit(run.id, {key: "cocoa"}, by="ben")
        run = executor.run(executor.load(run.id))
        assert run.pending is not None
        assert run.pending.gate is not None
        run = executor.resume(run.id, Decision.approve())
        assert (run.outcome, ran) == (Outcome.END, ["write", "send"])


def test_a_decision_lives_on_in_another_process(store: StateStore) -> None:
    """It is recorded by the store alone, and used once by whoever comes first."""
    executor = waiting(mail("after"), store)
    behind = executor.load("r-1")
    (review,) = Reviews(store).pending()
    Reviews(store).decide(review.id, Decision.approve(by="ana"), expect_hash=review.hash)
    first, second = (Executor(mail("after").compile(), store) for _ in range(2))
    one, two = first.load("r-1"), second.load("r-1")
    assert first.step(one).status == "success"
    with pytest.raises(Conflict):
        second.step(two)
    assert (ran, behind.status) == (["write"], RunStatus.PAUSED)
    assert [record.node for record in first.run(one).history] == ["write", "send"]


def test_two_runs_that_ask_the_very_same_have_one_hash_however_long_their_node_took(
    store: StateStore,
) -> None:
    clock = FakeClock()

    def slow(state: State) -> dict[str, Any]:
        clock.advance(len(ran) + 1.5)
        ran.append("slow")
        return {"draft": "cocoa"}

    executor = Executor(mail("after", write=slow).compile(), store, clock=clock)
    for run_id in ("r-1", "r-2"):
        executor.run(executor.start({"topic": "cocoa"}, run_id=run_id))
    one, two = Reviews(store).pending()
    took = [review.gate.result.duration for review in (one, two) if review.gate and review.gate.result]
    assert (took, one.hash == two.hash) == ([1.5, 2.5], True)


def test_a_failure_behind_a_gate_is_retried_by_the_same_decision(store: StateStore) -> None:
    def flaky(state: State) -> dict[str, Any]:
        ran.append(state.idempotency_key)
        if len(ran) == 1:
            raise OSError("the printer is out of paper")
        return {"draft": state["topic"]}

    executor = waiting(mail("before", write=flaky), store)
    run = executor.resume("r-1", EDIT)
    assert (run.status, run.values["topic"], len(run.attempts)) == (RunStatus.FAILED, "tea", 1)
    run = executor.run(executor.retry("r-1"))
    assert (run.outcome, run.values["sent"], ran[:2]) == (Outcome.END, "coffee", ["r-1:1", "r-1:1"])
    assert [record.visit for record in run.history] == [1, 1]


def test_a_failed_node_is_not_asked_about(store: StateStore) -> None:
    executor = Executor(mail("after", write=lambda _: NodeResult.failed("no ink")).compile(), store)
    run = executor.run(executor.start({"topic": "tea"}))
    assert (run.status, run.pending) == (RunStatus.FAILED, None)


def test_a_routing_failure_after_a_gate_keeps_the_step(store: StateStore) -> None:
    graph = StateGraph("mail", start="write")
    graph.add_node("write", write, review="after")
    graph.add_edge("write", END, when="approved")
    executor = waiting(graph, store)
    run = executor.resume("r-1", Decision.approve())
    assert (run.status, run.step, run.values["draft"]) == (RunStatus.FAILED, 1, "tea 1")
    executor.edit("r-1", {"approved": True}, by="ben")
    run = executor.retry("r-1")
    assert (run.outcome, ran, len(run.history)) == (Outcome.END, ["write"], 1)


def test_a_condition_that_fails_is_no_reason_to_ask_at_the_end(store: StateStore) -> None:
    graph = StateGraph("mail", start="write", review="last")
    graph.add_node("write", write)
    graph.add_edge("write", END, when="approved")
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"topic": "tea"}))
    assert (run.status, run.step, run.pending) == (RunStatus.FAILED, 1, None)


def test_a_stopped_run_says_who_stopped_it_and_tries_no_edge(store: StateStore) -> None:
    for side in ("before", "after"):
        executor = Executor(mail(side).compile(), store)
        heard: list[StepCompleted] = []
        executor.on_step(heard.append)
        run = executor.run(executor.start({"topic": "tea"}))
        executor.decide(run.id, Decision.reject(by="ana", comment="not today"))
        run = executor.load(run.id)
        assert (run.status, run.current) == (RunStatus.READY, "write")
        record = executor.step(run)
        assert (run.status, run.outcome, run.current) == (RunStatus.ENDED, Outcome.STOPPED, None)
        told = record.row.data or {}
        who = told if side == "before" else told["stopped"]
        assert isinstance(who, dict)
        assert (who["by"], who["comment"]) == ("ana", "not today")
        if side == "before":
            assert (record.status, record.output, heard) == ("stopped", None, [])
        else:
            assert (record.status, [edge.matched for edge in record.edges], record.next) == (
                "success",
                [None],
                None,
            )
            assert [event.next for event in heard] == [None]
        assert executor.load(run.id).outcome is Outcome.STOPPED
        assert executor.run(run) is run
        run.raise_for_status()


def test_a_breakpoint_where_no_edge_matches_is_not_met_where_a_person_stops_the_run(
    store: StateStore,
) -> None:
    for side, met in (("before", []), ("after", ["after"])):
        executor = Executor(mail(side).compile(), store)  # type: ignore[arg-type]
        wanted = [Breakpoint("no_match"), Breakpoint("pause"), Breakpoint("after", "write")]
        session = DebugSession(executor, executor.start({"topic": "tea"}), wanted)
        session.step()
        assert [hit.breakpoint.kind for hit in session.hits] == ["pause"]
        executor.decide(session.run.id, Decision.reject())
        again = DebugSession(executor, executor.load(session.run.id), wanted)
        again.step()
        assert [hit.breakpoint.kind for hit in again.hits] == met
        assert again.run.outcome is Outcome.STOPPED


def test_a_waiting_gate_can_be_stopped_and_forked(store: StateStore) -> None:
    executor = waiting(mail("after"), store)
    fork = executor.run(executor.fork("r-1", new_run_id="r-2"))
    assert (fork.status, ran) == (RunStatus.PAUSED, ["write", "write"])  # a run of its own: it runs there
    stopped = executor.stop("r-1", by="ben")
    assert (stopped.outcome, stopped.values.get("draft")) == (Outcome.STOPPED, None)
    run = executor.resume("r-2", Decision.approve())
    again = executor.fork("r-2", at=1, new_run_id="r-3")
    assert (run.outcome, again.values["draft"], executor.run(again).values["sent"]) == (
        Outcome.END,
        "tea 2",
        "tea 2",
    )


def test_a_fork_from_behind_an_edited_gate_has_the_edit(store: StateStore) -> None:
    executor = waiting(mail("before"), store)
    executor.resume("r-1", EDIT)
    fork = executor.fork("r-1", at=1)
    assert (fork.values["topic"], fork.values["draft"]) == ("coffee", "coffee 1")


def test_gates_are_part_of_the_definition_and_a_run_may_adopt_others(store: StateStore) -> None:
    gated, free = mail("after").compile(), mail("never").compile()
    assert (
        len({gated.definition_hash, free.definition_hash, mail(policy="every").compile().definition_hash})
        == 3
    )
    assert gated.document["nodes"]["write"]["review"] == "after"  # type: ignore[call-overload,index]
    waiting(mail("after"), store)
    other = Executor(free, store)
    other.load("r-1", adopt=True)
    run = other.resume("r-1", CHANGED)  # what was asked and decided holds
    assert (run.outcome, run.values["sent"], ran) == (Outcome.END, "coffee, please", ["write", "send"])
    executor = Executor(mail("before").compile(), store)
    executor.run(executor.start({"topic": "tea"}, run_id="r-2"))
    other.load("r-2", adopt=True)
    assert other.resume("r-2", Decision.reject()).outcome is Outcome.STOPPED


def test_a_result_that_a_changed_graph_cannot_merge_fails_and_is_not_lost(store: StateStore) -> None:
    waiting(mail("after"), store)
    strict = mail("after")
    strict.add_key("draft", type="number")
    executor = Executor(strict.compile(), store)
    executor.load("r-1", adopt=True)
    run = executor.resume("r-1", Decision.approve())
    assert (run.status, "declared as number" in str(run.error), run.step) == (RunStatus.FAILED, True, 0)
    back = Executor(mail("after").compile(), store)
    back.load("r-1", adopt=True)
    run = back.run(back.retry("r-1"))
    assert (run.outcome, ran) == (Outcome.END, ["write", "send"])


def test_a_gate_on_the_last_allowed_step_ends_at_the_cap_or_at_the_end(store: StateStore) -> None:
    graph = mail("after")
    graph.settings = type(graph.settings)("mail", "write", max_steps=1)
    executor = waiting(graph, store)
    run = executor.resume("r-1", Decision.approve())
    assert (run.outcome, run.step, ran) == (Outcome.MAX_STEPS, 1, ["write"])


@pytest.mark.parametrize("seed", range(3))
def test_past_states_add_up_through_gates(store: StateStore, seed: int) -> None:
    """Every state that a handle had is the one that the ledger gives."""
    graph = StateGraph("loop", start="write", max_steps=120, review="every")
    graph.add_key("log", reducer="append", default=[])
    graph.add_node("write", write, review=(None, "before", "never")[seed])
    graph.add_node("again", lambda state: {"log": [len(state["log"])]})
    graph.add_edge("write", "again")
    graph.add_edge("again", "write")
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"topic": "tea"}, run_id="r-1"))
    states = {}
    while run.pending is not None:
        review = run.pending
        path = next(iter(review.request.editable))
        edit = review.step % 3 == 0 and "log" in review.request.editable
        decision = Decision.edit({"log": ["edited"] if path == "topic" else review.proposed["log"]})
        executor.decide("r-1", decision if edit else Decision.approve())
        run = executor.load("r-1")
        executor.step(run)
        states[run.step] = run.values
        executor.run(run)
    assert run.outcome is Outcome.MAX_STEPS
    for step in sorted(states)[::7]:
        assert run.values_at(step) == states[step]


@pytest.mark.parametrize(
    ("output", "edit", "becomes"),
    [
        ("1", {"a": "2", "b": "3"}, "2"),
        ("1", {"b": "3", "a": "2"}, "2"),
        ("2", {"b": "1", "a": "9"}, "1"),
        ("other", {"a": "other", "b": "9"}, "other"),
    ],
)
def test_an_edit_changes_the_output_only_where_it_was_that_value(
    store: StateStore, output: str, edit: dict[str, Any], becomes: str
) -> None:
    executor = waiting(
        mail("after", write=lambda _: NodeResult({"a": "1", "b": "2"}, output)), store, draft=""
    )
    executor.decide("r-1", Decision.edit(edit))
    record = executor.step(executor.load("r-1"))
    assert (record.output, record.updates) == (becomes, edit)
