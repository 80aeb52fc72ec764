"""kill -9 while runs are deleted: each transaction has happened, or it has not."""

from __future__ import annotations

import random
import shutil
import time
from pathlib import Path

import pytest

from stepgraph.stores.sqlite import SnapshotPolicy, SqliteStore
from stepgraph.stores.sqlite.checking import file_damages
from tests.crash.children import Child, Work
from tests.stores.building import Writer

pytestmark = [pytest.mark.crash, pytest.mark.slow]

_RUNS, _STEPS = 60, 40
_TOGETHER = 6
_LONGEST = 0.004  # seconds between what a child tells and its end


def fill(path: Path) -> None:
    with SqliteStore(path, durability="normal", snapshots=SnapshotPolicy(min_rows=5)) as store:
        for number in range(_RUNS):
            writer = Writer(store, {"log": []}, {"log": "append"}, f"r-{number}")
            for step in range(_STEPS):
                writer.step({"log": [step], "n": step})


def deleting(path: Path) -> Work:
    """Delete all that is there, some at a time, and tell of each before and after."""

    def work(tell: object) -> None:
        assert callable(tell)
        with SqliteStore(path) as store:
            left = store.versions()
            names = sorted(left)
            for at in range(0, len(names), _TOGETHER):
                some = names[at : at + _TOGETHER]
                tell(f"begin {' '.join(some)}")
                deleted = store.delete_runs({name: left[name] for name in some})
                tell(f"end {' '.join(deleted)}")

    return work


def test_what_is_deleted_is_deleted_whole_and_the_rest_is_whole(
    tmp_path: Path, chance: random.Random
) -> None:
    cut = 0
    fill(tmp_path / "full.db")
    for round_number in range(20):
        path = Path(shutil.copy(tmp_path / "full.db", tmp_path / f"runs-{round_number}.db"))
        child = Child(deleting(path))
        enough = chance.randrange(1, 2 * _RUNS // _TOGETHER)
        while child.listen(_LONGEST) and len(child.lines) < enough:
            pass
        until = time.monotonic() + chance.uniform(0, _LONGEST)
        while (left := until - time.monotonic()) > 0 and child.listen(left):
            pass
        child.kill()
        begun = [line.split()[1:] for line in child.lines if line.startswith("begin")]
        ended = [line.split()[1:] for line in child.lines if line.startswith("end")]
        with SqliteStore(path) as store:
            kept = set(store.versions())
            for names in ended:
                assert kept.isdisjoint(names), "a deletion that was told of has happened"
            for names in begun[len(ended) :]:
                assert kept.isdisjoint(names) or kept.issuperset(names), "all of them, or none"
                cut += 1
            assert len(kept) >= _RUNS - _TOGETHER * (len(begun) + 1)
            for name in kept:
                assert store.values(name, _STEPS + 1) == {"log": [*range(_STEPS)], "n": _STEPS - 1}
        assert list(file_damages(path)) == []
    assert cut > 0, "none was killed in the middle"
