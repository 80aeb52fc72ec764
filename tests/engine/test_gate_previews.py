"""What a decision at a gate would lead to is what it then leads to."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, ApprovalNode, Decision, Executor, MemoryStore, Run, StateGraph
from stepgraph.runs.decision_preview import edited_request, preview_decision, preview_verbs


def graph(review: Any, policy: Any = "never") -> StateGraph:
    made = StateGraph("mail", start="write", review=policy)
    made.add_key("log", reducer="append", default=[])
    settings: Any = {"prompt": "About {{ topic }}.", "output": "draft", "replies": ["short"]}
    made.declare_node("write", "llm", settings, review=review)
    made.add_node("send", lambda _: {"sent": True}, review="never", side_effects=True)
    made.add_node("mend", lambda _: {"log": "mended"}, review="never")
    made.add_edge("write", "send", when='draft == "fine" or last_output == "FINE"')
    made.add_edge("write", "mend")
    made.add_edge("send", END)
    made.add_edge("mend", END)
    return made


def paused(made: StateGraph, **values: Any) -> tuple[Executor, Run]:
    executor = Executor(made.compile(), MemoryStore())
    run = executor.run(executor.start({"topic": "tea"} | values, run_id="r-1"))
    assert run.pending is not None
    return executor, run


def leads(run: Run) -> list[tuple[str, str, list[str]]]:
    assert run.pending is not None
    found = preview_verbs(run.plan, run, run.pending)
    return [(lead.verb, lead.kind, [way.node for way in lead.path]) for lead in found]


def test_after_a_node_the_way_on_is_known_with_its_edits() -> None:
    executor, run = paused(graph("after"))
    assert leads(run) == [
        ("approve", "edge", ["mend", END]),
        ("edit", "edge", ["mend", END]),
        ("reject", "stops", []),
    ]
    assert run.pending is not None
    review = run.pending
    assert preview_verbs(run.plan, run, review)[1].depends_on == ("draft",)
    assert (
        preview_verbs(run.plan, run, review)[2].reason == "the run stops; the node's changes are still saved"
    )
    for text, way in (("fine", "send"), ("FINE", "send"), ("well", "mend")):
        edit = Decision.edit({"draft": text})
        lead = preview_decision(run.plan, run, review, edit)
        assert lead.edge is not None
        assert lead.edge.target == way
        assert lead.side_effects == (("send",) if way == "send" else ())
        fork = executor.run(executor.fork("r-1"))
        executor.decide(fork.id, edit)
        fork = executor.load(fork.id)
        executor.step(fork)
        assert fork.current == way


def test_an_edit_shows_what_is_asked_of_the_edited_values() -> None:
    _, run = paused(graph("before"))
    assert run.pending is not None
    asked = edited_request(run.plan, run, run.pending, Decision.edit({"topic": "coffee"}))
    assert asked is not None
    assert asked.arguments == {"prompt": "About coffee."}
    _, run = paused(graph("after"))
    assert run.pending is not None
    asked = edited_request(run.plan, run, run.pending, Decision.edit({"draft": "fine"}))
    assert asked is not None
    assert asked.arguments["draft"] == "fine"


def test_what_a_persons_own_code_would_do_with_an_edit_is_not_guessed() -> None:
    made = StateGraph("own", start="own")
    made.add_node("own", lambda _: {}, review="before")
    made.add_edge("own", END)
    _, run = paused(made)
    assert run.pending is not None
    assert edited_request(run.plan, run, run.pending, Decision.edit({"topic": "x"})) is None
    assert leads(run)[0] == ("approve", "runs", ["own", END])


def signed(review: Any) -> StateGraph:
    made = StateGraph("sign", start="sign")
    asks = ApprovalNode(prompt="Pay {{ amount }}?", show=["amount"], editable={"note": "text"})
    made.add_node("sign", asks, review=review)
    made.add_node("big", lambda _: {})
    made.add_node("small", lambda _: {})
    made.add_edge("sign", "big", when="amount > 100")
    made.add_edge("sign", "small")
    made.add_edge("big", END)
    made.add_edge("small", END)
    return made


@pytest.mark.parametrize(("amount", "node"), [(9, "small"), (240, "big"), (900, "big")])
def test_a_question_behind_a_gate_leads_on_from_what_was_changed_there(amount: int, node: str) -> None:
    executor, run = paused(signed("before"), amount=240, note="")
    at_gate = Decision.edit({"amount": amount}) if amount != 240 else Decision.approve()
    run = executor.resume("r-1", at_gate)
    assert leads(run)[0] == ("approve", "edge", [node, END])
    assert run.pending is not None
    anew = edited_request(run.plan, run, run.pending, Decision.edit({"note": "x"}))
    assert anew is not None
    assert anew.prompt == f"Pay {amount}?"
    assert executor.resume("r-1", Decision.approve()).history[-1].node == node


def test_a_question_before_a_gate_leads_to_the_gate() -> None:
    executor, run = paused(signed("after"), amount=240, note="")
    assert {(kind, *path) for _, kind, path in leads(run)} == {("runs", "sign")}
    run = executor.resume("r-1", Decision.approve())
    assert run.pending is not None
    assert run.pending.gate is not None
