"""A store that lacks what was committed last is refused, and no good one is."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stepgraph.stores.sqlite import SqliteStore, file_damages, repair
from stepgraph.stores.sqlite.recovery import LastCommit
from stepgraph.values.errors import CommitsLost
from tests.crash.children import Child
from tests.stores.building import Writer, create

_BOOT = "stepgraph.stores.sqlite.recovery.boot_id"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "runs.db"


def _note(path: Path) -> Path:
    return path.with_name(path.name + "-last")


def _delete_log(path: Path) -> None:
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink()


def _killed(path: Path) -> Path:
    """What a store that is open leaves on the disk when its process is killed now."""
    copied = path.parent.with_name("killed")
    shutil.rmtree(copied, ignore_errors=True)
    shutil.copytree(path.parent, copied)
    return copied / path.name


def test_a_store_that_was_killed_and_has_lost_its_log_is_refused(path: Path, tmp_path: Path) -> None:
    def drive(tell: Callable[[str], None]) -> None:
        store = SqliteStore(path)
        writer = Writer(store, {"n": 0})
        while True:
            writer.step({"n": writer.seq})
            tell(str(writer.seq))

    child = Child(drive)
    while len(child.lines) < 20:
        assert child.listen(60)
    child.kill()
    told = int(child.lines[-1])
    with SqliteStore(path, durability="normal") as store:
        kept = store.load("r-1").pointer.version
        assert kept >= told, "a note is never ahead of the log"
        create(store, "r-2")
        killed = _killed(path)
    _delete_log(killed)
    for _ in range(2):
        with pytest.raises(
            CommitsLost, match="has lost commits: run number 2 had come to version 1"
        ) as caught:
            SqliteStore(killed)
    assert f"delete {_note(killed)} to go on" in caught.value.hint
    assert [damage.what for damage in file_damages(killed)] == [
        "run number 2 had come to version 1 (noted in runs.db-last), which is not there"
    ]
    saved = repair(killed, tmp_path / "saved.db")
    assert any("run number 2 had come to version 1" in line for line in saved.left)
    _note(killed).unlink()
    with SqliteStore(killed) as store:
        assert store.runs() == [], "none of them had left the log"


def test_a_log_that_was_cut_at_its_end_is_missed(path: Path) -> None:
    with SqliteStore(path) as store:
        writer = Writer(store, {"n": 0})
        for number in range(20):
            writer.step({"n": number})
        killed = _killed(path)
    log = killed.with_name("runs.db-wal")
    with log.open("rb+") as file:
        file.truncate(log.stat().st_size * 3 // 4)
    before = log.read_bytes()
    with pytest.raises(CommitsLost, match=r"run (number 1|'r-1') had come to version 21"):
        SqliteStore(killed)
    assert log.read_bytes() == before, "what is left of it is still there"


def test_the_note_goes_with_the_log(path: Path) -> None:
    with SqliteStore(path) as one:
        with SqliteStore(path) as other:
            create(other)
        assert _note(path).exists(), "the log is still there"
        assert one.load("r-1").pointer.version == 1
    assert [part.name for part in path.parent.iterdir()] == ["runs.db"]


def test_the_note_stays_where_the_log_was_taken_away(path: Path) -> None:
    store = SqliteStore(path)
    with SqliteStore(path) as other:
        create(other)
        _delete_log(path)
    assert _note(path).exists(), "another still has the log, and may be killed"
    store.close()
    with SqliteStore(path) as again:
        assert again.load("r-1").pointer.version == 1, "the last one has brought home what was in it"


def test_runs_that_were_deleted_are_not_missed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with SqliteStore(path) as store:
        for run_id in ("r-1", "r-2", "r-3"):
            create(store, run_id)
        with monkeypatch.context() as patched:
            patched.setattr(LastCommit, "note", lambda *_: None)  # as if killed in that moment
            assert store.delete_runs({"r-3": 1, "r-1": 1}) == ["r-3", "r-1"]
        SqliteStore(_killed(path)).close()
        create(store, "r-3")
        assert [run.head.id for run in store.runs()] == ["r-3", "r-2"]
        SqliteStore(_killed(path)).close()


def test_a_deletion_that_is_lost_is_missed(path: Path) -> None:
    with SqliteStore(path) as store:
        create(store)
    with SqliteStore(path) as store:
        store.delete_runs({"r-1": 1})
        killed = _killed(path)
    _delete_log(killed)
    with pytest.raises(CommitsLost, match="run 'r-1' had been deleted"):
        SqliteStore(killed)


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_after_a_power_cut_a_note_counts_only_where_commits_were_synced(
    path: Path, durability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SqliteStore(path, durability="full" if durability == "full" else "normal") as store:
        create(store)
        killed = _killed(path)
    _delete_log(killed)
    with monkeypatch.context() as patched:
        patched.setattr(_BOOT, lambda: "another")
        if durability == "normal":
            with SqliteStore(killed) as store:
                assert store.runs() == []
        else:
            with pytest.raises(CommitsLost):
                SqliteStore(killed)


def test_an_older_copy_in_the_place_of_a_store_that_was_killed_is_told(path: Path, tmp_path: Path) -> None:
    with SqliteStore(path) as store:
        create(store)
    shutil.copy(path, tmp_path / "backup.db")
    with SqliteStore(path) as store:
        create(store, "r-2")
        killed = _killed(path)
    _delete_log(killed)
    shutil.copy(tmp_path / "backup.db", killed)
    with pytest.raises(CommitsLost, match="has lost commits: run number 2"):
        SqliteStore(killed)


def test_the_note_of_a_store_that_was_deleted_says_nothing_of_a_new_one(path: Path) -> None:
    with SqliteStore(path) as store:
        create(store)
        killed = _killed(path)
    _delete_log(killed)
    killed.unlink()
    with SqliteStore(killed) as store:
        assert store.runs() == []
        assert not _note(killed).exists()


@pytest.mark.parametrize("said", [b"", b"\0" * 64, b"1 9 9 synced\n", b"no note", b"\xff\xfe"])
def test_a_note_that_cannot_be_read_says_nothing(path: Path, said: bytes) -> None:
    with SqliteStore(path) as store:
        create(store)
        _note(path).write_bytes(said)
        with SqliteStore(path) as other:
            assert other.load("r-1").pointer.version == 1


def test_where_no_note_can_be_written_the_store_does_without(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: object, *_: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system", str(file))

    with SqliteStore(path) as store:
        with monkeypatch.context() as patched:
            patched.setattr("stepgraph.stores.sqlite.recovery.os.open", refuse)
            create(store)
        create(store, "r-2")
        assert not _note(path).exists()
