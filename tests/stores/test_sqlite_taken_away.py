"""A store whose files are taken away while it is open takes nothing more, and can still be saved."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from stepgraph.stores import RescuableStore
from stepgraph.stores.sqlite import SqliteStore, file_damages, repair
from stepgraph.values.errors import StoreDamaged, StoreError, StoreLost
from tests.stores.building import Writer, create, pointer, step_row


def _replaced(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").rename(path)


def _all_deleted(path: Path) -> None:
    for part in path.parent.iterdir():
        part.unlink()


def _pointed_elsewhere(path: Path) -> None:
    real = path.with_name("real.db")
    path.rename(real)
    SqliteStore(path.with_name("other.db")).close()
    path.symlink_to(path.with_name("other.db"))


def _log(path: Path) -> Path:
    return path.with_name("runs.db-wal")


def _index(path: Path) -> Path:
    return path.with_name("runs.db-shm")


TAKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (Path.unlink, "was deleted"),
    "all deleted": (_all_deleted, "was deleted"),
    "moved": (lambda path: path.rename(path.with_name("old.db")), "was moved|was deleted"),
    "replaced by a copy of itself": (_replaced, "was replaced"),
    "another in its place": (
        lambda path: (path.rename(path.with_name("old")), path.write_bytes(b"")),
        "another file has its name|was replaced",
    ),
    "a link in its place": (_pointed_elsewhere, "another file has its name|was replaced"),
    "emptied": (lambda path: path.write_bytes(b""), "was truncated"),
    "cut": (lambda path: path.write_bytes(path.read_bytes()[:4096]), "was truncated"),
    "log deleted": (lambda path: _log(path).unlink(), "runs.db-wal, which was deleted"),
    "log replaced": (
        lambda path: (_log(path).rename(path.with_name("log")), _log(path).write_bytes(b"")),
        "runs.db-wal: another file",
    ),
    "index deleted": (lambda path: _index(path).unlink(), "runs.db-shm, which was deleted"),
    "folder moved": (lambda path: path.parent.rename(path.parent.with_name("away")), "was moved|was deleted"),
    "folder deleted": (lambda path: shutil.rmtree(path.parent), "was deleted"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder" / "runs.db"


def _some_commits(store: SqliteStore) -> None:
    """What lies beside the file is looked at now and then."""
    for seq in range(3, 12):
        store.commit("r-1", step_row(seq, {"n": 2}), pointer(seq), {"n": 2})


@pytest.mark.parametrize("how", TAKEN)
def test_what_is_committed_to_a_store_that_was_taken_away_is_refused(path: Path, how: str) -> None:
    take, said = TAKEN[how]
    with SqliteStore(path) as store:
        writer = Writer(store, {"n": 0})
        writer.step({"n": 1})
        take(path)
        with pytest.raises(StoreLost, match=said):
            _some_commits(store)
        for _ in range(2):
            with pytest.raises(StoreLost, match=said) as caught:
                store.commit("r-1", step_row(4, {"n": 2}), pointer(4), {"n": 2})
            assert str(path) in caught.value.message
            with pytest.raises(StoreLost):
                store.runs()
        with pytest.raises(StoreLost):
            create(store, "r-2")
        with pytest.raises(StoreLost):
            store.load("r-1")


@pytest.mark.parametrize("how", [how for how in TAKEN if how not in ("emptied", "cut")])
def test_what_a_lost_store_had_is_saved_to_a_new_file(path: Path, tmp_path: Path, how: str) -> None:
    with SqliteStore(path) as store:
        writer = Writer(store, {"n": 0})
        for number in range(70):
            writer.step({"n": number})
        TAKEN[how][0](path)
        saved = store.rescue(tmp_path / "saved.db")
        assert isinstance(store, RescuableStore)
        assert saved.whole == ["r-1"]
        with pytest.raises(StoreError, match="already"):
            store.rescue(tmp_path / "saved.db")
    with SqliteStore(tmp_path / "saved.db") as store:
        assert store.load("r-1").pointer.version == 71
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected


def test_a_file_that_cannot_be_looked_at_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: str) -> None:
        raise OSError(errno.ESTALE, "Stale file handle", file)

    with SqliteStore(path) as store:
        create(store)
        with monkeypatch.context() as patched:
            patched.setattr("stepgraph.stores.sqlite.recovery.os.stat", fail)
            with pytest.raises(StoreLost, match="cannot be looked at: Stale file handle"):
                store.load("r-1")
        assert store.load("r-1").pointer.version == 1, "it is there again"


def test_a_rescue_chooses_a_name_that_no_file_has(path: Path) -> None:
    with SqliteStore(path) as store:
        create(store)
        assert [store.rescue().path.name for _ in range(2)] == ["runs.rescued.db", "runs.rescued-2.db"]


def test_the_files_of_another_store_are_left_alone_when_a_lost_one_is_closed(path: Path) -> None:
    lost = SqliteStore(path)
    create(lost)
    for part in (path, _log(path), _index(path)):
        part.unlink()
    with SqliteStore(path) as new:
        create(new, "new")
        with pytest.raises(StoreLost):
            lost.load("r-1")
        lost.close()
        lost.close()
        new.commit("new", step_row(2, {"n": 1}), pointer(2), {"n": 1})
    with SqliteStore(path) as store:
        assert store.load("new").pointer.version == 2


def test_a_store_that_grew_and_is_shared_is_not_lost(path: Path) -> None:
    with SqliteStore(path) as one:
        writer = Writer(one, {})
        for number in range(40):
            writer.step({"text": f"{number}" * 1000})
            with SqliteStore(path) as other:
                assert other.load("r-1").pointer.version == writer.seq
                other.backend.db.wal_checkpoint()
        assert one.load("r-1").pointer.version == 41


def test_a_log_that_was_removed_from_a_store_that_was_killed_is_missed(path: Path, tmp_path: Path) -> None:
    with SqliteStore(path) as store:
        create(store)
        killed = tmp_path / "killed"
        shutil.copytree(path.parent, killed)
    (killed / "runs.db-wal").unlink()
    with pytest.raises(StoreError, match=r"has lost its write-ahead log: runs\.db-wal is gone"):
        SqliteStore(killed / "runs.db")


def test_a_store_without_a_single_table_has_lost_its_log(path: Path) -> None:
    with closing(apsw.Connection(str(path))) as other:
        other.pragma("journal_mode", "WAL")  # as an older version made one, before anything else
    with pytest.raises(StoreError, match="has lost its write-ahead log"):
        SqliteStore(path)


def test_a_damaged_log_of_a_store_that_was_killed_is_missed(path: Path, tmp_path: Path) -> None:
    with SqliteStore(path) as store:
        writer = Writer(store, {"n": 0})
        for number in range(20):
            writer.step({"n": number})
        shutil.copytree(path.parent, tmp_path / "killed")
    log = (tmp_path / "killed" / "runs.db-wal").read_bytes()
    for at in (0, 5, 17, 30, 40, 48, 60, 3_000, len(log) // 2, len(log) * 3 // 4):
        flipped = tmp_path / f"at-{at}"
        shutil.copytree(tmp_path / "killed", flipped)
        _log(flipped / "runs.db").write_bytes(log[:at] + bytes([log[at] ^ 1]) + log[at + 1 :])
        for _ in range(2):
            with pytest.raises(StoreError, match=r"has lost commits: .* had come to version 21"):
                SqliteStore(flipped / "runs.db")
    with SqliteStore(tmp_path / "killed" / "runs.db") as store:
        assert store.load("r-1").pointer.version == 21
    for cut in (31, 32, 40, len(log) - 4096):  # a commit that was never acknowledged may look like that
        torn = tmp_path / f"cut-{cut}"
        shutil.copytree(path.parent, torn)
        shutil.copy(tmp_path / "killed" / "runs.db", torn)
        _log(torn / "runs.db").write_bytes(log[:cut])
        SqliteStore(torn / "runs.db").close()


def _left(path: Path, tmp_path: Path) -> Path:
    """The log of a store that was open when its file went."""
    with SqliteStore(path) as store:
        create(store)
        shutil.copytree(path.parent, tmp_path / "left")
    left = tmp_path / "left" / "runs.db"
    left.unlink()
    return left


def test_no_store_is_begun_over_the_log_of_another(path: Path, tmp_path: Path) -> None:
    left = _left(path, tmp_path)
    log = _log(left).read_bytes()
    for is_there in (False, True):
        if is_there:
            left.touch()
        for work in (lambda: SqliteStore(left), lambda: list(file_damages(left)), lambda: repair(left, path)):
            with pytest.raises(StoreDamaged, match=r"its write-ahead log runs\.db-wal is left") as caught:
                work()
            assert "move runs.db-wal and runs.db-shm away" in caught.value.hint
    assert _log(left).read_bytes() == log
    shutil.copy(path, left)
    with SqliteStore(left) as store:
        assert store.load("r-1").pointer.version == 1, "with its file back all is there"


def test_a_log_of_no_bytes_and_an_index_alone_are_no_hindrance(path: Path, tmp_path: Path) -> None:
    left = _left(path, tmp_path)
    _log(left).write_bytes(b"")
    with SqliteStore(left) as store:
        create(store)
    left.unlink()
    _index(left).write_bytes(b"\0" * 32768)
    with SqliteStore(left) as store:
        create(store)


def test_the_log_that_a_link_leads_to_counts(path: Path, tmp_path: Path) -> None:
    left = _left(path, tmp_path)
    link = tmp_path / "link.db"
    link.symlink_to(left)
    with pytest.raises(StoreDamaged, match=r"runs\.db-wal is left"):
        SqliteStore(link)


def test_a_store_whose_tables_were_taken_out_is_no_new_one(path: Path) -> None:
    with SqliteStore(path) as store:
        create(store, values={"text": "x" * 9000})
    with closing(apsw.Connection(str(path))) as other:
        for table in ("runs", "ledger", "snapshots", "definitions", "audit", "big_values"):
            other.execute(f"DROP TABLE {table}")
        other.pragma("application_id", 0)
        other.pragma("user_version", 0)
    before = path.read_bytes()
    with pytest.raises(StoreDamaged, match="it has been emptied"):
        SqliteStore(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("kept", [1, 15, 99, 511])
def test_a_file_of_which_a_few_bytes_are_left_is_no_new_store(path: Path, kept: int) -> None:
    with SqliteStore(path) as store:
        create(store)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(StoreError, match="is not an SQLite database") as caught:
        SqliteStore(path)
    assert "-wal, -shm and -last" in caught.value.hint
    assert path.stat().st_size == kept
