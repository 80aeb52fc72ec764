"""A store that is taken away while a command runs, and one that is damaged: told, saved, and copied."""

from __future__ import annotations

import json
import os
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


def test_the_doctor_names_run_and_row_and_what_can_be_saved(cli: Cli) -> None:
    store = damaged(cli)
    result = cli("doctor", "--json")
    assert result.code == 1
    assert "run 'long', row 20: row 20 is missing" in result.json["store"]["damage"]
    assert "run 'long': its rows 1 to 19 can be saved" in result.json["store"]["damage"]
    assert f"stepgraph doctor --repair --store {store}" in cli("doctor", "--store", store).err


def test_the_doctor_copies_what_is_whole(cli: Cli) -> None:
    store = damaged(cli)
    before = store.read_bytes()
    saved = cli.folder / "runs.repaired.db"
    result = cli("doctor", "--repair")
    assert result.code == 1, "not all of it is there"
    lines = result.out.splitlines()
    assert lines[0] == f"4 runs copied whole, 1 in part, to {saved}, and the audit (1 entry)"
    assert lines[1].startswith("cut: run 'long', ready after step 18 now: row 20")
    assert store.read_bytes() == before
    assert cli("doctor", "--store", cli.folder / "runs.repaired.db").code == 0
    again = cli("doctor", "--repair", cli.folder / "other.db", "--json")
    assert again.json["path"] == str(cli.folder / "other.db")
    assert len(json.loads(again.out)["whole"]) == 4
    assert cli("doctor", "--repair", cli.folder / "other.db").code == 1, "it is there already"


def test_a_store_that_is_whole_is_copied_whole(cli: Cli) -> None:
    (cli.folder / "runs.db").write_bytes(good_store())
    assert cli("doctor", "--repair").code == 0


def test_the_doctor_tells_a_read_only_store(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    store = cli.folder / "runs.db"
    store.write_bytes(good_store())
    before = store.read_bytes()
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK)
    result = cli("doctor", "--json")
    assert result.code == 1
    assert result.json["store"]["health"].startswith("read-only: ")
    assert store.read_bytes() == before
    assert [part.name for part in cli.folder.glob("runs*")] == ["runs.db"]


def test_there_is_nothing_to_repair_where_there_is_no_store(cli: Cli) -> None:
    result = cli("doctor", "--repair")
    assert result.code == 1
    assert "there is no store file" in result.err
