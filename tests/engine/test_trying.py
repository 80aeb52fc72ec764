"""Trying a node: what a run's step would do, and no run of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph import (
    END,
    NodeResult,
    RunError,
    StateError,
    StateGraph,
    TrustError,
)
from stepgraph.files import grant, read_graph
from stepgraph.graphs.plan import CompiledGraph
from stepgraph.runs.trial import state_to_try, try_node
from stepgraph.values.errors import HandlerError


def loop(node: Any, *edges: tuple[str, Any], **settings: Any) -> CompiledGraph:
    """A graph with one node of interest, whose edges lead on or back."""
    graph = StateGraph("loop", start="work", **settings)
    graph.add_node("work", node)
    graph.add_node("rest", lambda state: {})
    for target, when in edges or [("rest", None)]:
        graph.add_edge("work", target, when=when)
    graph.add_edge("rest", "work", when="count > 9")
    graph.add_edge("rest", END)
    graph.add_key("count", type="number", default=0)
    return graph.compile()


def test_defaults_fill_what_is_missing_and_none_takes_them_away() -> None:
    app = loop(lambda state: {"seen": sorted(state)})
    assert try_node(app, "work", {}).before == {"count": 0}
    assert try_node(app, "work", {"count": None, "more": [1]}).updates == {"seen": ["more"]}


def test_every_value_that_no_state_holds_is_refused_by_its_path() -> None:
    app = loop(lambda state: pytest.fail("it ran"))
    with pytest.raises(StateError) as raised:
        try_node(app, "work", {"count": "many", "docs": [{1, 2}]})
    assert 'state["count"] is text, declared as number' in str(raised.value)
    assert 'state["docs"][0] is a set' in str(raised.value)
    with pytest.raises(StateError, match="the values are"):
        state_to_try(app, [])  # type: ignore[arg-type]  # the point


def test_a_predicate_sees_the_last_outputs() -> None:
    seen: list[Any] = []

    def look(context: Any) -> bool:
        seen.append((context.node, context.visits, context.outputs, context.last_output, dict(context.state)))
        return True

    app = loop(lambda state: NodeResult({"count": 1}, output="now"), ("rest", look))
    try_node(app, "work", {}, visit=2, visits={"rest": 1}, previous_output="before")
    assert seen == [("work", {"rest": 1, "work": 2}, {"work": ["before", "now"]}, "now", {"count": 1})]


@pytest.mark.parametrize("wrong", [{"step": 0}, {"visit": 0}, {"visit": True}, {"step": 1.5}])
def test_numbers_that_no_run_has_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(RunError, match="counted from 1"):
        try_node(loop(lambda state: {}), "work", {}, **wrong)


def test_a_node_that_is_not_there_is_named() -> None:
    with pytest.raises(RunError, match="has no node 'wrok'") as raised:
        try_node(loop(lambda state: {}), "wrok", {})
    assert "work" in raised.value.hint


CODE = """
format = 1
name = "code"
start = "mine"

[nodes.mine]
type = "handler"
handler = "work:mine"

[nodes.other]
type = "handler"
handler = "missing:other"

[[edges]]
from = "mine"
to = "other"

[[edges]]
from = "other"
to = "END"
"""


def test_code_that_nobody_trusts_is_not_even_imported(tmp_path: Path) -> None:
    (tmp_path / "graph.toml").write_text(CODE, encoding="utf-8")
    (tmp_path / "work.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    app = read_graph(tmp_path / "graph.toml").compile()
    with pytest.raises(TrustError):
        try_node(app, "mine", {})


def test_only_what_the_node_needs_must_be_there(tmp_path: Path) -> None:
    (tmp_path / "graph.toml").write_text(CODE, encoding="utf-8")
    (tmp_path / "work.py").write_text("def mine(state):\n    return {'a': 1}\n", encoding="utf-8")
    app = read_graph(tmp_path / "graph.toml").compile()
    grant(app)
    assert try_node(app, "mine", {}).updates == {"a": 1}
    with pytest.raises(HandlerError):
        try_node(app, "other", {})
