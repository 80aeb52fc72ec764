"""``stepgraph approvals``."""

from __future__ import annotations

import pytest

from tests.cli.calling import Cli
from tests.stores.forging import forged


def test_a_user_without_a_name_decides_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("uid not found")

    monkeypatch.setattr("getpass.getuser", nobody)
    assert cli("approvals", "decide", cli.paused(), "--reject").code == 0


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


def test_a_review_that_cannot_be_read_keeps_no_other_decided_run_from_continuing(cli: Cli) -> None:
    reviews = [cli.paused(run_id=run_id) for run_id in ("r-1", "r-2")]
    for review in reviews:
        assert cli("approvals", "decide", review, "--approve").code == 0
    with forged(cli.folder / "runs.db") as db:
        db.execute(
            "UPDATE ledger SET data = replace(data, 'Pay 240', 'Pay 241') WHERE review = ?", (reviews[0],)
        )
    result = cli("resume", "--decided")
    assert result.code == 1
    assert "run r-1, 1 of 2:" in result.err
    assert "cannot be read" in result.err
    assert cli("runs", "show", "r-2").out.startswith("run      r-2, ended at END")
