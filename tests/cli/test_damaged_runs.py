"""One damaged run is listed as damaged, with what to do next, and hides no other one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.calling import Cli
from tests.fuzz.stored_runs import PAGE, edited, good_store

OTHERS = {"long", "waits", "decided", "forked", "failed"}
ENTRIES = {
    "UPDATE runs SET step = 99 WHERE id = 'forked'": "forked",
    "UPDATE runs SET status = 'none' WHERE id = 'waits'": "waits",
    "UPDATE runs SET status = 'ended' WHERE id = 'waits'": "waits",
    "UPDATE runs SET digest = NULL WHERE id = 'long'": "long",
    "UPDATE runs SET id = char(27) || '[31m' WHERE id = 'long'": None,
    "DELETE FROM runs WHERE id = 'long'": None,
}


def store_with(cli: Cli, content: bytes) -> Path:
    path = cli.folder / "runs.db"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("statement", ENTRIES)
def test_a_run_whose_entry_is_damaged_is_listed_as_damaged_beside_all_others(
    cli: Cli, statement: str
) -> None:
    run = ENTRIES[statement]
    store = store_with(cli, edited(statement))
    result = cli("runs", "--store", store)
    assert result.code == 1
    assert result.out.splitlines()[1].split() == [run or "?", "damaged"]
    assert "\x1b" not in result.out + result.err
    for other in OTHERS - {run or "long"}:
        assert other in result.out
    for words in ("damaged: ", f"stepgraph doctor --store sqlite:///{store}", "stepgraph doctor --repair"):
        assert words in result.err
    told = cli("runs", "--json")
    assert told.code == 1
    assert {table["id"] for table in told.json if table["status"] != "damaged"} == OTHERS - {run or "long"}
    (damaged,) = [table for table in told.json if table["status"] == "damaged"]
    assert damaged["id"] == run
    assert damaged["damage"]
    assert "doctor --repair" in damaged["hint"]


def test_a_damaged_run_is_in_the_list_of_every_status(cli: Cli) -> None:
    store_with(cli, edited("UPDATE runs SET status = 'ended' WHERE id = 'waits'"))
    for status in ("ready", "paused", "ended", "failed"):
        assert "waits" in cli("runs", "--status", status).out


def test_without_a_damage_nothing_is_said_of_any(cli: Cli) -> None:
    store_with(cli, good_store())
    for words in (("runs",), ("approvals",), ("runs", "--json"), ("approvals", "--json")):
        result = cli(*words)
        assert result.code == 0
        assert "damaged" not in (result.out + result.err).replace(str(cli.folder), "")


def _waiting(cli: Cli) -> Path:
    """A store with so much in it that no two runs share a page of the ledger."""
    graph = cli.graph(
        'format = 1\nname = "ask"\nstart = "ask"\n[nodes.ask]\ntype = "approval"\nprompt = "{{ text }}?"\n'
        '[state.text]\ninput = true\n[[edges]]\nfrom = "ask"\nto = "END"\n'
    )
    for letter in "abc":
        done = cli("run", graph, "--run-id", f"r-{letter}", "--input", f"text={letter * 9000}", "--json")
        assert done.code == 10
    return cli.folder / "runs.db"


def test_a_review_that_is_damaged_is_listed_beside_those_that_can_be_decided(cli: Cli) -> None:
    store = _waiting(cli)
    content = store.read_bytes()
    at = content.rindex(b"b" * 2000)
    store.write_bytes(content[:at] + b"x" + content[at + 1 :])
    result = cli("approvals", "--json")
    assert result.code == 1
    assert sorted((table["run"], table["status"]) for table in result.json) == [
        ("r-a", "pending"),
        ("r-b", "damaged"),
        ("r-c", "pending"),
    ]
    text = cli("approvals")
    assert text.code == 1
    assert "damaged: run 'r-b': a page of the file is not as Stepgraph wrote it" in text.err
    assert "stepgraph doctor --repair" in text.err
    assert cli("approvals", "decide", result.json[0]["id"], "--approve").code == 0
    assert cli("resume", result.json[0]["run"]).code == 0


def test_reviews_whose_graph_is_damaged_are_not_shown_for_nobody_knows_their_secrets(cli: Cli) -> None:
    cli.paused()
    store = cli.folder / "runs.db"
    content = store.read_bytes()
    assert content.count(b'"allow":["approve"') >= 1
    store.write_bytes(content.replace(b'"secret":true', b'"secret":null'))
    result = cli("approvals")
    assert result.code == 1
    assert "hunter2" not in result.out + result.err
    assert "damaged" in result.out


def _orphan(cli: Cli, tmp_path: Path) -> Path:
    """The write-ahead log of a store that was open when its file went."""
    from stepgraph.stores.sqlite import SqliteStore
    from tests.stores.building import create

    path = tmp_path / "gone" / "x.db"
    with SqliteStore(tmp_path / "x.db") as store:
        create(store)
        path.parent.mkdir()
        for part in ("x.db-wal", "x.db-shm"):
            (path.parent / part).write_bytes((tmp_path / part).read_bytes())
    return path


COMMANDS: dict[str, tuple[str, ...]] = {
    "runs": (), "runs show r-1": (), "approvals": (), "approvals show a-1": (), "resume r-1": (),
    "fork r-1 --at 0": (), "doctor --repair": (),
}  # fmt: skip


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("left", [lambda path: None, lambda path: path.touch()], ids=["gone", "emptied"])
def test_a_log_whose_store_is_gone_or_emptied_is_kept_and_named(
    cli: Cli, tmp_path: Path, words: str, left: Callable[[Path], object]
) -> None:
    path = _orphan(cli, tmp_path)
    left(path)
    before = {part.name: part.read_bytes() for part in path.parent.iterdir()}
    for _ in range(2):
        result = cli(*words.split(), "--store", path)
        assert result.code == 1
        assert "its write-ahead log x.db-wal is left" in " ".join(result.err.split())
        assert "move x.db-wal and x.db-shm away" in " ".join(result.err.split())
    assert {part.name: part.read_bytes() for part in path.parent.iterdir()} == before
    told = cli("doctor", "--json", "--store", path)
    assert told.code == 1
    assert "x.db-wal is left" in told.json["store"]["health"]
    assert "damage" not in told.json["store"]


def test_a_repair_that_can_copy_no_run_fails_and_says_so(cli: Cli) -> None:
    store_with(cli, edited("DELETE FROM definitions"))
    result = cli("doctor", "--repair")
    assert result.code == 1
    saved = cli.folder / "runs.repaired.db"
    assert result.out.startswith(f"no run copied, but the audit (1 entry), to {saved}\n")
    assert result.out.count("left out: run ") == 5
    assert "put a backup in its place (take away the files beside it" in result.err
    assert cli("approvals", "log", "--store", saved, "--json").json[0]["entry"]["run"] == "decided"
    again = cli("doctor", "--repair", "--json").json
    assert (again["path"], again["entries"]) == (str(cli.folder / "runs.repaired-2.db"), 1)


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0" + b"\xff" * 5000, good_store()[:300]])
def test_a_file_of_which_nothing_can_be_read_fails_to_be_repaired(cli: Cli, content: bytes) -> None:
    store_with(cli, content)
    result = cli("doctor", "--repair", "--json")
    assert result.code == 1
    assert [part.name for part in cli.folder.glob("runs*")] == ["runs.db"]


def test_a_repair_tells_what_was_lost_with_a_log(cli: Cli, tmp_path: Path) -> None:
    path = _orphan(cli, tmp_path)
    path.write_bytes((tmp_path / "x.db").read_bytes())
    log = path.with_name("x.db-wal")
    log.unlink()
    result = cli("doctor", "--repair", "--store", path)
    assert result.code == 1
    assert "left out: what was committed last: x.db-wal is gone" in result.out


def test_a_page_of_zeroes_in_the_list_of_runs_is_told(cli: Cli) -> None:
    good = good_store()
    for page in range(1, len(good) // PAGE):
        store_with(cli, good[: page * PAGE] + bytes(PAGE) + good[(page + 1) * PAGE :])
        result = cli("runs", "--json")
        found = json.loads(result.out) if result.out else []
        whole = {table["id"] for table in found if table["status"] != "damaged"}
        assert whole == OTHERS or result.code == 1
        assert "Traceback" not in result.err
