"""``stepgraph runs`` as a tree, ``diff``, ``stop``, ``delete`` and ``prune``."""

from __future__ import annotations

import time

import pytest

from stepgraph import SqliteStore
from tests.cli.calling import Cli
from tests.stores.forging import forged


def ids(cli: Cli) -> list[str]:
    return sorted(run["id"] for run in cli("runs", "--json").json)


def ended(cli: Cli, *run_ids: str) -> None:
    path = cli.count()
    for run_id in run_ids:
        assert cli("run", path, "--run-id", run_id, "--trust").code == 0


def aged(cli: Cli, run_id: str, days: float) -> None:
    """Let a run have changed so long ago."""
    with forged(cli.folder / "runs.db") as db:
        at = time.time() - days * 86_400
        db.execute("UPDATE runs SET updated_at = ? WHERE id = ?", (at, run_id))


def test_deleting_asks_first_where_somebody_can_answer(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ended(cli, "r-1")
    refused = cli("runs", "delete", "r-1")
    assert refused.code == 2
    assert "--yes" in refused.err
    monkeypatch.setattr("stepgraph_tui.cli.upkeep.can_ask", lambda: True)
    asked: list[str] = []

    def answer(output: object, question: str) -> bool:
        asked.append(question)
        return len(asked) > 1

    monkeypatch.setattr("stepgraph_tui.cli.upkeep.says_yes", answer)
    kept = cli("runs", "delete", "r-1")
    assert (kept.code, ids(cli)) == (0, ["r-1"])
    assert "r-1: count, ended, at END, 3 steps" in kept.err
    assert "nothing was deleted" in kept.err
    assert cli("runs", "delete", "r-1").out == "r-1\n"
    assert asked == ["Delete run r-1? All steps and decisions go."] * 2
    assert ids(cli) == []


def test_a_run_that_somebody_drives_is_not_deleted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.paused("r-1")
    versions = SqliteStore.versions

    def earlier(store: SqliteStore) -> dict[str, int]:
        return {run_id: version - 1 for run_id, version in versions(store).items()}

    monkeypatch.setattr(SqliteStore, "versions", earlier)
    result = cli("runs", "delete", "r-1", "--yes")
    assert result.code == 3
    assert "advanced meanwhile" in result.err
    assert ids(cli) == ["r-1"]


def test_pruning_takes_no_run_that_moves_meanwhile(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ended(cli, "r-1")
    aged(cli, "r-1", 40)
    monkeypatch.setattr(SqliteStore, "delete_runs", lambda store, versions, audit: [])
    result = cli("runs", "prune", "--older-than", "30d", "--yes")
    assert result.out == ""
    assert "1 run advanced meanwhile, and stays" in result.err


def test_a_comparison_shows_no_secret(cli: Cli) -> None:
    cli.paused("r-1")
    path = cli.folder / "graph.toml"
    cli("run", path, "--run-id", "r-2", "--input", "token=other-secret", "--json")
    for words in ((), ("--json",)):
        out = cli("runs", "diff", "r-1", "r-2", *words).out
        assert "token" in out
        assert "***" in out
        assert "secret" not in out
