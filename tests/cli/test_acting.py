"""Who acts on the command line: ``--as``, the settings, else ``user@host``."""

from __future__ import annotations

from stepgraph_tui.text.system import default_name
from tests.cli.calling import ASK, Cli


def started_by(cli: Cli, run_id: str) -> object:
    return cli("runs", "show", run_id, "--json").json["started_by"]


def test_a_run_is_started_by_who_is_named_else_by_the_person_at_the_terminal(cli: Cli) -> None:
    graph = cli.graph(ASK)
    assert cli("run", graph, "--run-id", "r-1", "--as", "ana").code == 10
    assert cli("run", graph, "--run-id", "r-2").code == 10
    assert (started_by(cli, "r-1"), started_by(cli, "r-2")) == ("ana", default_name())
    assert " by ana, " in cli("runs", "show", "r-1").out
    review = cli("approvals", "--json").json[0]
    assert review["started_by"] == "ana"
    assert ", started by ana" in cli("approvals", "show", review["id"]).out


def test_a_fork_is_made_by_who_is_named(cli: Cli) -> None:
    assert cli("run", cli.graph(ASK), "--run-id", "r-1", "--as", "ana").code == 10
    assert cli("fork", "r-1", "--run-id", "r-2", "--as", "bo").code == 0
    assert cli("fork", "r-1", "--run-id", "r-3").code == 0
    assert (started_by(cli, "r-2"), started_by(cli, "r-3")) == ("bo", default_name())
    assert "EDITED" not in cli("runs", "show", "r-2").out
