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
    assert (
        f"review {review} was {did}: nobody decided in time; run r-1 {stands}; continue with:" in result.err
    )
    assert f"stepgraph {command} r-1" in result.err
    assert "nothing waits for you" in result.err
    assert review not in cli("approvals").err


@pytest.mark.parametrize(("ahead", "differs"), [(3600.0, "1h ahead of"), (-2.0 * DAY, "2d behind")])
def test_a_clock_that_was_set_ends_no_review_and_is_told(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, ahead: float, differs: str
) -> None:
    monkeypatch.setattr("stepgraph.reviews.stored.boot_id", lambda: "one")
    review = paused(cli, 'deadline = "30m"', 'on_timeout = "reject"')
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() + ahead)
    told = f"this machine's clock is {differs} the one by which review {review} was asked; by the time that "
    listed = cli("approvals")
    assert review in listed.out
    assert f"note: {told}" in listed.err
    assert told in " ".join(cli("approvals", "show", review).out.split())
    assert of(cli, review)["status"] == "pending"
