"""Snapshots: past states are read quickly, and the file stays within about twice what changed."""

from __future__ import annotations

from pathlib import Path

from stepgraph.stores.snapshots import SnapshotPolicy
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.json_values import Json
from tests.stores.building import Writer


def snapshots(store: SqliteStore) -> list[tuple[int, int, str | None]]:
    """For each snapshot its row, its weight and its tails."""
    found = store.backend.db.execute(
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


def test_appending_costs_about_twice_what_is_appended(tmp_path: Path) -> None:
    sizes = [size_after(tmp_path / f"{steps}.db", {}, {"log": ["m" * 1000]}, steps) for steps in (500, 1000)]
    assert sizes[1] < 3
    assert sizes[1] < 2.1 * sizes[0], "the size is linear"


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
