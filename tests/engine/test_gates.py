"""Gates around nodes: a person is asked before a node runs, or about what it did before that counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from stepgraph import (
    END,
    Conflict,
    Decision,
    Executor,
    NodeResult,
    Outcome,
    PayloadChanged,
    Reviews,
    RunStatus,
    State,
    StateGraph,
    StateStore,
)
from stepgraph.graphs.parts import NodeReview, ReviewPolicy

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


def test_secrets_and_removed_keys_are_not_offered(store: StateStore) -> None:
    graph = mail("after", write=lambda _: {"draft": "x", "token": "new", "topic": None})
    graph.add_key("token", secret=True, default="old")
    executor = waiting(graph, store)
    review = executor.load("r-1").pending
    assert review is not None
    assert dict(review.request.editable) == {"draft": "text"}
    assert review.request.arguments == {"draft": "x", "token": "new", "topic": None}
    assert "topic" not in executor.resume("r-1", Decision.approve()).values


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


def test_a_failed_node_is_not_asked_about(store: StateStore) -> None:
    executor = Executor(mail("after", write=lambda _: NodeResult.failed("no ink")).compile(), store)
    run = executor.run(executor.start({"topic": "tea"}))
    assert (run.status, run.pending) == (RunStatus.FAILED, None)


def test_a_condition_that_fails_is_no_reason_to_ask_at_the_end(store: StateStore) -> None:
    graph = StateGraph("mail", start="write", review="last")
    graph.add_node("write", write)
    graph.add_edge("write", END, when="approved")
    executor = Executor(graph.compile(), store)
    run = executor.run(executor.start({"topic": "tea"}))
    assert (run.status, run.step, run.pending) == (RunStatus.FAILED, 1, None)


def test_a_fork_from_behind_an_edited_gate_has_the_edit(store: StateStore) -> None:
    executor = waiting(mail("before"), store)
    executor.resume("r-1", EDIT)
    fork = executor.fork("r-1", at=1)
    assert (fork.values["topic"], fork.values["draft"]) == ("coffee", "coffee 1")


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
