"""kill -9 while runs are deleted: each transaction has happened, or it has not."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from stepgraph.stores.sqlite import SnapshotPolicy, SqliteStore
from stepgraph.stores.sqlite.checking import file_damages
from tests.crash.children import Child, Work
from tests.examples import times
from tests.stores.building import Writer

pytestmark = [pytest.mark.crash, pytest.mark.slow]

_RUNS, _STEPS = 60, 40
_TOGETHER = 6
_STATEMENTS = 300  # that all the deletions execute at least
_LONGEST = 0.004  # seconds between what a child tells and its end


def fill(path: Path) -> None:
    with SqliteStore(path, durability="normal", snapshots=SnapshotPolicy(min_rows=5)) as store:
        for number in range(_RUNS):
            writer = Writer(store, {"log": []}, {"log": "append"}, f"r-{number}")
            for step in range(_STEPS):
                writer.step({"log": [step], "n": step})


def deleting(path: Path, deadly: int = 0) -> Work:
    """Delete all that is there, some at a time, and tell of each before and after.

    Args:
        path: The file.
        deadly: The statement within a transaction, counted from 1, before which the process is killed;
            none when 0.
    """

    def work(tell: Callable[[str], None]) -> None:
        with SqliteStore(path) as store:
            left = store.versions()
            names = sorted(left)

            def count(*statement: object) -> bool:
                nonlocal deadly
                deadly -= store.backend.db.in_transaction
                if not deadly:
                    os.kill(os.getpid(), signal.SIGKILL)
                return True

            if deadly:
                store.backend.db.exec_trace = count
            for at in range(0, len(names), _TOGETHER):
                some = names[at : at + _TOGETHER]
                tell(f"begin {' '.join(some)}")
                deleted = store.delete_runs({name: left[name] for name in some})
                tell(f"end {' '.join(deleted)}")

    return work


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with all the runs."""
    path = tmp_path_factory.mktemp("full") / "runs.db"
    fill(path)
    return path


def kept_by(path: Path, child: Child) -> tuple[set[str], list[str]]:
    """Make sure that what was told has happened and that the rest is whole.

    Returns:
        The runs that are there, and those of the deletion that had begun and of which no end was told.
    """
    begun, ended = (
        [line.split()[1:] for line in child.lines if line.startswith(word)] for word in ("begin", "end")
    )
    with SqliteStore(path) as store:
        kept = set(store.versions())
        for names in ended:
            assert kept.isdisjoint(names), "a deletion that was told of has happened"
        assert len(kept) >= _RUNS - _TOGETHER * (len(begun) + 1)
        for name in kept:
            assert store.values(name, _STEPS + 1) == {"log": [*range(_STEPS)], "n": _STEPS - 1}
    assert list(file_damages(path)) == []
    return kept, [name for names in begun[len(ended) :] for name in names]


def test_what_is_deleted_is_deleted_whole_and_the_rest_is_whole(
    tmp_path: Path, full: Path, chance: random.Random
) -> None:
    for number in times(10):
        path = Path(shutil.copy(full, tmp_path / f"runs-{number}.db"))
        child = Child(deleting(path))
        enough = chance.randrange(1, 2 * _RUNS // _TOGETHER)
        while child.listen(_LONGEST) and len(child.lines) < enough:
            pass
        until = time.monotonic() + chance.uniform(0, _LONGEST)
        while (left := until - time.monotonic()) > 0 and child.listen(left):
            pass
        child.kill()
        kept, cut = kept_by(path, child)
        assert kept.isdisjoint(cut) or kept.issuperset(cut), "all of them, or none"


def test_a_deletion_that_is_cut_in_the_middle_has_not_happened(
    tmp_path: Path, full: Path, chance: random.Random
) -> None:
    for number in times(10):
        path = Path(shutil.copy(full, tmp_path / f"runs-{number}.db"))
        child = Child(deleting(path, chance.randrange(1, _STATEMENTS)))
        child.wait()
        kept, cut = kept_by(path, child)
        assert len(cut) == _TOGETHER, "it was killed within one"
        assert kept.issuperset(cut)
