"""The node type transform."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Executor, GraphError, NodeFailed, StateGraph, TransformNode, check
from stepgraph.editing.renaming import Rename
from tests.editing.designs import edited
from tests.nodes.support import bound, only, visited

STATE = {"order": {"id": 7, "amount": 12.5, "note": "n"}, "draft": "Dear Ana", "n": 3, "items": [1, {"a": 2}]}


def changed(**settings: Any) -> Any:
    return bound(TransformNode(**settings)).execute(visited(STATE)).updates


@pytest.mark.parametrize(
    ("settings", "updates"),
    [
        ({"set": {"status": "open"}}, {"status": "open"}),
        ({"set": {"double": "{{ order.amount * 2 }}"}}, {"double": 25.0}),
        ({"set": {"text": "{{ n }} of {{ order.id }}"}}, {"text": "3 of 7"}),
        ({"set": {"list": [1, "{{ n }}", {"a": "{{ draft }}"}]}}, {"list": [1, 3, {"a": "Dear Ana"}]}),
        ({"set": {"order.total": 5}}, {"order": {**STATE["order"], "total": 5}}),  # type: ignore[dict-item]
        ({"set": {"order": {"id": 8}}}, {"order": {**STATE["order"], "id": 8}}),  # type: ignore[dict-item]
        ({"set": {"a.b.c": True}}, {"a": {"b": {"c": True}}}),
        ({"set": {"empty": {}}}, {"empty": {}}),
        ({"set": {"draft": "{{ none }}"}}, {"draft": None}),
        ({"copy": {"backup": "draft", "amount": "order.amount"}}, {"amount": 12.5, "backup": "Dear Ana"}),
        ({"copy": {"order.text": "draft"}}, {"order": {**STATE["order"], "text": "Dear Ana"}}),  # type: ignore[dict-item]
        ({"rename": {"letter": "draft"}}, {"draft": None, "letter": "Dear Ana"}),
        ({"rename": {"amount": "order.amount"}}, {"amount": 12.5, "order": {"id": 7, "note": "n"}}),
        ({"rename": {"draft": "n", "n": "draft"}}, {"draft": 3, "n": "Dear Ana"}),
        ({"delete": ["draft", "order.note"]}, {"draft": None, "order": {"id": 7, "amount": 12.5}}),
        ({"delete": ["nothing", "order.nothing.at", "n.a"]}, {"n": 3, "order": STATE["order"]}),
        ({}, {}),
    ],
)
def test_keys_are_set_copied_renamed_and_deleted(settings: dict[str, Any], updates: dict[str, Any]) -> None:
    assert changed(**settings) == updates


def test_what_is_on_the_right_is_read_before_anything_changes() -> None:
    updates = changed(
        set={"draft": "new", "was": "{{ draft }}"},
        copy={"again": "draft"},
        rename={"m": "n"},
        delete=["draft"],
    )
    assert updates == {"draft": "new", "was": "Dear Ana", "again": "Dear Ana", "m": 3, "n": None}


def test_a_key_with_dots_in_its_name_is_no_path_into_another() -> None:
    node = bound(TransformNode(copy={"id": "order.id"}, delete=["order.id"]))
    updates = node.execute(visited({"order.id": 1, "order": {"id": 2}})).updates
    assert updates == {"id": 1, "order.id": None}


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


@pytest.mark.parametrize(
    "settings",
    [
        {"set": {"a": 1}, "copy": {"a": "b"}},
        {"copy": {"a": "b"}, "rename": {"a": "c"}},
        {"delete": ["a..b"]},
        {"set": {".a": 1}},
        {"rename": {"a": "b."}},
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(GraphError) as caught:
        TransformNode(**settings)
    assert only(list(caught.value.problems)).code == "G035"


def test_paths_need_no_quotes_in_a_file() -> None:
    by_tables = TransformNode(set={"order": {"total": 1}}, copy={"a": {"b": "n"}})
    assert by_tables.settings == TransformNode(set={"order.total": 1}, copy={"a.b": "n"}).settings


def test_it_tells_what_it_reads_and_writes() -> None:
    node = TransformNode(set={"a.b": "{{ x }}"}, copy={"c": "y.z"}, rename={"d": "e"}, delete=["f", "g.h"])
    assert node.facts().all_reads == {"x", "y", "e", "f", "g"}
    assert set(node.facts().writes or ()) == {"a", "c", "d", "g"}


@pytest.mark.parametrize("reducer", ["append", "merge"])
def test_no_part_of_a_key_with_a_reducer_can_be_taken_away(reducer: Any) -> None:
    graph = StateGraph("g", start="tidy")
    graph.add_key("order", reducer=reducer, default=[] if reducer == "append" else {})
    graph.declare_node("tidy", "transform", {"delete": ["order.note"], "rename": {"all": "order"}})
    graph.add_edge("tidy", END)
    problem = only([problem for problem in check(graph) if problem.is_error])
    assert (problem.code, problem.about) == ("G043", "order.note")


def test_it_runs_through_reducers() -> None:
    graph = StateGraph("g", start="keep")
    graph.add_key("log", reducer="append", default=["a"])
    graph.declare_node("keep", "transform", {"copy": {"log": "line"}, "delete": ["line"]})
    graph.add_edge("keep", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({"line": "b"}))
    assert run.values == {"log": ["a", "b"]}


def test_renaming_follows_into_both_sides() -> None:
    text = """
        [state.order]
        [nodes.t]
        type = "transform"
        set = { order.total = "{{ order.amount }}" }
        copy = { "order.a" = "order.b", c = "order" }
        rename = { d = "order.e" }
        delete = ["order.f", "other"]
    """
    table = edited(Rename("state", "order", "o"), text).design.nodes["t"].table
    assert table["set"] == {"o": {"total": "{{ o.amount }}"}}
    assert table["copy"] == {"o.a": "o.b", "c": "o"}
    assert (table["rename"], table["delete"]) == ({"d": "o.e"}, ["o.f", "other"])
