"""What differs between two documents, by meaning."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from stepgraph.document import differences

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


def test_notes_labels_and_explicit_defaults_do_not_count() -> None:
    new = changed(note="new", max_steps=50, state={"n": {"default": 1.0, "note": "x"}})
    new["nodes"]["a"]["note"] = "x"
    new["edges"][0]["label"] = "many"
    assert differences(OLD, new) == []


def test_the_order_of_nodes_and_of_edges_of_different_nodes_does_not_count() -> None:
    new = changed(nodes=dict(reversed(OLD["nodes"].items())), edges=[OLD["edges"][i] for i in (2, 0, 1)])
    assert differences(OLD, new) == []


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
            ["the edges of 'a' are tried in another order: 'END', 'b'"],
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
