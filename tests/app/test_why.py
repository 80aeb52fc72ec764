"""The Why pane: every edge, its condition, the values it looked at, who wrote them, and which won."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, NodeResult, ReviewRequest, StateGraph
from stepgraph.graphs.parts import NodeEntry
from stepgraph.nodes.approval import ApprovalNode
from stepgraph.values.json_values import Json
from stepgraph_tui.run_view import RunSnapshot
from tests.app.telling import Driven, graph_of, story, text_of


def test_facts_of_the_run_say_what_they_are() -> None:
    graph = graph_of(("a", "step == 9 or visits.a > 3", None), (END, 'last_output != "x"', None))
    seen = text_of(story(Driven(graph).step().now()))
    assert "step 1 the number of this step" in seen
    assert "visits.a 1 visits so far, this step included" in seen
    assert 'last_output "{}" the output of this node' in seen


def test_a_python_condition_that_raised_says_what() -> None:
    def broken(context: object) -> bool:
        raise ValueError("[red]no\x1b[0m")

    seen = text_of(story(Driven(graph_of((END, broken, None))).step().now()))
    assert "failed: ValueError: [red]no\\x1b[0m" in seen


@pytest.mark.parametrize("policy", ["flag", "fail"])
def test_the_cap_is_explained_with_the_whole_loop_report(policy: str) -> None:
    graph = StateGraph("g", start="a", max_steps=6, on_max_steps=policy)  # type: ignore[arg-type]
    graph.add_node("a", lambda state: {"n": state.visit})
    graph.add_node("b", lambda state: {})
    graph.add_edge("a", "b", label="on")
    graph.add_edge("b", "a")
    seen = text_of(story(Driven(graph, {"stuck": 1}).step(9).now()))
    assert "It stopped at its limit of 6 steps" in seen
    assert "went round" in seen
    assert "kept matching" in seen
    assert "visits a 3, b 3" in seen
    assert "never changed stuck" in seen


def test_a_python_node_that_asks_leads_where_nobody_can_know() -> None:
    graph = StateGraph("g", start="ask")
    graph.add_node("ask", lambda state: NodeResult.pause(ReviewRequest("sure?")))
    graph.add_edge("ask", END, when="x == 1")
    seen = text_of(story(Driven(graph).step().now()))
    assert "y approve cannot be known: it depends on what the code of 'ask' does" in seen


def test_a_template_that_takes_long_is_not_rendered_for_every_verb(monkeypatch: pytest.MonkeyPatch) -> None:
    moment: RunSnapshot = Driven().step(4).now()
    ticks = iter(range(100))
    monkeypatch.setattr("stepgraph_tui.widgets.why.pane.thread_time", lambda: float(next(ticks)) / 10 * 3)
    assert "its question is still being built" in text_of(story(moment))


def approval(*edges: tuple[str, str | None], **more: Any) -> StateGraph:
    """A graph whose only node asks a person."""
    graph = StateGraph("g", start="ask", **more)
    settings: dict[str, Json] = {"prompt": "ok?", "editable": {"n": "number"}}
    graph.add_entry(NodeEntry("ask", ApprovalNode("ask", **settings), "approval", settings))
    graph.add_node("act", lambda state: {})
    for target, when in edges:
        graph.add_edge("ask", target, when=when)
    graph.add_edge("act", "ask", when="n == 1")
    graph.add_edge("act", END)
    return graph


def test_an_answer_that_asks_again_or_meets_the_cap_says_so() -> None:
    again = text_of(story(Driven(approval(("ask", None)), {"n": 5}).now()))
    assert "y approve → ask asks a person" in again
    capped = text_of(story(Driven(approval(("act", None), max_steps=1), {"n": 5}).now()))
    assert "y approve → the run stops at its step limit before act" in capped


def test_a_run_that_was_stopped_by_its_clock_says_so() -> None:
    graph = StateGraph("g", start="a", max_seconds=2)

    def slow(state: object) -> dict[str, Any]:
        driven.clock.advance(3)
        return {}

    graph.add_node("a", slow)
    graph.add_edge("a", "a")
    driven = Driven(graph)
    assert "its nodes have run for 2 seconds or more" in text_of(story(driven.step().now()))
