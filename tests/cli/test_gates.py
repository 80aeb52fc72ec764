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


def test_the_arguments_are_shown_as_an_edit_makes_them(cli: Cli) -> None:
    review = asked(cli, "never")
    assert "action pay(amount=240)" in shown(cli, review)
    told = cli("approvals", "decide", review, "--approve", "--set", "amount=90")
    assert (told.code, "edited:  pay(amount=90)" in told.err) == (0, True)
    assert cli("resume", "r-1").code == 0
    assert cli("runs", "show", "r-1", "--json").json["values"]["amount"] == 90


def test_a_secret_that_waits_outside_the_state_is_hidden(cli: Cli) -> None:
    text = MAIL.replace("REVIEW", "after").replace('output = "draft"', 'output = "token"')
    text = text.replace('"Dear Ana"', '"the new password"').replace("{{ token }}", "x")
    ran = cli("run", cli.graph(text), "--run-id", "r-1")
    said = ran.out + ran.err + shown(cli, pending(cli)) + str(cli("approvals", "--json").json)
    assert "new password" not in said
    assert "***" in said
