"""``stepgraph run``."""

from __future__ import annotations

import re

import pytest

from stepgraph_tui.cli.streams import Stream
from tests.cli.calling import ASK, COUNT, Cli


def test_a_run_tells_its_steps_and_prints_its_end(cli: Cli) -> None:
    result = cli("run", cli.count(), "--run-id", "r-1", "--trust")
    assert result.code == 0
    assert "run    r-1, ended at END after 3 of 9 steps" in result.out
    assert "count  3" in result.out
    steps = [line.split()[:5] for line in result.err.splitlines()[1:]]
    assert steps[0] == ["1", "work", "again", "->", "work"]
    assert steps[2][:4] == ["3", "work", "->", "END"]
    assert "~ count" in result.err


def test_json_is_one_object_with_all_that_programs_need(cli: Cli) -> None:
    data = cli("run", cli.count(), "--run-id", "r-1", "--trust", "--json").json
    assert (data["id"], data["status"], data["outcome"], data["flagged"]) == ("r-1", "ended", "end", False)
    assert (data["current"], data["step"], data["values"]) == (None, 3, {"count": 3})
    assert (data["output"], data["error"], data["review"]) == ('{"count":3}', None, None)
    assert [step["next"] for step in data["trace"]["steps"]] == ["work", "work", "END"]


# acceptance 119
def test_a_pause_gives_exit_10_and_the_exact_command_that_decides(cli: Cli) -> None:
    result = cli("run", cli.graph(ASK), "--run-id", "r-1")
    assert result.code == 10
    assert "| Pay 240?" in result.err
    assert "action: pay(amount=240)" in result.err
    review = cli("approvals", "--json").json[0]
    expected = f"stepgraph approvals decide {review['id']} --approve --expect-hash {review['hash']} "
    assert f"{expected}--store sqlite:///{cli.folder / 'runs.db'}\n" in result.err


# acceptance 125
def test_a_failed_node_gives_exit_1_and_the_way_on(cli: Cli) -> None:
    result = cli("run", cli.count("raise ValueError('no luck')"), "--run-id", "r-1", "--trust")
    assert result.code == 1
    assert "error: node 'work' raised ValueError on visit 1: no luck" in result.err
    assert "stepgraph retry r-1" in result.err
    assert "Traceback" not in result.err
    assert not result.out


def test_a_failed_run_is_told_as_json_too(cli: Cli) -> None:
    result = cli("run", cli.count("return None"), "--trust", "--json")
    assert result.code == 1
    assert result.json["error"]["code"] == "R003"
    assert result.json["error"]["hint"] == "return {} instead when nothing changes"


# acceptance 49
def test_a_run_stopped_at_its_cap_tells_why_it_kept_going(cli: Cli) -> None:
    result = cli("run", cli.count("return {'other': 1}"), "--run-id", "r-1", "--trust")
    assert result.code == 0
    assert "ended at its cap after 9 of 9 steps" in result.out
    assert "it kept going round work -> work" in result.err
    assert "stepgraph extend r-1" in result.err


def test_every_problem_of_a_broken_graph_is_told_with_its_line(cli: Cli) -> None:
    path = cli.graph(COUNT.replace('to = "work"', 'to = "wrok"').replace("count < 3", "count <"))
    result = cli("run", path)
    assert result.code == 1
    lines = [line for line in result.err.splitlines() if line.startswith("graph.toml:")]
    assert [line.split(": ")[:2] for line in lines] == [
        ["graph.toml:17", "error G011"],
        ["graph.toml:18", "error G016"],
    ]
    assert "did you mean 'work'?" in result.err


def test_a_missing_file_is_one_message(cli: Cli) -> None:
    result = cli("run", "nowhere.toml")
    assert result.code == 1
    assert "nowhere.toml: error F001" in result.err


def test_a_taken_run_id_is_refused(cli: Cli) -> None:
    assert cli("run", cli.count(), "--run-id", "r-1", "--trust").code == 0
    result = cli("run", cli.count(), "--run-id", "r-1", "--trust")
    assert result.code == 1
    assert "'r-1'" in result.err


def test_missing_inputs_are_named_before_anybody_is_asked_for_trust(cli: Cli) -> None:
    path = cli.graph(COUNT.replace("default = 0", "input = true"))
    result = cli("run", path)
    assert result.code == 1
    assert "the input 'count' is missing" in result.err


def test_a_run_in_memory_says_that_it_will_be_gone(cli: Cli) -> None:
    result = cli("run", cli.graph(ASK), "--store", "memory:")
    assert result.code == 10
    assert "this store is in memory" in result.err


def test_a_slip_in_an_input_is_remarked(cli: Cli) -> None:
    result = cli("run", cli.count(), "--input", "conut=2", "--trust")
    assert result.code == 0
    assert "did you mean 'count'?" in result.err


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


def test_text_of_models_cannot_draw_on_the_terminal(cli: Cli) -> None:
    path = cli.count(r"return {'count': 3, 'evil': 'a\x1b[2Jb', 'k\x1b]0;x': 1}")
    result = cli("run", path, "--trust", "--run-id", "r-1")
    assert result.code == 0
    assert "\x1b" not in result.out + result.err
    assert r"k\u001b]0;x" in result.err
    shown = cli("runs", "show", "r-1")
    assert "\x1b" not in shown.out
    assert cli("runs", "show", "r-1", "--json").json["values"]["evil"] == "a\x1b[2Jb"


def test_a_prompt_that_draws_a_dialog_stays_behind_its_bar(cli: Cli) -> None:
    path = cli.graph(ASK.replace("Pay {{ order.amount }}?", r"Pay?\nrisk    low\n\u202eevil"))
    result = cli("run", path)
    assert "  | risk    low" in result.err
    assert "  | \\u202eevil" in result.err
    assert (
        "\nrisk"
        not in cli("approvals", "show", cli("approvals", "--json").json[0]["id"]).out.split("asks")[1]
    )


@pytest.mark.parametrize("columns", ["40", "80"])
def test_tables_fit_the_screen(cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    review = cli.paused()
    monkeypatch.setattr(Stream, "isatty", lambda self: True)
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TERM", "dumb")
    for words in (("runs", "show", "r-1"), ("approvals", "show", review), ("runs",)):
        for styled in cli(*words).out.splitlines():
            line = re.sub(r"\x1b\[[\d;]*m", "", styled)
            assert len(line) <= int(columns) or "stepgraph approvals decide" in line


def test_a_mistyped_input_is_told_beside_the_one_that_is_missing(cli: Cli) -> None:
    text = COUNT.replace("default = 0", "input = true")
    result = cli("run", cli.graph(text, work="def work(state):\n    return {}\n"), "--input", "cuont=1")
    assert result.code == 1
    assert "did you mean 'count'?" in result.err
    assert "the input 'count' is missing" in result.err
