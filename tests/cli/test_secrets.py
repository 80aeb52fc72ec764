"""A secret is told nowhere: not the one that a run has now, and not one that it had before."""

from __future__ import annotations

import pytest

from tests.cli.calling import Cli

GRAPH = """format = 1
name = "secrets"
start = "copy"

[state.token]
type = "text"
secret = true
input = true

[state.pin]
type = "number"
secret = true

[nodes.copy]
type = "handler"
handler = "work:copy"

[nodes.ask]
type = "approval"
prompt = "Use {{ token | tojson }}?"
show = ["copied"]
editable = { token = "text" }
risk = "high"

[nodes.fail]
type = "handler"
handler = "work:fail"

[[edges]]
from = "copy"
to = "ask"
when = 'token != "no such" and copied != "no such"'

[[edges]]
from = "ask"
to = "fail"

[[edges]]
from = "fail"
to = "END"
"""
WORK = """
import json

def copy(state):
    token = state["token"]
    return {"copied": token, "sent": json.dumps({"auth": token}), "seen": {token: 1}}

def fail(state):
    raise ValueError({"sent": state["token"], "before": state["copied"]})
"""
FIRST, SECOND = "FIRST-secret", "SECOND-secret"


def test_no_command_tells_a_secret(cli: Cli) -> None:
    path = cli.graph(GRAPH, work=WORK)
    first = f'{FIRST} \n "quoted"'
    results = [
        cli("run", path, "--trust", "--run-id", "r-1", "--input", f"token={first}", "--input", "pin=4711")
    ]
    (review,) = (waiting["id"] for waiting in cli("approvals", "--json").json)
    decide = (
        "approvals",
        "decide",
        review,
        "--edit",
        "--set",
        f"token={SECOND}",
        "--comment",
        f"not {first}",
    )
    looking: list[tuple[str, ...]] = [("approvals", "show", review), ("runs", "show", "r-1")]
    looking += [("runs", "show", "r-1", "--step", str(step)) for step in (1, 2)]
    for words in (("approvals",), *looking[:3], decide, ("resume", "r-1"), *looking, ("retry", "r-1")):
        results.append(cli(*words))
        if words[:2] != ("approvals", "decide"):
            results.append(cli(*words, "--json"))
    assert all(result.code in (0, 1, 10) for result in results)
    for told in (text for result in results for text in (result.out, result.err)):
        assert FIRST not in told
        assert "quoted" not in told
        assert SECOND not in told


@pytest.mark.parametrize("word", ["pin=hunter2", "pin=[4711]"])
def test_a_secret_that_is_refused_is_not_repeated(cli: Cli, word: str) -> None:
    result = cli("run", cli.graph(GRAPH, work=WORK), "--input", "token=x", "--input", word)
    assert result.code == 1
    assert "--input pin: takes a number, not the" in result.err
    assert "hunter2" not in result.err
    assert "4711" not in result.err
