"""What each verb of a review would lead to, without running anything."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Decision, Executor, NodeResult, NotAllowed, ReviewRequest, Run, State, StateGraph
from stepgraph.reviews.model import Review
from stepgraph.runs.decision_preview import DecisionPreview, edited_request, preview_decision, preview_verbs
from stepgraph.runs.views import open_run
from stepgraph.stores.memory import MemoryStore


def build(*edges: tuple[Any, ...], **settings: Any) -> StateGraph:
    """A graph whose node ``ask`` asks; ``a`` and ``b`` are ordinary nodes."""
    graph = StateGraph("asking", start="ask", **settings)
    graph.declare_node(
        "ask",
        "approval",
        {
            "prompt": "Go on?",
            "editable": {"order.amount": "number"},
            "allow": ["approve", "edit", "reject", "respond"],
        },
    )
    graph.add_key("order", default={"amount": 240})
    for name in ("a", "b"):
        graph.add_node(name, lambda state: {}, side_effects=name == "a")
    for source, target, *when in edges:
        graph.add_edge(source, target, *when)
    return graph


REST = (("a", "b"), ("b", END))


def waiting(graph: StateGraph) -> tuple[Executor, Run, Review]:
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    return executor, run, run.pending


def leads(graph: StateGraph) -> dict[str, DecisionPreview]:
    executor, run, review = waiting(graph)
    return {lead.verb: lead for lead in preview_verbs(executor.app, run, review)}


def path(lead: DecisionPreview) -> list[str]:
    return [way.node for way in lead.path]


APPROVED = 'decision == "approve"'


def test_each_verb_is_followed_as_far_as_it_is_certain() -> None:
    found = leads(build(("ask", "a", APPROVED), ("ask", "b"), *REST))
    assert path(found["approve"]) == ["a", "b", END]
    assert path(found["reject"]) == ["b", END]
    assert (found["approve"].position, found["reject"].position) == (1, 2)
    assert found["approve"].side_effects == ("a",)
    assert found["reject"].side_effects == ()


def test_the_prediction_is_what_then_happens() -> None:
    graph = build(("ask", "a", APPROVED), ("ask", "b", 'decision == "respond"'), ("ask", END), *REST)
    for decision in (Decision.approve(), Decision.reject(), Decision.respond("hm")):
        executor, run, review = waiting(graph)
        lead = preview_decision(executor.app, run, review, decision)
        executor.resume(run.id, decision)
        assert [record.next for record in executor.load(run.id).history] == path(lead)


def test_an_edit_is_tried_with_its_own_values() -> None:
    graph = build(("ask", "a", "order.amount > 100"), ("ask", "b"), *REST)
    executor, run, review = waiting(graph)
    found = {lead.verb: lead for lead in preview_verbs(executor.app, run, review)}
    assert path(found["edit"])[0] == "a"
    assert found["edit"].depends_on == ("order.amount",)
    assert found["approve"].depends_on == ()
    lower = preview_decision(executor.app, run, review, Decision.edit({"order.amount": 5}))
    assert path(lower)[0] == "b"
    assert run.values == {"order": {"amount": 240}}


def test_a_decision_that_is_not_offered_has_no_consequence() -> None:
    executor, run, review = waiting(build(("ask", END), *REST, ("a", "a")))
    with pytest.raises(NotAllowed):
        preview_decision(executor.app, run, review, Decision.edit({"order.id": 1}))


def test_words_that_are_not_written_yet_are_unknown() -> None:
    graph = build(("ask", "a", 'decision == "approve" or "no" in last_output'), ("ask", "b"), *REST)
    executor, run, review = waiting(graph)
    found = {lead.verb: lead for lead in preview_verbs(executor.app, run, review)}
    assert found["approve"].kind == "edge"
    assert found["respond"].kind == "unknown"
    assert "the words of the decision" in found["respond"].reason
    assert path(preview_decision(executor.app, run, review, Decision.respond("no!")))[0] == "a"


def test_a_python_predicate_is_unknown_and_not_called() -> None:
    def never(context: object) -> bool:
        raise AssertionError("called")

    graph = build(("ask", "a", APPROVED), ("ask", "b", never), ("ask", END), *REST)
    found = leads(graph)
    assert found["approve"].kind == "edge"
    assert found["reject"].kind == "unknown"
    assert "edge 2 (never) is decided by Python code" in found["reject"].reason


def test_a_node_of_python_code_is_unknown_unless_its_first_edge_always_matches() -> None:
    def pausing(state: State) -> NodeResult:
        assert state.decision is None
        return NodeResult.pause(ReviewRequest("Go on?"))

    for when, kind in ((None, "edge"), ("step > 0", "unknown")):
        graph = StateGraph("python", start="ask")
        graph.add_node("ask", pausing)
        graph.add_edge("ask", END, when)
        graph.add_edge("ask", END, "step > 5")
        assert {lead.kind for lead in leads(graph).values()} == {kind}


def test_a_condition_that_would_fail_is_told() -> None:
    found = leads(build(("ask", "a", "order.total > 1"), ("ask", "b"), *REST))
    assert found["approve"].kind == "fails"
    assert "edge 1 (order.total > 1) would fail" in found["approve"].reason


@pytest.mark.parametrize(("policy", "kind"), [("fail", "fails"), ("end", "ends")])
def test_no_matching_edge_is_told(policy: Any, kind: str) -> None:
    found = leads(build(("ask", "a", APPROVED), *REST, on_no_match=policy))
    assert found["reject"].kind == kind


def test_the_way_stops_at_a_choice_a_question_and_a_repetition() -> None:
    choice = leads(build(("ask", "a"), ("a", "b", "step > 1"), ("a", END), ("b", END)))
    assert path(choice["approve"]) == ["a"]
    question = leads(build(("ask", "a"), ("a", "ask"), ("b", END)))
    assert path(question["approve"]) == ["a", "ask"]
    assert question["approve"].path[-1].asks
    circle = leads(build(("ask", "a"), ("a", "b"), ("b", "a")))
    assert path(circle["approve"]) == ["a", "b", "a"]


def test_the_cap_is_told_where_it_would_stop_the_run() -> None:
    found = leads(build(("ask", "a", APPROVED), ("ask", END), *REST, max_steps=1))
    assert found["approve"].capped
    assert found["approve"].side_effects == ()
    assert not found["reject"].capped


def test_a_tool_with_side_effects_counts() -> None:
    graph = build(("ask", "pay"), *REST, ("pay", END))
    graph.add_tool("pay_out", returns={"ok": True}, side_effects=True)
    graph.declare_node("pay", "tool", {"tool": "pay_out"})
    assert leads(graph)["approve"].side_effects == ("pay",)


def test_words_that_are_not_written_yet_are_not_guessed() -> None:
    graph = build(
        ("ask", "b", 'decision == "reject" and review.comment == ""'),
        ("ask", "a", 'review.decision == "approve" and review.edited == []'),
        ("ask", END),
        *REST,
    )
    found = leads(graph)
    assert {verb: lead.kind for verb, lead in found.items()} == {
        "approve": "edge",
        "edit": "unknown",
        "reject": "unknown",
        "respond": "edge",
    }
    assert found["reject"].reason.endswith("depends on the words of the decision")
    executor, run, review = waiting(graph)
    for comment, node in (("", "b"), ("no", END)):
        lead = preview_decision(executor.app, run, review, Decision.reject(by="ana", comment=comment))
        assert path(lead)[0] == node


def test_a_question_may_tell_of_the_run_so_far() -> None:
    """The preview asks as the run did, or it could not say where a verb leads."""
    graph = StateGraph("telling", start="a")
    graph.add_node("a", lambda state: NodeResult({}, "a letter"))
    graph.declare_node("ask", "approval", {"prompt": "Step {{ step }}, after {{ last_output }}: go on?"})
    graph.add_edge("a", "ask")
    graph.add_edge("ask", END, APPROVED)
    graph.add_edge("ask", "a")
    executor, run, review = waiting(graph)
    assert review.request.prompt == "Step 2, after a letter: go on?"
    assert [lead.kind for lead in preview_verbs(executor.app, run, review)] == ["edge", "edge"]
    run = executor.resume(run.id, Decision.reject())
    assert run.pending is not None
    assert run.pending.request.prompt == "Step 4, after a letter: go on?"


# The question with the edited values


def test_an_edit_is_asked_anew_from_the_definition_in_the_store_alone() -> None:
    graph = StateGraph("asking", start="ask")
    graph.add_key("order", default={"amount": 240, "id": "8812"})
    texts = {"prompt": "Refund {{ order.amount }}?", "action": "pay({{ order.id }}, {{ order.amount }})"}
    graph.declare_node("ask", "approval", {**texts, "editable": {"order.amount": "number"}})
    graph.add_node("pay", lambda state: {})
    graph.add_edge("ask", "pay")
    graph.add_edge("pay", END)
    store = MemoryStore()
    executor = Executor(graph.compile(), store)
    pending = executor.run(executor.start({})).pending
    assert pending is not None
    run = open_run(store, pending.run_id)  # as another process finds it, which has nothing else
    request = edited_request(run.plan, run, pending, Decision.edit({"order.amount": 150}))
    assert request is not None
    assert (request.prompt, request.action) == ("Refund 150?", "pay(8812, 150)")
    assert pending.request.action == "pay(8812, 240)"
    with pytest.raises(NotAllowed):
        edited_request(run.plan, run, pending, Decision.edit({"order.id": "1"}))


def test_what_a_node_of_the_users_asks_after_an_edit_cannot_be_known() -> None:
    asked: list[State] = []

    def ask(state: State) -> NodeResult:
        asked.append(state)
        return NodeResult.pause(ReviewRequest("Go on?", "pay", editable={"amount": "number"}))

    graph = StateGraph("asking", start="ask")
    graph.add_key("amount", default=240)
    graph.add_node("ask", ask)
    graph.add_edge("ask", END)
    executor, run, review = waiting(graph)
    assert edited_request(executor.app, run, review, Decision.edit({"amount": 150})) is None
    assert len(asked) == 1  # by the run itself
