"""One damaged run is listed as damaged, with what to do next, and hides no other one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import Cli
from tests.fuzz.stored_runs import good_store


def store_with(cli: Cli, content: bytes) -> Path:
    path = cli.folder / "runs.db"
    path.write_bytes(content)
    return path


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
