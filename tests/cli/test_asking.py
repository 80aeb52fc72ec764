"""Questions at a real terminal: each comes before anything is done, and only a yes does it."""

from __future__ import annotations

import pytest

from stepgraph import SqliteStore
from tests.app.terminals import at_a_terminal
from tests.cli.calling import COMMAND, Cli

QUESTIONS = {
    "delete": (["runs", "delete", "r-1"], "Delete run r-1? All steps and decisions go. [y/N]", 0),
    "prune": (
        ["runs", "prune", "--older-than", "0m"],
        "Delete run r-1? All steps and decisions go. [y/N]",
        0,
    ),
    "edit": (["edit", "r-1", "--set", "order.amount=90"], "Edit the state? [y/N]", 0),
    "decide": (["approvals", "decide", "REVIEW", "--approve"], "Approve it? [y/N]", 1),
}


@pytest.mark.parametrize("what", QUESTIONS)
def test_only_a_yes_at_the_terminal_does_it(cli: Cli, what: str) -> None:
    review = cli.paused()
    words, question, code_of_no = QUESTIONS[what]
    words = [*COMMAND, *(review if word == "REVIEW" else word for word in words)]
    for answer, code in (("n\n", code_of_no), ("\n", code_of_no), ("y\n", 0)):
        assert version(cli) == 2
        with at_a_terminal(*words, "--store", f"sqlite:///{cli.folder / 'runs.db'}") as terminal:
            terminal.until(question)
            terminal.type(answer)
            assert terminal.end() == code
    assert version(cli) != 2


def version(cli: Cli) -> int | None:
    with SqliteStore(cli.folder / "runs.db") as store:
        return store.versions().get("r-1")
