"""``stepgraph runs``."""

from __future__ import annotations

import pytest

from stepgraph_tui.cli.parser import parse
from tests.cli.calling import Cli


def test_looking_makes_no_store(cli: Cli) -> None:
    for words in (("runs",), ("approvals",), ("doctor",), ("resume", "r-1")):
        cli(*words)
    assert not (cli.folder / "runs.db").exists()
    assert "there is no store at" in cli("runs").err


@pytest.mark.parametrize("command", ["approvals", "breaks", "models", "runs", "settings", "tools"])
def test_list_may_be_written(command: str) -> None:
    rest = ["file.toml"] if command == "breaks" else []
    assert parse([command, "list", *rest]) == parse([command, *rest])
    assert parse(["--json", command, "list", *rest]).json


def test_a_word_that_is_no_verb_is_still_a_name(cli: Cli) -> None:
    assert parse(["tools", "call", "list"]).name == "list"
    assert cli("runs", "show", "list").code == 4


# acceptance 70
def test_show_has_the_traceback_of_the_users_code(cli: Cli) -> None:
    cli("run", cli.count("raise ValueError('no luck')"), "--run-id", "r-1", "--trust")
    out = cli("runs", "show", "r-1").out
    assert "FAILED    step 1, visit 1 of work" in out
    assert 'work.py", line 4, in work' in out
    assert "raise ValueError('no luck')" in out
    assert "nodes/handler.py" not in out
    assert "ValueError: no luck" in cli("runs", "show", "r-1", "--json").json["attempts"][0]["traceback"]
