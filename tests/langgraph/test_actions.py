"""Actions asked about in the shapes of LangChain's own tools, and the answers in those shapes."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langgraph")

from stepgraph import Decision, Executor, NotAllowed, Run, RunStatus
from stepgraph.reviews.model import ReviewRequest
from tests.langgraph.side_by_side import opened

BY = {"by": "ana"}
MAIL = {"to": "a@b.example", "times": 3, "html": True, "tags": ["x"], "more": {"cc": "c"}}
ALL = {"allow_accept": True, "allow_edit": True, "allow_ignore": True, "allow_respond": True}
EVERY = ["approve", "edit", "reject", "respond"]
SCHEMA = {
    "oneOf": [{"$ref": "#/$defs/Approve"}, {"$ref": "#/$defs/Reject"}],
    "$defs": {
        "Approve": {"properties": {"type": {"const": "approve"}}},
        "Reject": {"properties": {"type": {"enum": ["reject"]}, "message": {"type": "string"}}},
    },
}


def inbox(name: str = "send_mail", description: str | None = "Send it?", **config: bool) -> dict[str, Any]:
    asked: dict[str, Any] = {"action_request": {"action": name, "args": MAIL}, "config": config or ALL}
    return asked if description is None else {**asked, "description": description}


def middleware(*names: str, **allowed: list[str]) -> dict[str, Any]:
    requests = [{"name": name, "args": MAIL, "description": f"May {name} run?"} for name in names]
    configs = [{"action_name": name, "allowed_decisions": allowed.get(name, EVERY)} for name in names]
    return {"action_requests": requests, "review_configs": configs}


def tool_approval() -> dict[str, Any]:
    about = {"tool_call_id": "1", "name": "send_mail", "args": MAIL, "description": "Send it?"}
    return {"type": "tool_approval", **about}


def begun(payload: Any, schema: Any = None) -> tuple[Executor, Run]:
    executor = Executor(opened("asking_actions:graph").compile())
    return executor, executor.run(executor.start({"payload": payload, "schema": schema}))


def asked(run: Run) -> ReviewRequest:
    assert run.pending is not None
    return run.pending.request


def answered(payload: Any, *decisions: Decision, schema: Any = None) -> Any:
    """What ``interrupt()`` returned in the end."""
    executor, run = begun(payload, schema)
    for decision in decisions:
        run = executor.resume(run.id, decision)
    run.raise_for_status()
    assert run.status is RunStatus.ENDED
    (answer,) = list(run.values["answer"])  # type: ignore[arg-type]
    return answer


YES, NO = Decision.approve(**BY), Decision.reject(**BY, comment="not now")
EDIT = Decision.edit({"to": "c@d.example", "times": 4}, **BY)
SAY = Decision.respond("ask me again", **BY)
EDITED = {**MAIL, "to": "c@d.example", "times": 4}


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (YES, {"type": "accept", "args": {"action": "send_mail", "args": MAIL}}),
        (EDIT, {"type": "edit", "args": {"action": "send_mail", "args": EDITED}}),
        (NO, {"type": "ignore", "args": None}),
        (SAY, {"type": "response", "args": "ask me again"}),
    ],
)
def test_agent_inbox_is_answered_by_a_list_of_responses(
    decision: Decision, answer: dict[str, Any], many: bool
) -> None:
    assert answered([inbox()] if many else inbox(), decision) == [answer]


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (YES, {"type": "approve"}),
        (EDIT, {"type": "edit", "edited_action": {"name": "send_mail", "args": EDITED}}),
        (NO, {"type": "reject", "message": "not now"}),
        (Decision.reject(**BY), {"type": "reject"}),
        (SAY, {"type": "respond", "message": "ask me again"}),
    ],
)
def test_the_middleware_is_answered_by_decisions_and_a_single_call_by_one(
    decision: Decision, answer: dict[str, Any]
) -> None:
    assert answered(middleware("send_mail"), decision) == {"decisions": [answer]}
    assert answered(tool_approval(), decision) == answer


def test_a_review_has_the_verbs_that_are_allowed_and_the_arguments_as_a_form() -> None:
    _, run = begun(inbox(allow_accept=True, allow_edit=True))
    request = asked(run)
    assert (request.prompt, request.action, request.arguments) == ("Send it?", "send_mail", MAIL)
    assert request.verbs == ("approve", "edit")
    kinds = {"to": "text", "times": "number", "html": "boolean", "tags": "list", "more": "table"}
    assert request.editable == kinds
    executor, other = begun(inbox(allow_accept=True))
    with pytest.raises(NotAllowed, match="does not offer 'reject'"):
        executor.resume(other.id, NO)
    assert asked(begun(inbox(description=None))[1]).prompt == "May 'ask' call 'send_mail'?"
    assert asked(begun(inbox(description="\n\n # Mail\n"))[1]).prompt == "# Mail"
    assert asked(begun(middleware("a", a=["approve"]))[1]).verbs == ("approve",)
    assert asked(begun(tool_approval(), SCHEMA)[1]).verbs == ("approve", "reject")
    assert asked(begun(tool_approval())[1]).verbs == tuple(EVERY)


def test_several_actions_are_decided_one_after_the_other_and_answered_together() -> None:
    executor, run = begun(middleware("first", "second", "third", second=["approve", "reject"]))
    assert asked(run).prompt.startswith("Action 1 of 3: May first run?\n\n1. first(to, times")
    run = executor.resume(run.id, EDIT)
    assert asked(run).prompt.startswith("Action 2 of 3: May second run?\n\n1. first(")
    assert "): edited\n2. second(" in asked(run).prompt
    assert asked(run).verbs == ("approve", "reject")
    executor = Executor(opened("asking_actions:graph").compile(), executor.store)  # as another process has it
    run = executor.resume(run.id, NO)
    assert asked(run).action == "third"
    run = executor.resume(run.id, YES)
    run.raise_for_status()
    first = {"type": "edit", "edited_action": {"name": "first", "args": EDITED}}
    wanted = [first, {"type": "reject", "message": "not now"}, {"type": "approve"}]
    assert run.values["answer"] == [{"decisions": wanted}]
    inboxes = [inbox("one"), inbox("two")]
    accept = {"type": "accept", "args": {"action": "two", "args": MAIL}}
    assert answered(inboxes, NO, YES) == [{"type": "ignore", "args": None}, accept]


@pytest.mark.parametrize(
    "payload",
    [
        {"question": "Go on?", "options": ["yes", "no"]},
        {"action_request": {"action": "a", "args": {}}},
        {"action_request": {"action": "a", "args": {}}, "config": {}},
        {"action_request": {"action": "a", "args": {}}, "config": {"allow_edit": True}},
        {"action_request": {"action": 1, "args": {}}, "config": ALL},
        {"action_request": {"action": "a", "args": []}, "config": ALL},
        {"action_request": "a", "config": ALL},
        [inbox(), {"question": "and?"}],
        [],
        {"action_requests": [], "review_configs": []},
        {"action_requests": [{"name": "a", "args": {}}], "review_configs": []},
        {"action_requests": [{"name": "a", "args": {}}], "review_configs": {}},
        {"action_requests": ["a"], "review_configs": [{"action_name": "a", "allowed_decisions": EVERY}]},
        {"action_requests": [{"name": "a", "args": {}}], "review_configs": [{"action_name": "a"}]},
        {"type": "tool_approval", "name": "a"},
    ],
)
def test_anything_else_stays_a_question_that_is_answered_in_words(payload: Any) -> None:
    executor, run = begun(payload)
    assert asked(run).verbs == ("respond",)
    run = executor.resume(run.id, Decision.respond('{"ok": true}', **BY))
    run.raise_for_status()
    assert run.values["answer"] == [{"ok": True}]


@pytest.mark.parametrize(
    ("typed", "answer"), [("null", None), ('"null"', "null"), ("{}", {}), ("yes", "yes")]
)
def test_null_is_null_and_quotes_make_a_text(typed: str, answer: Any) -> None:
    assert answered("Go on?", Decision.respond(typed, **BY)) == answer
