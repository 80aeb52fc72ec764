"""``stepgraph run``."""

from __future__ import annotations

import pytest

from stepgraph_tui.cli.streams import Stream
from stepgraph_tui.remembered import Remembered
from tests.cli.calling import ASK, COUNT, Cli


# acceptance 119
def test_a_pause_gives_exit_10_and_the_exact_command_that_decides(cli: Cli) -> None:
    result = cli("run", cli.graph(ASK), "--run-id", "r-1")
    assert result.code == 10
    assert "| Pay 240?" in result.err
    assert "action: pay(amount=240)" in result.err
    review = cli("approvals", "--json").json[0]
    expected = f"stepgraph approvals decide {review['id']} --approve --expect-hash {review['hash']} "
    assert f"{expected}--store sqlite:///{cli.folder / 'runs.db'}\n" in result.err


def test_what_a_person_runs_is_among_the_recent_graphs(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cli.graph(ASK)
    cli("run", path)
    assert Remembered.load().recent == []  # a script has run it
    monkeypatch.setattr(Stream, "isatty", lambda stream: True)
    cli("run", path)
    assert Remembered.load().recent == [path]


# acceptance 125
def test_a_failed_node_gives_exit_1_and_the_way_on(cli: Cli) -> None:
    result = cli("run", cli.count("raise ValueError('no luck')"), "--run-id", "r-1", "--trust")
    assert result.code == 1
    assert "error: node 'work' raised ValueError on visit 1: no luck" in result.err
    assert "stepgraph retry r-1" in result.err
    assert "Traceback" not in result.err
    assert not result.out


# acceptance 49
def test_a_run_stopped_at_its_cap_tells_why_it_kept_going(cli: Cli) -> None:
    result = cli("run", cli.count("return {'other': 1}"), "--run-id", "r-1", "--trust")
    assert result.code == 0
    assert "ended at its step limit after 9 of 9 steps" in result.out
    assert "it kept going round work -> work" in result.err
    assert "stepgraph extend r-1" in result.err


def test_missing_inputs_are_named_before_anybody_is_asked_for_trust(cli: Cli) -> None:
    path = cli.graph(COUNT.replace("default = 0", "input = true"))
    result = cli("run", path)
    assert result.code == 1
    assert "the input 'count' is missing" in result.err


def test_secrets_are_masked_wherever_they_would_be_printed(cli: Cli) -> None:
    text = ASK.replace('prompt = "Pay {{ order.amount }}?"', 'prompt = "Pay with {{ token }}?"')
    path = cli.graph(text)
    shown = [cli("run", path, "--run-id", "r-1"), cli("run", path, "--run-id", "r-2", "--json")]
    review = cli("approvals", "--json").json[0]["id"]
    assert "hunter2" not in cli("approvals").out
    shown += [cli("approvals", "show", review), cli("approvals", "show", review, "--json")]
    shown += [cli("runs", "show", "r-1"), cli("runs", "show", "r-1", "--json")]
    shown += [cli("runs", "show", "r-1", "--step", 0)]
    for result in shown:
        assert "hunter2" not in result.out + result.err
        assert "***" in result.out + result.err
