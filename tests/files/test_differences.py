"""What differs between two documents, by meaning."""

from __future__ import annotations

import copy
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph.documents.comparing import changes, differences

OLD: dict[str, Any] = {
    "format": 1,
    "name": "demo",
    "start": "a",
    "state": {"n": {"default": 1}},
    "tools": {"t": {"handler": "m:f"}},
    "nodes": {"a": {"type": "llm", "prompt": "Hi"}, "b": {"type": "python"}},
    "edges": [
        {"from": "a", "to": "b", "when": "n > 3"},
        {"from": "a", "to": "END"},
        {"from": "b", "to": "END", "when": {"predicate": "python"}},
    ],
}


def changed(**parts: Any) -> dict[str, Any]:
    return copy.deepcopy(OLD) | parts


def test_a_document_does_not_differ_from_itself() -> None:
    assert differences(OLD, copy.deepcopy(OLD)) == []


@pytest.mark.parametrize(
    ("parts", "lines"),
    [
        ({"name": "other"}, ['name: "demo" became "other"']),
        ({"max_steps": 9}, ["max_steps: 50 became 9"]),
        ({"no_feedback": ["a"]}, ['no_feedback: [] became ["a"]']),
        ({"state": {}}, ["state key 'n' was removed"]),
        ({"state": {"n": {"default": True}}}, ["state key 'n': default 1 became true"]),
        ({"state": {"n": {}}}, ["state key 'n': default 1 was removed"]),
        ({"state": {"n": {"default": 1, "secret": True}}}, ["state key 'n': secret true was added"]),
        ({"tools": {"t": {"handler": "python"}}}, ['tool \'t\': handler "m:f" became "python"']),
        (
            {"nodes": {"a": {"type": "llm", "prompt": "Ho" * 40}, "c": {"type": "python"}}},
            ["node 'b' was removed", "node 'a': prompt changed", "node 'c' was added"],
        ),
        (
            {"edges": [{"from": "a", "to": "b", "when": "n > 4"}, *OLD["edges"][1:]]},
            ["edge 'a' -> 'b': its condition n > 3 became n > 4"],
        ),
        ({"edges": OLD["edges"][1:]}, ["edge 'a' -> 'b' (n > 3) was removed"]),
        (
            {"edges": [*OLD["edges"], {"from": "a", "to": "a", "when": {"key": "n", "equals": 2}}]},
            ["edge 'a' -> 'a' (n == 2) was added"],
        ),
        (
            {"edges": [OLD["edges"][1], OLD["edges"][0], OLD["edges"][2]]},
            ["edge 'a' -> 'END' is now tried before 'a' -> 'b'"],
        ),
        (
            {"edges": [*OLD["edges"][:2], {"from": "b", "to": "END", "when": {"predicate": "m:f"}}]},
            ["edge 'b' -> 'END': its condition python became m:f"],
        ),
    ],
)
def test_each_difference_is_one_line(parts: dict[str, Any], lines: list[str]) -> None:
    assert differences(OLD, changed(**parts)) == lines


def test_two_equal_edges_of_a_pair_count_twice() -> None:
    twice = changed(edges=[OLD["edges"][1], OLD["edges"][1]])
    once = changed(edges=[OLD["edges"][1]])
    assert differences(twice, once) == ["edge 'a' -> 'END' (always) was removed"]


def test_notes_and_labels_are_told_where_they_are_asked_for() -> None:
    new = changed(note="new", state={"n": {"default": 1, "note": "x"}})
    new["edges"][0] |= {"label": "many", "note": "y"}
    assert [change.said for change in changes(OLD, new, words=True)] == [
        'note "new" was added',
        "state key 'n': note \"x\" was added",
        "edge 'a' -> 'b': label \"many\" was added",
        "edge 'a' -> 'b': note \"y\" was added",
    ]
    assert [change.said for change in changes(new, OLD, words=True)][-1] == (
        "edge 'a' -> 'b': note \"y\" was removed"
    )


def test_the_default_of_a_secret_key_is_not_told() -> None:
    old = changed(state={"n": {"default": "hunter2", "secret": True}})
    for new, said in (
        (changed(state={"n": {"default": "hunter3", "secret": True}}), "changed"),
        (changed(state={"n": {"default": "hunter3"}}), "changed"),
        (changed(state={"n": {"secret": True}}), "was removed"),
    ):
        found = list(changes(old, new))
        assert f"state key 'n': default {said}" in [change.said for change in found]
        assert "hunter" not in repr(found)


def fan(order: list[int]) -> dict[str, Any]:
    edges = [{"from": "a", "to": f"n{number}"} for number in order]
    return {"name": "fan", "edges": edges}


@given(st.permutations(range(6)))
def test_as_few_edges_as_possible_are_told_to_have_moved(order: list[int]) -> None:
    lines = differences(fan(list(range(6))), fan(order))
    rising = max(
        size for size in range(1, 7) for some in combinations(order, size) if list(some) == sorted(some)
    )
    assert len(lines) == 6 - rising
    for line in lines:
        edge, word, other = (
            line.replace("'", "").split(" ")[3],
            line.split(" ")[7],
            line.split(" ")[-1].strip("'"),
        )
        places = [f"n{number}" for number in order]
        assert (places.index(edge) < places.index(other)) == (word == "before")
        assert (int(edge[1:]) < int(other[1:])) == (word == "after")


def test_edges_that_lead_to_one_place_are_told_by_their_conditions() -> None:
    edges = [{"from": "a", "to": "b", "when": when} for when in ("n > 1", "n > 2")]
    assert differences({"edges": edges}, {"edges": edges[::-1]}) == [
        "edge 'a' -> 'b' (n > 2) is now tried before 'a' -> 'b' (n > 1)"
    ]
