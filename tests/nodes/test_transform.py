"""The node type transform."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, NodeFailed, StateGraph, TransformNode, check
from tests.nodes.support import bound, only, visited

STATE = {"order": {"id": 7, "amount": 12.5, "note": "n"}, "draft": "Dear Ana", "n": 3, "items": [1, {"a": 2}]}


def changed(**settings: Any) -> Any:
    return bound(TransformNode(**settings)).execute(visited(STATE)).updates


@pytest.mark.parametrize(
    ("settings", "message", "hint"),
    [
        ({"copy": {"a": "drfat"}}, "'drfat' is missing", "did you mean 'draft'?"),
        ({"rename": {"a": "order.amuont"}}, "'order.amuont' is missing", "did you mean 'amount'?"),
        (
            {"set": {"draft.a": 1}},
            "'draft.a' cannot be set: 'draft' is the text ",
            "set the whole of 'draft'",
        ),
        ({"set": {"a": "{{ drfat }}"}}, "the template 'set.a' needs", ""),
    ],
)
def test_what_cannot_be_done_fails_the_node(settings: dict[str, Any], message: str, hint: str) -> None:
    with pytest.raises(NodeFailed, match=message.replace("{", ".")) as caught:
        changed(**settings)
    assert hint in caught.value.hint


def test_paths_need_no_quotes_in_a_file() -> None:
    by_tables = TransformNode(set={"order": {"total": 1}}, copy={"a": {"b": "n"}})
    assert by_tables.settings == TransformNode(set={"order.total": 1}, copy={"a.b": "n"}).settings


@pytest.mark.parametrize("reducer", ["append", "merge"])
def test_no_part_of_a_key_with_a_reducer_can_be_taken_away(reducer: Any) -> None:
    graph = StateGraph("g", start="tidy")
    graph.add_key("order", reducer=reducer, default=[] if reducer == "append" else {})
    graph.declare_node("tidy", "transform", {"delete": ["order.note"], "rename": {"all": "order"}})
    graph.add_edge("tidy", END)
    problem = only([problem for problem in check(graph) if problem.is_error])
    assert (problem.code, problem.about) == ("G043", "order.note")
