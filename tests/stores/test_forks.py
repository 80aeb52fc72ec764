"""A process that is forked while it has stores open: neither parent nor child hangs, or loses a commit."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Executor, StateGraph
from stepgraph.stores.sqlite import SqliteStore
from stepgraph.values.errors import StoreLost
from tests.crash.children import ask
from tests.stores.building import create


@pytest.mark.parametrize("other", [True, False])
def test_a_file_that_was_taken_away_since_the_fork_is_not_made_anew(path: Path, other: bool) -> None:
    with SqliteStore(path) as store:
        create(store)
        assert ask(lambda _: None) == []
        path.rename(path.with_name("away.db"))
        if other:
            SqliteStore(path).close()
        with pytest.raises(StoreLost):
            store.load("r-1")
        assert path.exists() == other


def test_a_node_may_fork(path: Path) -> None:
    def double(state: Any) -> dict[str, Any]:
        with multiprocessing.get_context("fork").Pool(1) as pool:
            return {"n": pool.apply(int.__mul__, (2, state["n"]))}

    graph = StateGraph("forks", start="double")
    graph.add_node("double", double)
    graph.add_edge("double", END, when="n > 10")
    graph.add_edge("double", "double")
    with SqliteStore(path) as store:
        executor = Executor(graph.compile(), store)
        run = executor.run(executor.start({"n": 3}))
        run.raise_for_status()
        assert (run.values, run.step) == ({"n": 12}, 2)
