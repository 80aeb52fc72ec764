"""A store that is taken away while a command runs, and one that is damaged: told, saved, and copied."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph.stores.sqlite import SqliteStore
from tests.cli.calling import Cli
from tests.fuzz.stored_runs import edited, good_store

TAKE = """
if state['count'] == 1:
        {take}
    return {{'count': state['count'] + 1}}
""".strip()


@pytest.mark.parametrize(
    "take",
    [
        "os.unlink(STORE)",
        "[os.unlink(STORE + part) for part in ('', '-wal', '-shm')]",
        "os.rename(STORE, STORE + '.old')",
        "shutil.copy(STORE, STORE + '.copy'); os.rename(STORE + '.copy', STORE)",
    ],
)
def test_a_run_whose_store_is_taken_away_fails_at_once_and_is_saved(cli: Cli, take: str) -> None:
    store = cli.folder / "runs.db"
    graph = cli.count(TAKE.format(take=take), head=f"import os, shutil\nSTORE = {str(store)!r}")
    result = cli("run", graph, "--trust", "--run-id", "r-1")
    assert result.code == 1
    assert "while it was open; nothing is written to it any more" in result.err
    saved = cli.folder / "runs.rescued.db"
    assert f"is saved to {saved}" in result.err
    assert f"stepgraph runs --store {saved}" in result.err
    with SqliteStore(saved) as rescued:
        assert rescued.load("r-1").pointer.step == 2
    cli("resume", "r-1", "--trust", "--store", saved)
    assert cli("runs", "show", "r-1", "--json", "--store", saved).json["outcome"] == "end"


def test_a_store_of_which_nothing_is_left_says_so(cli: Cli) -> None:
    store = cli.folder / "runs.db"
    take = "[open(STORE + part, 'w').close() for part in ('', '-wal')]"
    graph = cli.count(TAKE.format(take=take), head=f"STORE = {str(store)!r}")
    result = cli("run", graph, "--trust", "--run-id", "r-1")
    assert result.code == 1
    assert "was truncated" in result.err
    assert "bug" not in result.err


def damaged(cli: Cli) -> Path:
    store = cli.folder / "runs.db"
    store.write_bytes(edited("DELETE FROM ledger WHERE id = (1 << 32) + 20"))
    return store


def test_a_store_that_is_whole_is_copied_whole(cli: Cli) -> None:
    (cli.folder / "runs.db").write_bytes(good_store())
    assert cli("doctor", "--repair").code == 0


def test_there_is_nothing_to_repair_where_there_is_no_store(cli: Cli) -> None:
    result = cli("doctor", "--repair")
    assert result.code == 1
    assert "there is no store file" in result.err
