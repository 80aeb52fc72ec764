"""Runs as trees of forks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.runs.fork_trees import Branch, fork_tree, origin_text, parent_of
from stepgraph.stores.base import StoredRun
from stepgraph.stores.ledger import Pointer, RunHead, RunStatus


def run(run_id: str, origin: str | None = None) -> StoredRun:
    head = RunHead(run_id, "demo", 1.0, None, None if origin is None else f"{origin}@3")
    return StoredRun(head, Pointer(1, "0" * 32, RunStatus.READY, "a", 0, 9))


def drawn(tree: list[Branch]) -> list[str]:
    return ["  " * branch.depth + branch.run.head.id for branch in tree]


def test_a_fork_whose_origin_is_gone_stands_for_itself() -> None:
    assert drawn(fork_tree([run("b", "gone"), run("c", "b")])) == ["b", "  c"]


@pytest.mark.parametrize(
    ("origin", "parent", "told"),
    [
        ("r-1@3", "r-1", "r-1 after step 3"),
        ("r-1@3+1", "r-1", "r-1 after step 3 with 1 edit"),
        ("r-1@0+12", "r-1", "r-1 after step 0 with 12 edits"),
        ("me@home+2@4", "me@home+2", "me@home+2 after step 4"),
    ],
)
def test_an_origin_is_told_with_the_edits_that_were_taken_over(origin: str, parent: str, told: str) -> None:
    head = RunHead("r-2", "demo", 1.0, None, origin)
    assert (parent_of(head), origin_text(head, " after step ")) == (parent, told)


@given(st.lists(st.one_of(st.none(), st.integers(0, 12)), max_size=13))
def test_every_run_is_listed_once_whatever_a_store_says_of_origins(origins: list[int | None]) -> None:
    runs = [run(str(at), None if origin is None else str(origin)) for at, origin in enumerate(origins)]
    tree = fork_tree(runs)
    assert sorted(int(branch.run.head.id) for branch in tree) == list(range(len(runs)))
    for before, branch in pairwise(tree):
        assert branch.depth <= before.depth + 1
