"""``stepgraph runs`` as a tree, ``diff``, ``stop``, ``delete`` and ``prune``."""

from __future__ import annotations

import time

import pytest

from stepgraph import SqliteStore
from stepgraph.stores.ledger import RunStatus
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


def test_forks_are_listed_below_what_they_come_from(cli: Cli) -> None:
    ended(cli, "r-1", "r-2")
    cli("fork", "r-1", "--at", 1, "--run-id", "r-3")
    cli("fork", "r-3", "--at", 1, "--run-id", "r-4")
    lines = cli("runs", "--tree").out.splitlines()
    assert [line.split("  count")[0].rstrip() for line in lines[1:]] == [
        "▾ r-1",
        "└▾ r-3",
        "  └─ r-4",
        "  r-2",
    ]
    data = cli("runs", "--tree", "--json").json
    assert [(run["id"], run["depth"], run["origin"]) for run in data] == [
        ("r-1", 0, None),
        ("r-3", 1, "r-1@1"),
        ("r-4", 2, "r-3@1"),
        ("r-2", 0, None),
    ]
    assert "depth" not in cli("runs", "--json").json[0]


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


def test_runs_are_deleted_unasked_with_yes(cli: Cli) -> None:
    ended(cli, "r-1", "r-2", "r-3")
    assert cli("runs", "delete", "r-1", "r-3", "--yes", "--json").json == {"deleted": ["r-1", "r-3"]}
    assert ids(cli) == ["r-2"]
    assert cli("runs", "show", "r-1").code == 4


def test_a_run_that_is_not_there_deletes_nothing(cli: Cli) -> None:
    ended(cli, "r-1")
    result = cli("runs", "delete", "r-1", "r-one", "--yes")
    assert result.code == 4
    assert "'r-one'" in result.err
    assert ids(cli) == ["r-1"]
    assert not (cli.folder / "other.db").exists()
    assert cli("runs", "delete", "r-1", "--yes", "--store", cli.folder / "other.db").code == 4
    assert not (cli.folder / "other.db").exists()


def test_the_forks_of_a_deleted_run_go_on(cli: Cli) -> None:
    ended(cli, "r-1")
    cli("fork", "r-1", "--at", 1, "--run-id", "r-2")
    result = cli("runs", "delete", "r-1", "--yes")
    assert "r-2: forked from what was deleted, and still whole" in result.err
    assert cli("resume", "r-2", "--trust").code == 0
    assert cli("runs", "show", "r-2", "--json").json["values"] == {"count": 3}
    assert "from r-1@1" in cli("runs", "show", "r-2").out


def test_a_run_that_somebody_drives_is_not_deleted(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.paused("r-1")
    versions = SqliteStore.versions

    def earlier(store: SqliteStore) -> dict[str, int]:
        return {run_id: version - 1 for run_id, version in versions(store).items()}

    monkeypatch.setattr(SqliteStore, "versions", earlier)
    result = cli("runs", "delete", "r-1", "--yes")
    assert result.code == 3
    assert "moved on meanwhile" in result.err
    assert ids(cli) == ["r-1"]


def test_a_damaged_run_can_be_deleted(cli: Cli) -> None:
    ended(cli, "r-1", "r-2")
    with forged(cli.folder / "runs.db") as db:
        db.execute("UPDATE runs SET status = 'asleep' WHERE id = 'r-1'")
    assert cli("runs", "delete", "r-1", "--yes").out == "r-1\n"
    assert ids(cli) == ["r-2"]


def test_pruning_deletes_what_is_old(cli: Cli) -> None:
    ended(cli, "r-1", "r-2")
    cli.paused("r-3")
    for run_id, days in (("r-1", 40), ("r-2", 29), ("r-3", 99)):
        aged(cli, run_id, days)
    dry = cli("runs", "prune", "--older-than", "30d", "--keep-paused", "--dry-run")
    assert dry.out == "r-1\n"
    assert "1 run unchanged for 30d or longer would be deleted" in dry.err
    data = cli("runs", "prune", "--older-than", "30d", "--dry-run", "--json").json
    assert data == {"would_delete": ["r-1", "r-3"]}
    assert ids(cli) == ["r-1", "r-2", "r-3"]
    assert cli("runs", "prune", "--older-than", "30d", "--keep-paused", "--yes", "--json").json == {
        "deleted": ["r-1"]
    }
    assert cli("runs", "prune", "--older-than", "4w", "--yes").out == "r-2\nr-3\n"
    assert cli("runs", "prune", "--older-than", "0m", "--yes").code == 0
    assert ids(cli) == []


def test_pruning_asks_first_where_somebody_can_answer(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ended(cli, "r-1", "r-2", "r-3")
    for run_id in ("r-1", "r-2"):
        aged(cli, run_id, 40)
    words = ("runs", "prune", "--older-than", "30d")
    refused = cli(*words)
    assert (refused.code, refused.out) == (2, "")
    assert "deleting runs cannot be undone, so it asks first" in refused.err
    assert "--yes deletes without asking" in refused.err
    assert cli("runs", "prune", "--older-than", "90d").code == 2  # not only when something is old by then
    monkeypatch.setattr("stepgraph_tui.cli.upkeep.can_ask", lambda: True)
    monkeypatch.setattr("stepgraph_tui.cli.upkeep._LISTED", 1)
    asked: list[str] = []

    def answer(output: object, question: str) -> bool:
        asked.append(question)
        return len(asked) > 1

    monkeypatch.setattr("stepgraph_tui.cli.upkeep.says_yes", answer)
    kept = cli(*words)
    assert (kept.code, kept.out, len(ids(cli))) == (0, "", 3)
    assert ": count, ended, at END, 3 steps\nand 1 more\nnothing was deleted\n" in kept.err
    assert "0 runs unchanged" in cli("runs", "prune", "--older-than", "90d").err
    assert sorted(cli(*words).out.split()) == ["r-1", "r-2"]
    assert asked == ["Delete 2 runs? All steps and decisions go."] * 2
    assert ids(cli) == ["r-3"]


@pytest.mark.parametrize("age", ["30", "d", "-1d", "1y", "", "٣d"])
def test_what_is_no_age_is_refused(cli: Cli, age: str) -> None:
    ended(cli, "r-1")
    result = cli("runs", "prune", f"--older-than={age}")
    assert (result.code, ids(cli)) == (2, ["r-1"])
    assert "a length of time is written 30s, 10m, 4h, 2d or 2w" in result.err


def test_pruning_takes_no_run_that_moves_meanwhile(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    ended(cli, "r-1")
    aged(cli, "r-1", 40)
    monkeypatch.setattr(SqliteStore, "delete_runs", lambda store, versions, audit: [])
    result = cli("runs", "prune", "--older-than", "30d", "--yes")
    assert result.out == ""
    assert "1 run moved on meanwhile, and stays" in result.err


def test_a_run_that_waits_is_stopped(cli: Cli) -> None:
    review = cli.paused("r-1")
    assert cli("runs", "stop", "r-1", "--as", "ana", "--comment", "hunter2-secret is old").out == "r-1\n"
    shown = cli("runs", "show", "r-1").out
    assert "ended where it was stopped after 0 of" in shown
    assert "stopped by ana: *** is old" in shown
    assert "withdrawn, because the run was edited or stopped" in shown
    assert cli("approvals", "decide", review, "--approve").code == 5
    assert cli("runs", "stop", "r-1").code == 1
    assert cli("resume", "r-1").code == 0
    assert cli("runs", "--json").json[0]["outcome"] == "stopped"
    with SqliteStore(cli.folder / "runs.db") as store:
        assert store.runs(RunStatus.PAUSED) == []


def test_two_runs_are_compared(cli: Cli) -> None:
    ended(cli, "r-1")
    cli("fork", "r-1", "--at", 1, "--run-id", "r-2", "--input", "count=2")
    cli("resume", "r-2")
    out = cli("runs", "diff", "r-1", "r-2").out
    assert "r-2 was forked from r-1 after step 1." in out
    assert "PART      at step 2" in out
    data = cli("runs", "diff", "r-1", "r-2", "--json").json
    assert (data["shared_steps"], data["parts_at"], data["same"]) == (1, 2, False)
    assert data["steps"] == {
        "left": {"node": "work", "next": "work"},
        "right": {"node": "work", "next": "END"},
    }
    same = cli("runs", "diff", "r-1", "r-1", "--json").json
    assert (same["same"], same["parts_at"], same["state"]) == (True, None, {})
    assert cli("runs", "diff", "r-1", "r-9").code == 4


def test_edits_that_only_one_of_two_runs_has_are_told(cli: Cli) -> None:
    ended(cli, "r-1")
    cli("fork", "r-1", "--at", 1, "--run-id", "r-2")
    assert "EDITED" not in cli("runs", "diff", "r-1", "r-2").out
    cli("edit", "r-2", "--set", "count=2", "--as", "ana", "--comment", "so it ends")
    cli("resume", "r-2")
    out = cli("runs", "diff", "r-1", "r-2").out
    told = out[out.index("EDITED") :].splitlines()[:3]
    assert told[0] == "EDITED    one of them only"
    assert told[1].startswith("  r-2  after step 1, ")
    assert told[1].endswith(", by ana: so it ends")
    assert told[2] == "      ~ count 1 → 2"
    data = cli("runs", "diff", "r-1", "r-2", "--json").json["edits"]
    assert (data["left"], [edit["updates"] for edit in data["right"]]) == ([], [{"count": 2}])


def test_a_comparison_shows_no_secret(cli: Cli) -> None:
    cli.paused("r-1")
    path = cli.folder / "graph.toml"
    cli("run", path, "--run-id", "r-2", "--input", "token=other-secret", "--json")
    for words in ((), ("--json",)):
        out = cli("runs", "diff", "r-1", "r-2", *words).out
        assert "token" in out
        assert "***" in out
        assert "secret" not in out
