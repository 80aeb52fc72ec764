"""Snapshots: past states are read quickly, and the file stays within about twice what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from stepgraph.stores.base import StoredRun
from stepgraph.stores.ledger import Row
from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.stores.sqlite import SqliteStore, file_damages
from stepgraph.values.errors import StoreDamaged
from stepgraph.values.json_values import Json
from tests.stores.building import DEFINITION, Writer, head, pointer


def snapshots(store: SqliteStore) -> list[tuple[int, int, str | None]]:
    """For each snapshot its row, its weight and its tails."""
    found = store._db.execute(
        "SELECT id, length(body) + ifnull(length(tails), 0), tails FROM snapshots ORDER BY id"
    )
    return [(id_ & 0xFFFFFFFF, weight, tails) for id_, weight, tails in found]


def size_after(path: Path, values: dict[str, Json], updates: dict[str, Json], steps: int) -> float:
    """The size of a file in megabytes; a list in ``updates`` is appended, a number counts."""
    with SqliteStore(path, durability="normal") as store:
        writer = Writer(
            store, values, {name: "append" for name, value in updates.items() if type(value) is list}
        )
        for number in range(steps):
            writer.step({name: number if value == 0 else value for name, value in updates.items()})
    return path.stat().st_size / 1e6


def test_one_number_in_a_large_state_costs_little(path: Path) -> None:
    assert size_after(path, {"doc": "x" * 100_000, "n": 0}, {"n": 0}, 1000) < 1


def test_appending_costs_about_twice_what_is_appended(tmp_path: Path) -> None:
    sizes = [size_after(tmp_path / f"{steps}.db", {}, {"log": ["m" * 1000]}, steps) for steps in (500, 1000)]
    assert sizes[1] < 3
    assert sizes[1] < 2.1 * sizes[0], "the size is linear"


def test_a_snapshot_comes_when_the_changes_weigh_as_much(path: Path) -> None:
    with SqliteStore(path, durability="normal") as store:
        writer = Writer(store, {"doc": "x" * 5000, "n": 0})
        for number in range(1000):
            writer.step({"n": number, "pad": "p" * 60})
        written = snapshots(store)
        rows = store._db.execute("SELECT total(length(updates)) FROM ledger WHERE id & 4294967295 > 1").get
    assert len(written) > 5
    assert sum(weight for _, weight, _ in written) <= rows


def test_no_snapshot_comes_sooner_than_fifty_rows_after_the_last(path: Path) -> None:
    with SqliteStore(path, durability="normal") as store:
        writer = Writer(store, {"n": 0})
        for number in range(160):
            writer.step({"n": number, "s": "x" * 50})
        assert [seq for seq, _, _ in snapshots(store)] == [51, 101, 151]


def test_a_small_snapshot_comes_after_two_thousand_rows_at_the_latest(path: Path) -> None:
    policy = SnapshotPolicy(min_rows=50, max_rows=200, small=20_000)
    with SqliteStore(path, durability="normal", snapshots=policy) as store:
        small = Writer(store, {"doc": "x" * 19_000}, run_id="small")
        large = Writer(store, {"doc": "x" * 21_000}, run_id="large")
        for number in range(450):
            small.step({"n": number})
            large.step({"n": number})
        assert [seq for seq, _, _ in snapshots(store)] == [201, 401]
        assert store.values("small", 450) == small.expected[450]
        assert store.values("large", 450) == large.expected[450]


def test_a_snapshot_has_only_the_items_since_the_last_one(path: Path) -> None:
    with SqliteStore(path, snapshots=SnapshotPolicy(2, 2)) as store:
        writer = Writer(store, {"log": ["a"]}, {"log": "append"})
        for item in "bcde":
            writer.step({"log": item})
        assert [tails for _, _, tails in snapshots(store)] == ['{"log":["a","b","c"]}', '{"log":["d","e"]}']
        writer.edit({"log": ["new"]})
        writer.step({"log": "er"})
        assert snapshots(store)[2][2] == '{"log":["new","er"]}'
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected


def test_a_list_that_was_emptied_long_ago_is_not_read_again(path: Path) -> None:
    with SqliteStore(path, snapshots=SnapshotPolicy(2, 2)) as store:
        writer = Writer(store, {}, {"log": "append"})
        for number in range(10):
            writer.step({"log": number})
            if number == 5:
                writer.step({"log": None})
        bases = [base for (base,) in store._db.execute("SELECT base FROM snapshots ORDER BY id")]
        assert bases == sorted(bases)
        assert bases[0] < bases[-1]
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected


def test_a_snapshot_that_another_process_wrote_is_built_upon(path: Path) -> None:
    policy = SnapshotPolicy(3, 3)
    with SqliteStore(path, snapshots=policy) as one, SqliteStore(path, snapshots=policy) as other:
        writer = Writer(one, {}, {"log": "append"})
        for number in range(24):
            writer.store = one if number % 4 < 2 else other
            writer.step({"log": [number, number], "n": number})
        assert [seq for seq, _, _ in snapshots(one)] == [4, 7, 10, 13, 16, 19, 22, 25]
        for store in (one, other):
            assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected


def test_a_fork_takes_over_snapshots_too(path: Path) -> None:
    with SqliteStore(path, snapshots=SnapshotPolicy(3, 3), durability="normal") as store:
        writer = Writer(store, {}, {"log": "append"})
        kept = [1]  # the rows that a fork takes over
        for number in range(60):
            if number % 7 == 3:
                writer.seq += 1
                store.commit("r-1", Row(writer.seq, "attempt", number, "work"), pointer(writer.seq))
            writer.step({"log": [number], "n": number})
            kept.append(writer.seq)
        own = len(snapshots(store))
        run = StoredRun(head("r-2"), pointer(len(kept)))
        store.create(run, [], "{}", ("r-1", writer.seq))
        copied = len(snapshots(store))
        assert copied == 2 * own > 20
        for seq, original in enumerate(kept, 1):
            assert store.values("r-2", seq) == store.values("r-1", original)
        going_on = Writer.of(store, "r-2", writer, len(kept))
        for number in range(9):
            going_on.step({"log": [number, number]})
        assert len(snapshots(store)) > copied
        assert {seq: store.values("r-2", seq) for seq in going_on.expected} == going_on.expected


@pytest.mark.parametrize(
    "damage",
    [
        "ledger SET updates = '{}'",
        "ledger SET digest = NULL",
        "ledger SET node = 'other'",
        "ledger SET duration = 9.5",
        "ledger SET digest = digest + 1",
        "snapshots SET lengths = '{}'",
        "snapshots SET tails = NULL",
        "snapshots SET digest = 0",
    ],
)
def test_a_fork_takes_damage_over_as_it_is_and_its_checksums_never_fit(path: Path, damage: str) -> None:
    with SqliteStore(path, snapshots=SnapshotPolicy(3, 3), durability="normal") as store:
        writer = Writer(store, {}, {"log": "append"})
        store.commit("r-1", Row(2, "attempt", 1, "work"), pointer(2))
        writer.seq = 2
        for number in range(30):
            writer.step({"log": [number], "n": number})
        at = next(seq for seq, _, _ in snapshots(store) if seq > 5)
        store._db.execute(f"UPDATE {damage} WHERE id & 0xFFFFFFFF = {at}")
        assert store._db.changes() == 1
        store.create(StoredRun(head("r-2"), pointer(31)), [], DEFINITION, ("r-1", 32))
        store.create(StoredRun(head("r-3"), pointer(at - 2)), [], DEFINITION, ("r-1", at - 1))
        assert store.values("r-3", at - 2) == writer.expected[at - 1]
        with pytest.raises(StoreDamaged, match=f"row {at - 1} of run number 2 is not as it was written"):
            _ = store.rows("r-2"), store.values("r-2", at - 1)
    told = [(found.run, found.row) for found in file_damages(path) if found.row is not None]
    assert dict(reversed(told)) == {"r-1": at, "r-2": at - 1}, "the first damage of each run"


@pytest.mark.parametrize("kind", ["attempt", "decision", "unknown"])
def test_a_row_that_is_damaged_is_never_left_out_of_a_fork(path: Path, kind: str) -> None:
    with SqliteStore(path) as store:
        writer = Writer(store, {"n": 0})
        writer.step({"n": 1})
        writer.step({"n": 2})
        store._db.execute("UPDATE ledger SET kind = ? WHERE id & 0xFFFFFFFF = 2", (kind,))
        with pytest.raises(StoreDamaged, match="row 2 of run number 1 is not as it was written"):
            store.create(StoredRun(head("r-2"), pointer(3)), [], DEFINITION, ("r-1", 3))
        assert [run.head.id for run in store.runs()] == ["r-1"]


@pytest.mark.parametrize("change", ["DELETE FROM ledger", "UPDATE ledger SET id = id + 9"])
def test_a_run_with_gaps_is_not_forked(path: Path, change: str) -> None:
    with SqliteStore(path) as store:
        writer = Writer(store, {"n": 0})
        for number in range(5):
            writer.step({"n": number})
        store._db.execute(f"{change} WHERE id & 0xFFFFFFFF = 3")
        assert store.measure_fork("r-1", 2)[0] == 2
        for upto in (3, 4, 6):
            with pytest.raises(StoreDamaged, match="has gaps"):
                store.measure_fork("r-1", upto)


@pytest.mark.parametrize("left_out", [(), (2,), (9,), (2, 3, 4), (3, 5, 7, 8), tuple(range(2, 10))])
def test_a_fork_is_whole_wherever_rows_are_left_out(path: Path, left_out: tuple[int, ...]) -> None:
    with SqliteStore(path, snapshots=SnapshotPolicy(2, 2), durability="normal") as store:
        writer = Writer(store, {}, {"log": "append"})
        kept = [1]
        for seq in range(2, 10):
            if seq in left_out:
                store.commit("r-1", Row(seq, "attempt", 1, "work"), pointer(seq))
                writer.seq = seq
            else:
                writer.step({"log": [seq], "n": seq})
                kept.append(seq)
        store.create(StoredRun(head("r-2"), pointer(len(kept))), [], DEFINITION, ("r-1", 9))
        assert [row.seq for row in store.rows("r-2")] == [*range(1, len(kept) + 1)]
        for seq, original in enumerate(kept, 1):
            assert store.values("r-2", seq) == store.values("r-1", original)
    assert list(file_damages(path)) == []


@pytest.mark.parametrize("text", ["not a list", 5, {"a": 1}])
def test_an_append_key_that_holds_no_list_is_kept_as_it_is(path: Path, text: Json) -> None:
    with SqliteStore(path, snapshots=SnapshotPolicy(1, 1)) as store:
        writer = Writer(store, {"log": text}, {"log": "append"})
        writer.step({"n": 1})
        writer.edit({"log": ["now a list"]})
        writer.step({"log": "more"})
        assert {seq: store.values("r-1", seq) for seq in writer.expected} == writer.expected
