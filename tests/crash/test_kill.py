"""kill -9 at any moment: no acknowledged step is lost, and the run goes on."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.crash.children import Child
from tests.crash.counting import Meeting, counting, steps_kept, steps_told
from tests.examples import times

pytestmark = [pytest.mark.crash, pytest.mark.slow]

_MOST = 30  # lines that a child may tell; at none it is killed while it opens the store
_LONGEST = 0.003  # seconds that it has left then: a few steps


def kill_in_time(children: list[Child], chance: random.Random, fewest: int = 0) -> None:
    """Kill the children, each at a moment of its own, and after so many lines at the earliest."""
    living = {child: chance.randrange(fewest, _MOST) for child in children}
    while living:
        for child, enough in list(living.items()):
            running = child.listen(_LONGEST)
            if running and len(child.lines) < enough:
                continue
            until = time.monotonic() + chance.uniform(0, _LONGEST)
            while running and (left := until - time.monotonic()) > 0:
                running = child.listen(left)
            child.kill()
            del living[child]


# acceptance 116, 129, e9 18
def test_a_run_survives_a_hundred_kills(tmp_path: Path, chance: random.Random) -> None:
    path = tmp_path / "folder" / "runs.db"
    progress = 0
    for run_number in times(10):
        run_id = f"r-{run_number}"
        kept = 0
        for _ in range(10):
            child = Child(counting(path, run_id))
            kill_in_time([child], chance)
            told = steps_told(child.lines)
            assert told == list(range(kept + 1, kept + 1 + len(told))), (
                "it goes on where the last one was killed"
            )
            acknowledged, kept = kept + len(told), steps_kept(path, run_id)
            assert acknowledged <= kept <= acknowledged + 1
        progress += kept
    assert progress > 50 * len(times(10))


def test_two_processes_with_a_run_each_survive(tmp_path: Path, chance: random.Random) -> None:
    path = tmp_path / "runs.db"
    kept = {"r-1": 0, "r-2": 0}
    for _ in times(20):
        children = {run_id: Child(counting(path, run_id)) for run_id in kept}
        kill_in_time(list(children.values()), chance)
        for run_id, child in children.items():
            told = steps_told(child.lines)
            assert "conflict" not in child.lines
            assert told == list(range(kept[run_id] + 1, kept[run_id] + 1 + len(told)))
            acknowledged, kept[run_id] = kept[run_id] + len(told), steps_kept(path, run_id)
            assert acknowledged <= kept[run_id] <= acknowledged + 1
    assert min(kept.values()) > 5 * len(times(20))


# acceptance 122, 129
def test_two_processes_with_the_same_run_survive(tmp_path: Path, chance: random.Random) -> None:
    path = tmp_path / "runs.db"
    kept = 0
    for _ in times(20):
        meeting = Meeting()  # both read the same version before either of them commits
        children = [Child(counting(path, "r-1", meeting, side)) for side in range(2)]
        meeting.close()
        kill_in_time(children, chance, fewest=1)
        told = sorted(step for child in children for step in steps_told(child.lines))
        before, kept = kept, steps_kept(path, "r-1")
        firsts = [child.lines[0] for child in children]
        assert sorted(firsts) == [str(before + 1), "conflict"]
        assert len(told) == len(set(told)), "a step was acknowledged by both"
        assert set(told) <= set(range(before + 1, kept + 1))
        assert kept - before - len(told) <= 2, "each may have been killed between its commit and its word"
    assert kept > 5 * len(times(20))
