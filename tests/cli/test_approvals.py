"""``stepgraph approvals``."""

from __future__ import annotations

import io
import re

import pytest

from stepgraph_tui.text.system import default_name
from tests.cli.calling import ASK, Cli


def test_an_empty_inbox_says_so(cli: Cli) -> None:
    assert cli("approvals", "--json").json == []
    assert "nothing waits for you" in cli("approvals").err


def test_the_riskiest_come_first_then_the_oldest(cli: Cli) -> None:
    for run_id, risk in (("r-low", "low"), ("r-high", "high"), ("r-none", "unknown"), ("r-high-2", "high")):
        text = ASK.replace('risk = "high"', f'risk = "{risk}"' if risk != "unknown" else "")
        assert cli("run", cli.graph(text), "--run-id", run_id).code == 10
    waiting = cli("approvals", "--json").json
    assert [review["run"] for review in waiting] == ["r-high", "r-high-2", "r-none", "r-low"]
    assert [line.split()[1] for line in cli("approvals").out.splitlines()] == [
        "RISK",
        "high",  # both: they ask the same
        "unknown",
        "low",
    ]


def test_show_tells_all_that_a_reviewer_should_know(cli: Cli) -> None:
    review = cli.paused()
    out = cli("approvals", "show", review).out
    for words in (
        "step 1 of 50, visit 1",
        "high: the node says so; approving leads to side effects: pay",
        "| Pay 240?",
        "pay(amount=240)",
        'order.id = "8812"',
        "order.amount = 240   (editable: number)",
        'token = "***"',
        "nothing since the start",
        "approve -> pay ! -> END   (edge 1: approved)",
        "edit    -> pay ! -> END   (edge 1: approved), unless order.amount changes that",
        "reject  -> refuse -> END   (edge 2: always)",
        f"approvals decide {review} --respond TEXT --expect-hash ",
    ):
        assert words in " ".join(re.sub(r"\n {10,}", " ", out).split("\n")), words


def test_show_as_json_has_the_consequences(cli: Cli) -> None:
    data = cli("approvals", "show", cli.paused(), "--json").json
    leads = {lead["verb"]: lead for lead in data["consequences"]}
    assert leads["approve"]["path"][0] == {"node": "pay", "side_effects": True, "asks": False}
    assert leads["reject"]["edge"] == 2
    assert data["changed"] == {"since": "the start", "differences": []}


def test_the_decision_is_recorded_with_who_and_why_and_the_run_goes_on(cli: Cli) -> None:
    review = cli.paused()
    result = cli("approvals", "decide", review, "--approve", "--as", "ana", "--comment", "fine", "--json")
    assert result.code == 0
    decision = result.json["decision"]
    assert (decision["verb"], decision["by"], decision["comment"]) == ("approve", "ana", "fine")
    assert decision["source"] == "cli"
    assert "stepgraph resume r-1" in result.err
    done = cli("resume", "r-1", "--json")
    assert done.json["outcome"] == "end"
    assert [step["node"] for step in done.json["trace"]["steps"]] == ["ask", "pay"]
    assert "approve by ana (cli)" in cli("approvals", "show", review).out


def test_without_as_the_person_at_the_terminal_decides(cli: Cli) -> None:
    review = cli.paused()
    assert cli("approvals", "decide", review, "--reject", "--json").json["decision"]["by"] == default_name()


def test_a_user_without_a_name_decides_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert cli("approvals", "decide", cli.paused(), "--reject").code == 0


@pytest.mark.parametrize("verb", ["--approve", "--edit"])
def test_values_make_an_approval_an_edit(cli: Cli, verb: str) -> None:
    review = cli.paused()
    result = cli("approvals", "decide", review, verb, "--set", "order.amount=99", "--json")
    assert result.json["decision"]["values"] == {"order.amount": 99}
    assert result.json["decision"]["verb"] == "edit"
    assert cli("resume", "r-1", "--json").json["values"]["order"]["amount"] == 99


def test_what_an_edit_changes_is_said_when_it_is_recorded(cli: Cli) -> None:
    review = cli.paused()
    result = cli("approvals", "decide", review, "--edit", "--set", "order.amount=99", "--as", "ana")
    assert f"recorded: edit of review {review} by ana, order.amount = 99; go on with:" in result.err


def test_an_edit_tells_what_was_asked_and_what_will_be_done(cli: Cli) -> None:
    review = cli.paused()
    result = cli("approvals", "decide", review, "--edit", "--set", "order.amount=99", "--json")
    asked, edited = (line for line in result.err.splitlines() if line.startswith(("asked:", "edited:")))
    assert "240" in asked
    assert edited == asked.replace("asked: ", "edited:").replace("240", "99")
    assert result.json["edited_action"] in edited
    assert "edited_action" not in cli("approvals", "show", review, "--json").json


def test_who_approves_without_a_hash_is_shown_all_of_the_question_and_the_action(cli: Cli) -> None:
    hidden = "x" + "\u3164" * 40 + " " * 3000 + "then wire(to=mallory)"
    cli("run", cli.graph(ASK.replace("pay(amount={{ order.amount }})", hidden)), "--run-id", "r-1")
    (review,) = cli("approvals", "--json").json
    told = cli("approvals", "decide", review["id"], "--approve").err
    assert "asks:    Pay 240?\n" in told
    assert "action:  x" + "\\u3164" * 40 + " " * 3000 + "then wire(to=mallory)\n" in told


def test_at_a_terminal_an_approval_without_a_hash_is_asked_once_more(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    review = cli.paused()
    monkeypatch.setattr("stepgraph_tui.cli.approvals.can_ask", lambda: True)
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    refused = cli("approvals", "decide", review, "--approve")
    assert refused.code == 1
    assert "pay(amount=240)\nApprove it? [y/N]" in refused.err
    assert "nothing was decided" in refused.err
    shown = cli("approvals", "show", review, "--json").json
    assert shown["status"] == "pending"
    looked = cli("approvals", "decide", review, "--approve", "--expect-hash", shown["hash"])
    assert looked.code == 0
    assert "[y/N]" not in looked.err


def test_the_commands_that_decide_name_nobody(cli: Cli) -> None:
    page = cli("approvals", "show", cli.paused()).out
    assert page.count("--expect-hash") == 4
    assert "--as" not in page


# acceptance 123
def test_a_second_decision_gives_exit_3_and_names_the_winner(cli: Cli) -> None:
    review = cli.paused()
    assert cli("approvals", "decide", review, "--approve", "--as", "ana", "--comment", "fine").code == 0
    result = cli("approvals", "decide", review, "--reject", "--as", "ben")
    assert result.code == 3
    assert "approve by ana (cli)" in result.err


def test_an_unknown_review_gives_exit_4(cli: Cli) -> None:
    for words in (("show", "a-none"), ("decide", "a-none", "--approve")):
        assert cli("approvals", *words).code == 4


def test_another_hash_gives_exit_5(cli: Cli) -> None:
    review = cli.paused()
    result = cli("approvals", "decide", review, "--approve", "--expect-hash", "0123456789abcdef")
    assert result.code == 5
    assert cli("approvals", "--json").json[0]["id"] == review


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--approve", "--set", "order.id=1"), "'order.id' is not editable"),
        (("--approve", "--set", "order.amont=1"), "did you mean 'order.amount'?"),
        (("--edit", "--set", "order.amount=much"), "--set order.amount: takes a number"),
        (("--reject", "--set", "order.amount=1"), "--set does not go with --reject"),
        (("--edit",), "changes nothing"),
    ],
)
def test_what_was_not_offered_is_refused_and_nothing_is_recorded(
    cli: Cli, words: tuple[str, ...], said: str
) -> None:
    review = cli.paused()
    result = cli("approvals", "decide", review, *words)
    assert result.code == 1
    assert said in result.err
    assert cli("approvals", "--json").json[0]["id"] == review


def test_a_verb_that_the_node_does_not_allow_is_refused(cli: Cli) -> None:
    text = ASK.replace('allow = ["approve", "edit", "reject", "respond"]\n', "")
    assert cli("run", cli.graph(text)).code == 10
    review = cli("approvals", "--json").json[0]["id"]
    result = cli("approvals", "decide", review, "--respond", "hm")
    assert result.code == 1
    assert "it offers: approve, edit, reject" in result.err


def test_several_waiting_reviews_are_counted(cli: Cli) -> None:
    first = cli.paused("r-1")
    cli.paused("r-2")
    assert "1 more wait" in cli("approvals", "show", first).out
