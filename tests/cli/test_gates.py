"""Gates around nodes in the shell."""

from __future__ import annotations

import re

from tests.cli.calling import Cli

MAIL = """
format = 1
name = "mail"
start = "draft"

[state.amount]
default = 240

[state.token]
default = "hunter2-secret"
secret = true

[tools.pay]
returns = { receipt = 17 }
side_effects = true
requires_approval = true

[nodes.draft]
type = "llm"
prompt = "Answer {{ amount }} with {{ token }}."
output = "draft"
replies = ["Dear Ana"]
review = "REVIEW"

[nodes.pay]
type = "tool"
tool = "pay"
arguments = { amount = "{{ amount }}" }
output = "receipt"

[[edges]]
from = "draft"
to = "pay"

[[edges]]
from = "pay"
to = "END"
"""


def asked(cli: Cli, review: str) -> str:
    """Start a run that pauses at its first gate; the review's id."""
    assert cli("run", cli.graph(MAIL.replace("REVIEW", review)), "--run-id", "r-1").code == 10
    return pending(cli)


def pending(cli: Cli) -> str:
    (review,) = cli("approvals", "--json").json
    return str(review["id"])


def shown(cli: Cli, review: str) -> str:
    return re.sub(r"\s+", " ", cli("approvals", "show", review).out)


def test_a_gate_after_a_node_shows_what_it_did(cli: Cli) -> None:
    review = asked(cli, "after")
    page = shown(cli, review)
    for words in (
        "asks | Go on with what 'draft' did?",
        'action merge(draft="Dear Ana", next_action="RESPOND", tool_call=null)',
        "editable draft (text)",
        'result + draft "Dear Ana"',
        "approve -> pay ! asks a person (edge 1: always)",
        "reject -> the run stops, and its updates are merged",
        f"approvals decide {review} --edit --set draft=VALUE",
    ):
        assert words in page, words
    assert "not set yet" not in page
    data = cli("approvals", "show", review, "--json").json
    assert (data["gate"], data["arguments"]["draft"]) == ("after", "Dear Ana")
    assert data["result"] == ['+ draft "Dear Ana"', '+ next_action "RESPOND"']
    assert [lead["kind"] for lead in data["consequences"]] == ["edge", "edge", "stops"]


def test_a_gate_before_a_node_shows_what_it_is_about_to_do(cli: Cli) -> None:
    review = asked(cli, "before")
    page = shown(cli, review)
    for words in (
        "asks | May 'draft' run?",
        'action run draft(prompt="Answer 240 with ***.")',
        "shown amount = 240 (editable: number)",
        'shown token = "***"',
        "approve -> draft -> pay ! asks a person",
        "reject -> the run stops, and draft does not run",
    ):
        assert words in page, words
    assert cli("approvals", "show", review, "--json").json["gate"] == "before"


def test_the_arguments_are_shown_as_an_edit_makes_them(cli: Cli) -> None:
    review = asked(cli, "never")
    assert "action pay(amount=240)" in shown(cli, review)
    told = cli("approvals", "decide", review, "--approve", "--set", "amount=90")
    assert (told.code, "edited:  pay(amount=90)" in told.err) == (0, True)
    assert cli("resume", "r-1").code == 0
    assert cli("runs", "show", "r-1", "--json").json["values"]["amount"] == 90


def test_a_rejection_stops_the_run_and_the_history_says_who_did(cli: Cli) -> None:
    for review in ("before", "after"):
        cli("approvals", "decide", asked(cli, review), "--reject", "--as", "ana", "--comment", "not today")
        done = cli("resume", "r-1")
        assert done.code == 0
        page = re.sub(r"\s+", " ", cli("runs", "show", "r-1").out)
        assert "ended where it was stopped" in page
        assert "stopped by ana, who rejected it: not today" in page
        assert ("stopped: none was tried" in page) == (review == "after")
        assert cli("runs", "delete", "r-1", "--yes").code == 0


def test_a_secret_that_waits_outside_the_state_is_hidden(cli: Cli) -> None:
    text = MAIL.replace("REVIEW", "after").replace('output = "draft"', 'output = "token"')
    text = text.replace('"Dear Ana"', '"the new password"').replace("{{ token }}", "x")
    ran = cli("run", cli.graph(text), "--run-id", "r-1")
    said = ran.out + ran.err + shown(cli, pending(cli)) + str(cli("approvals", "--json").json)
    assert "new password" not in said
    assert "***" in said
