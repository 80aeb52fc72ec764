"""kill -9 while big values are written: no row is there without the value that it refers to."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from stepgraph import Executor, SqliteStore, StateGraph
from stepgraph.stores.sqlite import file_damages
from stepgraph.values.errors import UnknownRun
from tests.crash.children import Child, Work
from tests.crash.test_kill import kill_in_time
from tests.examples import times

pytestmark = [pytest.mark.crash, pytest.mark.slow]


def _document(step: int) -> str:
    """A document that comes again after every third step."""
    return f"document {step % 3} " * 8_000


def _write(state: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "n": state["n"] + 1,
        "doc": _document(state["n"] + 1),
        f"only {state['n']}": f"{state['n']} " * 40_000,
    }


def _app() -> Any:
    graph = StateGraph("writing", start="write", max_steps=10**9)
    graph.add_key("n", default=0)
    graph.add_node("write", _write)
    graph.add_edge("write", "write")
    return graph.compile()


APP = _app()


def writing(path: Path) -> Work:
    """Drive the run for ever, telling the number of each step once it is committed."""

    def work(tell: Callable[[str], None]) -> None:
        with SqliteStore(path, durability="normal") as store:
            executor = Executor(APP, store)
            try:
                run = executor.load("r-1")
            except UnknownRun:
                run = executor.start({}, "r-1")
            while True:
                tell(str(executor.step(run).step))

    return work


# acceptance 108, 116
def test_no_kill_leaves_a_row_without_its_big_value(tmp_path: Path, chance: random.Random) -> None:
    path = tmp_path / "runs.db"
    kept = 0
    for _ in times(15):
        child = Child(writing(path))
        kill_in_time([child], chance)
        told = [int(line) for line in child.lines]
        assert told == list(range(kept + 1, kept + 1 + len(told)))
        if not path.exists():
            continue
        if not kept + len(told):
            SqliteStore(path).close()  # its making may have been cut, which opening it goes on with
        assert list(file_damages(path)) == []
        with SqliteStore(path) as store:
            try:
                rows = store.rows("r-1")
            except UnknownRun:
                continue
            before, kept = kept + len(told), sum(row.kind == "step" for row in rows)
            assert before <= kept <= before + 1
            values = store.values("r-1", len(rows))
        assert values["n"] == kept
        assert not kept or values["doc"] == _document(kept)
        assert [row.updates["doc"] for row in rows[1:] if row.updates] == [
            _document(step) for step in range(1, kept + 1)
        ]
    assert kept  # how many steps there is time for is up to the machine
