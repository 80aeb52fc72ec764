"""Big values in a SQLite file: what one of them costs, and what is told and saved of a file that lost one."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from stepgraph.stores.big_values import hash_of
from stepgraph.stores.sqlite import SqliteStore, file_damages, repair
from stepgraph.stores.sqlite.opening import checking_vfs
from stepgraph.values.json_values import dumps
from tests.stores.building import Writer, create

DOC = "d" * 100_000


def written(path: Path) -> Writer:
    with SqliteStore(path, durability="normal") as store:
        writer = Writer(store, {"doc": "short"})
        writer.step({"n": 1})
        writer.step({"doc": DOC})
        writer.step({"doc": "short again"})
        create(store, "r-2", {"doc": DOC})
    return writer


def change(path: Path, statement: str) -> None:
    connection = apsw.Connection(str(path), vfs=checking_vfs())
    connection.execute(statement)
    connection.close()


# acceptance 108
def test_a_large_state_of_which_a_number_changes_takes_little_room(path: Path) -> None:
    with SqliteStore(path, durability="normal") as store:
        writer = Writer(store, {"doc": DOC, "other": DOC, "n": 0})
        for number in range(1_000):
            writer.step({"n": number})
        assert store.values("r-1", 1_001) == {"doc": DOC, "other": DOC, "n": 999}
    assert path.stat().st_size < 4 * len(DOC)


DAMAGES = [
    ("DELETE FROM big_values WHERE run = 1", "is missing"),
    ("UPDATE big_values SET body = '\"another\"' WHERE run = 1", "is not as it was written"),
    ("UPDATE big_values SET run = 9 WHERE run = 1", "is missing"),
    ('UPDATE ledger SET updates = \'{"doc":"abc"}\' WHERE id = (1 << 32) + 3', "is not as it was written"),
    ("UPDATE ledger SET ops = NULL WHERE id = (1 << 32) + 3", "is not as it was written"),
]


@pytest.mark.parametrize(("statement", "what"), DAMAGES)
def test_a_file_that_lost_a_big_value_tells_where_and_the_rest_is_saved(
    path: Path, statement: str, what: str
) -> None:
    written(path)
    change(path, statement)
    found = list(file_damages(path))
    assert [damage.run for damage in found] == ["r-1"]
    assert what in found[0].what
    done = repair(path, path.with_name("new.db"))
    assert done.whole == ["r-2"]
    assert [line.split(":")[0] for line in done.left] == ["run 'r-1'"]
    assert list(file_damages(done.path)) == []
    with SqliteStore(done.path) as store:
        assert store.values("r-2", 1) == {"doc": DOC}


def test_what_is_copied_to_a_new_file_keeps_its_big_values_once(path: Path) -> None:
    writer = written(path)
    with SqliteStore(path) as store:
        done = store.rescue(path.with_name("copy.db"))
    assert done.is_whole
    with SqliteStore(done.path) as store:
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected
        kept = store.backend.db.execute("SELECT run, hash FROM big_values ORDER BY run").fetchall()
    assert kept == [(1, hash_of(dumps(DOC))), (2, hash_of(dumps(DOC)))]
