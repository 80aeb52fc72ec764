"""Runs as trees of forks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.runs.fork_tree import Branch, fork_tree, origin_text, parent_of
from stepgraph.stores.base import StoredRun
from stepgraph.stores.ledger import Pointer, RunHead, RunStatus


def run(run_id: str, origin: str | None = None) -> StoredRun:
    head = RunHead(run_id, "demo", 1.0, None, None if origin is None else f"{origin}@3")
    return StoredRun(head, Pointer(1, "0" * 32, RunStatus.READY, "a", 0, 9))


def drawn(tree: list[Branch]) -> list[str]:
    return ["  " * branch.depth + branch.run.head.id for branch in tree]


def test_forks_stand_below_what_they_come_from() -> None:
    tree = fork_tree([run("a"), run("b"), run("c", "a"), run("d", "c"), run("e", "a")])
    assert drawn(tree) == ["a", "  c", "    d", "  e", "b"]
    assert [branch.rails for branch in tree] == [(), (True,), (True, False), (False,), ()]
    assert [branch.forks for branch in tree] == [2, 1, 0, 0, 0]


def test_a_family_stands_where_its_first_member_would() -> None:
    runs = [run("old"), run("mid"), run("new", "old")]
    assert drawn(fork_tree(runs, {"new": 0, "mid": 1, "old": 2})) == ["old", "  new", "mid"]


def test_a_fork_whose_origin_is_gone_stands_for_itself() -> None:
    assert drawn(fork_tree([run("b", "gone"), run("c", "b")])) == ["b", "  c"]


def test_an_id_with_an_at_sign_is_an_origin_too() -> None:
    assert drawn(fork_tree([run("a@1"), run("b", "a@1")])) == ["a@1", "  b"]


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


def test_what_is_folded_is_counted() -> None:
    tree = fork_tree([run("a"), run("b", "a"), run("c", "b"), run("d")], folded={"a", "d"})
    assert [(each.run.head.id, each.hidden) for each in tree] == [("a", 2), ("d", 0)]


def test_a_thousand_forks_of_forks_are_no_deep_recursion() -> None:
    runs = [run("0"), *(run(str(number), str(number - 1)) for number in range(1, 5_000))]
    tree = fork_tree(runs)
    assert [branch.depth for branch in tree] == list(range(5_000))
    assert max(len(branch.rails) for branch in tree) < 10


@given(st.lists(st.one_of(st.none(), st.integers(0, 12)), max_size=13))
def test_every_run_is_listed_once_whatever_a_store_says_of_origins(origins: list[int | None]) -> None:
    runs = [run(str(at), None if origin is None else str(origin)) for at, origin in enumerate(origins)]
    tree = fork_tree(runs)
    assert sorted(int(branch.run.head.id) for branch in tree) == list(range(len(runs)))
    for before, branch in pairwise(tree):
        assert branch.depth <= before.depth + 1
