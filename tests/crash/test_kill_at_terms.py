"""kill -9 between any two commits of a review with terms: no vote is lost, no deadline applied twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stepgraph import END, ApprovalNode, Decision, Executor, ReviewTerms, RunStatus, SqliteStore, StateGraph
from stepgraph.reviews.inbox import Reviews
from stepgraph.stores.audit import audit_damages
from stepgraph.testing import FakeClock
from stepgraph.values.errors import UnknownRun
from tests.crash.children import Work, ask
from tests.crash.deadly import DeadlyStore, Moment

pytestmark = [pytest.mark.crash, pytest.mark.slow]

TERMS = ReviewTerms(60, "fail", ("ana", "ben"), None, 2, 30, ("chris",))


def driving(path: Path, at: int = 0, moment: Moment = "after") -> Work:
    """Vote once, let the review escalate and fail; ask anew, vote twice; tell the rows of the run."""
    graph = StateGraph("terms", start="pay", reviews=TERMS)
    graph.add_node("pay", ApprovalNode(prompt="Pay?"))
    graph.add_edge("pay", END)
    app = graph.compile()

    def work(tell: Callable[[str], None]) -> None:
        clock = FakeClock()
        with DeadlyStore(path, at, moment) as store:
            executor, reviews = Executor(app, store, clock=clock), Reviews(store, clock.time)
            try:
                run = executor.load("r-1")
            except UnknownRun:
                run = executor.start({}, "r-1")
            while (run := executor.load("r-1")).status is not RunStatus.ENDED:
                if run.status is RunStatus.READY:
                    executor.step(run)
                elif run.status is RunStatus.FAILED:
                    executor.retry("r-1")
                elif (review := run.pending) is not None:
                    first = len(store.rows("r-1", kinds=("review",))) == 1
                    if not review.votes:
                        reviews.decide(review.id, Decision.approve(by="ana"))
                    elif not first:
                        reviews.decide(review.id, Decision.approve(by="ben"))
                    else:
                        clock.advance(30)
                        reviews.expire()
            tell(" ".join(row.kind for row in store.rows("r-1")))

    return work


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_review_with_terms_survives_a_kill_at_each_commit(tmp_path: Path, moment: Moment) -> None:
    told = ask(driving(tmp_path / "whole.db"))
    kinds = told[0].split()
    first = ["start", "review", "vote", "escalation", "attempt"]
    assert kinds == [*first, "review", "vote", "decision", "step"]
    for at in range(1, len(kinds)):  # the start is not a commit of a run that there is
        path = tmp_path / f"{at}.db"
        assert ask(driving(path, at, moment)) == []
        assert ask(driving(path)) == told
        with SqliteStore(path) as store:
            assert audit_damages(store) == []
