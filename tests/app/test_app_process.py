"""The whole app as people start it: a process at a terminal, which leaves nothing wrong behind."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from stepgraph import SqliteStore
from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Decision
from stepgraph.stores.ledger import RunStatus
from stepgraph_tui.cli import main
from tests.app.bench import LARGE, REFUND, Bench
from tests.app.hearing import status_of
from tests.app.terminals import Terminal, at_a_terminal, without_escapes
from tests.cli.calling import COMMAND

ENTER, QUIT, BELL = "\r", "\x11", "\a"
LEAVES_ITS_SCREEN = "\x1b[?1049l"

HANGS = """
format = 1
name = "hangs"
start = "count"

[state.count]
type = "number"
default = 0

[nodes.count]
type = "handler"
handler = "work:count"

[nodes.hang]
type = "handler"
handler = "work:hang"

[[edges]]
from = "count"
to = "hang"

[[edges]]
from = "hang"
to = "END"
"""
WORK = """
import threading

def count(state):
    return {"count": state["count"] + 1}

def hang(state):
    threading.Event().wait()
"""


def app(bench: Bench, *words: object) -> AbstractContextManager[Terminal]:
    """The app at a terminal."""
    return at_a_terminal(*COMMAND, *words, "--store", bench.url, size=LARGE)


def to_the_review(terminal: Terminal) -> None:
    """From the home screen into the review that waits, until keys count there."""
    terminal.until("Enter opens")
    terminal.type(ENTER)
    terminal.until("y Approve")


@pytest.mark.parametrize(
    ("words", "keys", "shown"),
    [((), f"j{ENTER}", "late-parcel   DEBUG"), ((REFUND,), "m", "refund-triage   DESIGN")],
    ids=["home", "graph"],
)
def test_what_is_typed_before_the_app_is_up_is_not_lost(
    bench: Bench, words: tuple[Path, ...], keys: str, shown: str
) -> None:
    with app(bench, *words) as terminal:
        terminal.type(keys)  # while Python starts: the terminal turns this Enter into a ctrl+j
        terminal.until(shown)
        terminal.type(QUIT)
        assert terminal.end() == 0


def last_words(terminal: Terminal) -> str:
    """What stands on the shell's screen once the app is gone."""
    return without_escapes(terminal.screen.rpartition(LEAVES_ITS_SCREEN)[2]).replace("\r\n", "\n")


def test_a_run_is_started_stepped_and_left_at_its_review(bench: Bench) -> None:
    with app(bench, REFUND) as terminal:
        terminal.until("NO RUN")
        terminal.type("c")
        terminal.until("Enter Start")
        terminal.type(ENTER)
        terminal.until("NEXT classify")
        terminal.type("s")
        terminal.until("NEXT lookup")
        (run,) = bench.store.runs()
        assert status_of(bench.store, run.head.id) == (RunStatus.READY, 1, "lookup")
        terminal.type("c")
        terminal.until("y Approve")
        terminal.type(ENTER)
        terminal.until(BELL)
        terminal.type(QUIT)
        assert terminal.end() == 0
    assert status_of(bench.store, run.head.id) == (RunStatus.PAUSED, 4, "review")
    (review,) = Reviews(bench.store).pending()
    show = f"stepgraph approvals show {review.id} --store {bench.url}"
    assert last_words(terminal) == f"1 approval pending:\n  {run.head.id} review: {show}\n"
    assert main(show.split()[1:]) == 0
    assert terminal.modes_after == terminal.modes_before


def test_a_node_that_never_ends_is_left_and_the_run_stays_ready_at_it(bench: Bench) -> None:
    path = bench.trusted(HANGS, work=WORK)
    with app(bench, path) as terminal:
        terminal.until("NO RUN")
        terminal.type("c")
        terminal.until("Enter Start")
        terminal.type(ENTER)
        terminal.until("NEXT count")
        terminal.type("c")
        terminal.until("RUNS hang")
        terminal.type(QUIT)
        terminal.until("hang is still running. Its step")
        terminal.until("y Leave")  # the keys are painted last
        terminal.type(ENTER)
        terminal.until("RUNS hang")
        terminal.until("X Stop")  # and anew when the question is gone; how long it runs is told above it, too
        terminal.type(QUIT)
        terminal.until("y Leave")
        terminal.type("y")
        assert terminal.end() == 0
    (run,) = bench.store.runs()
    assert status_of(bench.store, run.head.id) == (RunStatus.READY, 1, "hang")
    left = f"left at once: the step of node hang is not recorded, and run {run.head.id} is ready there\n"
    assert last_words(terminal) == left
    assert terminal.modes_after == terminal.modes_before
    again = bench.load(run.head.id)
    assert [record.node for record in again.history] == ["count"]
    assert again.values["count"] == 1


def test_a_review_outlives_an_app_that_is_killed_over_it(bench: Bench) -> None:
    run = bench.run(REFUND, steps=5)
    with app(bench) as terminal:
        to_the_review(terminal)
        terminal.kill()
    with SqliteStore(bench.folder / "runs.db") as store:
        assert store._db.pragma("integrity_check") == "ok"
        (review,) = Reviews(store).pending()
    assert bench.load(run.id).status is RunStatus.PAUSED
    Reviews(bench.store).decide(review.id, Decision.approve(by="ana"), expect_hash=review.hash)
    executor = bench.executor(REFUND)
    assert executor.run(executor.load(run.id)).status is RunStatus.ENDED


def test_a_comment_that_was_not_sent_is_not_lost_without_a_question(bench: Bench) -> None:
    run = bench.run(REFUND, steps=5)
    with app(bench) as terminal:
        to_the_review(terminal)
        terminal.type("c")
        terminal.until("Enter Done")
        terminal.type("too much")
        terminal.until("too much")
        terminal.type(QUIT)
        terminal.until("What you wrote for a review")
        terminal.type(ENTER)
        terminal.until("too much")
        terminal.type(QUIT)
        terminal.until("y Leave")
        terminal.type("y")
        assert terminal.end() == 0
    assert bench.load(run.id).status is RunStatus.PAUSED
    assert "1 approval pending:" in last_words(terminal)
