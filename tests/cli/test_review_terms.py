"""Deadlines, votes and approvers in the shell."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from stepgraph import Executor, SqliteStore
from stepgraph.files import read_graph
from stepgraph.testing import FakeClock
from tests.cli.calling import Cli

PAY = """
format = 1
name = "pay"
start = "pay"

[reviews]
TERMS

[nodes.pay]
type = "approval"
prompt = "Pay?"

[[edges]]
from = "pay"
to = "END"
"""
DAY = 86_400


def paused(cli: Cli, *terms: str, ago: float | None = None) -> str:
    """A run that waits, perhaps since long ago; the id of its review."""
    path = cli.graph(PAY.replace("TERMS", "\n".join(terms)))
    if ago is None:
        assert cli("run", path, "--run-id", "r-1", "--as", "zoe").code == 10
    else:
        with SqliteStore(cli.folder / "runs.db") as store:
            clock = FakeClock(ago)
            executor = Executor(read_graph(Path(path)).compile(), store, clock=clock)
            review = executor.run(executor.start({}, "r-1")).pending
            assert review is not None
            return review.id
    (review_,) = cli("approvals", "--json").json
    return str(review_["id"])


def of(cli: Cli, review: str) -> dict[str, Any]:
    found: dict[str, Any] = cli("approvals", "show", review, "--json").json
    return found


def test_a_pause_tells_its_terms_and_so_does_each_look(cli: Cli) -> None:
    review = paused(
        cli,
        'deadline = "2d"',
        'on_timeout = "reject"',
        'approvers = ["ana", "ben"]',
        "approvals = 2",
        'escalate_after = "1d"',
        'escalate_to = ["chris"]',
        "allow_self = false",
    )
    for told in (
        cli("approvals", "show", review).out,
        cli("runs", "show", "r-1").out,
        cli("resume", "r-1").err,
    ):
        words = " ".join(told.split())
        assert "then it is rejected" in words
        assert "ana or ben; 2 of them must approve" in words
        assert "from then on chris may decide as well" in words
    found = of(cli, review)
    assert found["deadline"] == pytest.approx(found["asked_at"] + 2 * DAY, abs=60)
    assert found["terms"]["on_timeout"] == "reject"
    assert (found["votes"], found["approvals_missing"]) == ([], 2)


def test_votes_are_told_and_counted(cli: Cli) -> None:
    review = paused(cli, "approvals = 2", 'approvers = ["ana", "ben", "chris"]')
    assert "(once another person approves)" in cli("approvals", "show", review).out
    first = cli("approvals", "decide", review, "--approve", "--as", "ana", "--json")
    assert first.code == 0
    assert first.json["status"] == "pending"
    assert [vote["by"] for vote in first.json["votes"]] == ["ana"]
    assert "it still waits for one more of ben or chris" in first.err
    assert cli("resume", "r-1").code == 10
    again = cli("approvals", "decide", review, "--approve", "--as", "ana")
    assert again.code == 1
    assert "you approved review" in again.err
    assert "one more of ben or chris" in again.err
    page = cli("approvals", "show", review).out
    assert "ana approved; one more of ben or chris" in page
    assert "once another person" not in page
    assert cli("approvals", "decide", review, "--approve", "--as", "ben").code == 0
    assert cli("resume", "r-1").code == 0
    assert "votes" in cli("approvals", "show", review).out
    assert "ana approved, then approve by ben (cli)" in cli("runs", "show", "r-1").out


@pytest.mark.parametrize("who", ["eve", "zoe"])
def test_who_may_not_decide_hears_who_may_before_they_are_asked(cli: Cli, who: str) -> None:
    review = paused(cli, "allow_self = false", 'approvers = ["ana", "zoe"]')
    for verb in ("--approve", "--reject"):
        result = cli("approvals", "decide", review, verb, "--as", who)
        assert result.code == 1
        assert f"{who} may not decide review {review}" in result.err
        assert "ana may decide it" in result.err
        assert "action:" not in result.err


@pytest.mark.parametrize(
    ("rule", "code", "told"),
    [
        ("reject", 0, "rejected by its deadline"),
        ("fail", 1, "failed by its deadline"),
        ("approve_unsafe", 0, "APPROVED UNSEEN by its deadline (approve_unsafe)"),
    ],
)
def test_what_is_overdue_is_applied_by_whoever_looks_and_named_wherever_it_is_shown(
    cli: Cli, rule: str, code: int, told: str
) -> None:
    review = paused(cli, 'deadline = "4h"', f'on_timeout = "{rule}"', ago=1_700_000_000)
    late = cli("approvals", "decide", review, "--approve", "--as", "ana")
    assert late.code == 3
    assert told in late.err
    assert cli("approvals", "--json").json == []
    assert told in cli("approvals", "show", review).out
    assert told in cli("runs", "show", "r-1").out
    assert of(cli, review)["status"] == "expired"
    assert cli("resume", "r-1").code == code
    log = cli("approvals", "log", "--json").json
    assert [each["entry"]["what"] for each in log] == ["timeout"]
    assert ("APPROVED UNSEEN" in cli("approvals", "log").out) is (rule == "approve_unsafe")
    assert cli("doctor").code == 0


def test_a_run_that_failed_by_its_deadline_asks_anew_when_it_is_retried(cli: Cli) -> None:
    review = paused(cli, 'deadline = "4h"', 'on_timeout = "fail"', ago=1_700_000_000)
    assert "waited for review" in cli("resume", "r-1").err
    assert cli("retry", "r-1").code == 10
    (again,) = cli("approvals", "--json").json
    assert again["id"] != review
    assert again["deadline"] == pytest.approx(again["asked_at"] + 4 * 3600, abs=60)


@pytest.mark.parametrize("command", ["resume", "step"])
def test_driving_a_run_applies_what_is_overdue(cli: Cli, command: str) -> None:
    paused(cli, 'deadline = "4h"', 'on_timeout = "reject"', ago=1_700_000_000)
    assert cli(command, "r-1").code == 0
    assert cli("runs", "show", "r-1", "--json").json["status"] == "ended"


def test_an_escalation_is_recorded_when_somebody_looks(cli: Cli) -> None:
    terms = ('approvers = ["ana"]', 'escalate_after = "1h"', 'escalate_to = ["chris"]')
    review = paused(cli, *terms, ago=1_700_000_000)
    assert "chris may decide as well" in cli("approvals", "show", review).out
    assert of(cli, review)["escalated"] is True
    assert [each["entry"]["what"] for each in cli("approvals", "log", "--json").json] == ["escalation"]
    assert cli("approvals", "decide", review, "--approve", "--as", "chris").code == 0


def test_the_differences_of_two_files_name_each_term(cli: Cli) -> None:
    one = cli.graph(PAY.replace("TERMS", 'deadline = "4h"\non_timeout = "reject"'), "one.toml")
    text = PAY.replace("TERMS", 'deadline = "5h"\non_timeout = "reject"\napprovers = ["ana"]')
    other = cli.graph(text.replace('prompt = "Pay?"', 'prompt = "Pay?"\napprovals = 1'), "other.toml")
    told = cli("diff", one, other).out
    assert 'reviews: deadline "4h" became "5h"' in told
    assert 'reviews: approvers ["ana"] was added' in told
    assert "node 'pay': approvals 1 was added" in told


@pytest.mark.parametrize("name", ["", " ", "...", "\u200b", "\u3164"])
def test_nobody_starts_or_decides_under_a_name_that_names_nobody(cli: Cli, name: str) -> None:
    review = paused(cli, "allow_self = false")
    for command in (
        ["run", cli.graph(PAY.replace("TERMS", ""))],
        ["approvals", "decide", review, "--approve"],
    ):
        refused = cli(*command, "--as", name)
        assert (refused.code, "is no name: give one, or leave --as out" in refused.err) == (2, True)
    assert cli("approvals", "decide", review, "--approve", "--as", "Zoe.").code != 0


@pytest.mark.parametrize(
    ("rule", "did", "stands", "command"),
    [
        ("reject", "rejected by its deadline", "is ready", "resume"),
        ("fail", "failed by its deadline", "has failed", "retry"),
    ],
)
def test_the_list_tells_what_a_deadline_has_just_done_and_how_the_run_goes_on(
    cli: Cli, rule: str, did: str, stands: str, command: str
) -> None:
    review = paused(cli, 'deadline = "1d"', f'on_timeout = "{rule}"', ago=1_700_000_000.0)
    result = cli("approvals")
    assert f"review {review} was {did}: nobody decided in time; run r-1 {stands}; go on with:" in result.err
    assert f"stepgraph {command} r-1" in result.err
    assert "nothing waits for you" in result.err
    assert review not in cli("approvals").err


@pytest.mark.parametrize(("ahead", "differs"), [(3600.0, "1h 0m ahead of"), (-2.0 * DAY, "2d 0h behind")])
def test_a_clock_that_was_set_ends_no_review_and_is_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, ahead: float, differs: str
) -> None:
    monkeypatch.setattr("stepgraph.reviews.clock.boot_id", lambda: "one")
    review = paused(cli, 'deadline = "30m"', 'on_timeout = "reject"')
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() + ahead)
    told = f"this machine's clock is {differs} the one by which review {review} was asked; by the time that "
    listed = cli("approvals")
    assert review in listed.out
    assert f"note: {told}" in listed.err
    assert told in " ".join(cli("approvals", "show", review).out.split())
    assert of(cli, review)["status"] == "pending"
