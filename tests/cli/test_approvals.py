"""``stepgraph approvals``."""

from __future__ import annotations

import pytest

from tests.cli.calling import Cli


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
