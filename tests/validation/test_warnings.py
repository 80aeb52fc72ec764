"""Warnings: what can run, but is most likely not meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stepgraph import END, Problem, StateGraph, check

from .building import Part, codes, from_text, nothing, only, part_graph, sound


def wired(*edges: tuple[str, str] | tuple[str, str, Any], **settings: Any) -> StateGraph:
    """A graph whose nodes are the ends of its edges but for "nowhere"; it starts at the first."""
    graph = StateGraph("wired", start=edges[0][0], **settings)
    for name in dict.fromkeys(end for edge in edges for end in edge[:2] if end not in (END, "nowhere")):
        graph.add_node(name, nothing)
    for edge in edges:
        graph.add_edge(*edge)
    return graph


def warned(graph: StateGraph, code: str) -> list[Problem]:
    found = [problem for problem in check(graph) if problem.code == code]
    assert all(problem.severity == "warning" for problem in found)
    return found


# acceptance 41
def test_a_node_that_no_edge_leads_to() -> None:
    problem = only(wired(("a", END), ("lost", "a")))
    assert (problem.code, problem.severity, problem.place.node) == ("G100", "warning", "lost")
    assert problem.message == "node 'lost' is never reached from the start 'a'"
    assert problem.hint == "add [[edges]] with to = 'lost', or remove it"


def test_nothing_is_said_of_what_an_edge_to_an_unknown_node_may_have_been_meant_to_reach() -> None:
    graph = wired(("a", END), ("b", END))
    assert [problem.place.node for problem in warned(graph, "G100")] == ["b"]
    graph.add_edge("a", "bb", when="n > 1")
    assert not warned(graph, "G100")


def test_a_node_behind_an_edge_that_is_never_taken_is_never_reached() -> None:
    assert codes(wired(("a", END), ("a", "b"), ("b", END))) == ["G100", "G103"]


def test_reachability_is_not_guessed_where_the_start_is_unknown() -> None:
    assert codes(sound(start="begin")) == ["G008"]


# acceptance 41
def test_a_cycle_without_a_way_out_and_what_leads_into_it() -> None:
    problems = check(wired(("a", "b"), ("b", "c"), ("c", "b")))
    assert [(problem.code, problem.place.node) for problem in problems] == [("G101", "a"), ("G102", "b")]
    assert problems[0].message == "no path leads from node 'a' to END"
    assert problems[1].message == (
        "nodes 'b', 'c' lead only to each other: the cycle has no way out, and runs in it end at max_steps"
    )
    assert all(problem.severity == "warning" and problem.hint for problem in problems)


def test_a_way_out_that_is_never_taken_is_none() -> None:
    assert codes(wired(("a", "b"), ("b", "a"), ("b", END))) == ["G102", "G103"]


def test_a_cycle_that_ends_where_nothing_matches_has_a_way_out() -> None:
    assert codes(wired(("a", "a", "n < 3"), on_no_match="end")) == []
    assert codes(wired(("a", "a", "n < 3"))) == ["G104", "G102"]


# acceptance 41
def test_an_edge_behind_one_that_always_matches() -> None:
    graph = sound()
    graph.add_edge("review", "draft", when="n > 1")
    problem = only(graph)
    assert (problem.code, problem.severity, problem.place.edge) == ("G103", "warning", 2)
    assert problem.message == (
        "edge 3 (review -> draft) is never taken: edge 2 (review -> END) is tried first and always matches"
    )
    assert problem.hint == "move its [[edges]] up, or remove it"


def test_an_edge_whose_condition_does_not_parse_shadows_nothing() -> None:
    assert codes(wired(("a", "b", "n >"), ("a", END), ("b", END))) == ["G016"]


# acceptance 41
def test_a_node_without_a_fallback() -> None:
    problem = only(wired(("a", "b", "n > 1"), ("a", END, "n < 1"), ("b", END)))
    assert (problem.code, problem.severity, problem.place.node) == ("G104", "warning", "a")
    assert problem.message == "node 'a' has no fallback: a run fails when no condition of its edges holds"
    assert problem.hint == "add a last [[edges]] with from = 'a' and without when"


def test_no_fallback_is_needed_where_a_run_ends_when_nothing_matches() -> None:
    graph = wired(("a", "b", "n > 1"), ("a", END, "n < 1"), ("b", END), on_no_match="end")
    assert codes(graph) == []


def test_a_model_that_is_not_configured(tmp_path: Path) -> None:
    graph = from_text(part_graph(ask=Part(models="fast strong")), "", tmp_path)
    (problem,) = check(graph, models=["fast"])
    assert (problem.code, problem.severity, problem.place.node) == ("G106", "warning", "ask")
    assert problem.message == "node 'ask' needs the model 'strong', which is not configured here"
    assert problem.hint == "type `stepgraph models add strong`, or give the node scripted replies"
    assert codes(graph) == ["G106", "G106"]


def gated(**settings: Any) -> StateGraph:
    """A graph that asks a person at ``gate``."""
    graph = StateGraph("gated", start="gate")
    graph.declare_node("gate", "approval", {"prompt": "Go on?", **settings})
    graph.add_edge("gate", END)
    return graph


def test_two_that_ask_may_share_a_record_but_nobody_else_may_write_there() -> None:
    graph = gated()
    graph.declare_node("again", "approval", {"prompt": "Sure?"})
    graph.declare_node("critic", "llm", {"prompt": "Judge it", "output": "review", "replies": ["good"]})
    for source, target in (("gate", "again"), ("again", "critic"), ("critic", END)):
        graph.add_edge(source, target)
    (problem,) = warned(graph, "G108")
    assert problem.place.node == "again"
    assert "node 'critic' writes there too" in problem.message


LLM: dict[str, Any] = {"prompt": "Go on.", "replies": ["done"]}


def calling(*before: tuple[str, str], key: dict[str, Any] | None = None) -> list[str]:
    """What is said of the calls of a node ``call``, behind nodes of these names and types."""
    graph = StateGraph("calling", start=before[0][0])
    for name, type_ in before:
        if type_ == "python":
            graph.add_node(name, nothing)
        else:
            graph.declare_node(name, type_, LLM if type_ == "llm" else {})
    graph.declare_node("call", "tool", {})
    for (source, _), (target, _) in zip(before, [*before[1:], ("call", "")], strict=True):
        graph.add_edge(source, target)
    graph.add_edge("call", END)
    if key is not None:
        graph.add_key("tool_call", **key)
    return [problem.message for problem in warned(graph, "G114")]


def test_a_tool_node_that_nothing_can_have_given_a_call() -> None:
    assert (
        calling(("first", "tool"))[0]
        == "node 'first' calls the tool that 'tool_call' names, and nothing before it writes that"
    )
    assert len(calling(("first", "tool"))) == 2
    assert calling(("ask", "llm")) == []
    assert calling(("work", "python")) == []  # it may write anything
    assert calling(("ask", "llm"), ("first", "tool")) == []
    assert calling(("first", "tool"), key={"input": True}) == []
    assert calling(("first", "tool"), key={"default": {"name": "a", "arguments": {}}}) == []


def test_a_model_that_no_edge_leads_from_gives_no_call() -> None:
    graph = StateGraph("apart", start="call")
    graph.declare_node("ask", "llm", LLM)
    graph.declare_node("call", "tool", {})
    graph.add_edge("call", "ask")
    graph.add_edge("ask", END)
    assert [problem.place.node for problem in warned(graph, "G114")] == ["call"]
    graph.add_edge("ask", "call")
    assert [problem.place.node for problem in warned(graph, "G114")] == ["call"]  # that edge is never taken


def test_what_a_graph_reads_and_never_sets() -> None:
    graph = StateGraph("mail", start="write")
    graph.add_key("tone", default="warm")
    graph.declare_node("write", "llm", {"prompt": "{{ topic }} {{ tone }}", "output": "text"})
    graph.declare_node("send", "approval", {"prompt": "Send {{ text }} to {{ who }}?"})
    graph.add_edge("write", "send")
    graph.add_edge("send", END)
    assert graph.compile().never_set == ["topic", "who"]
    graph.add_node("code", nothing)  # may set anything
    graph.add_edge("code", END)
    assert graph.compile().never_set == []


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("{{ note | default('none') }}", set()),
        ("{% if note is defined %}{{ note.text }}{% else %}none{% endif %}", set()),
        ("{% if note is undefined %}none{% else %}{{ note }}{% endif %}", set()),
        ("{% if not note is defined %}none{% elif note == 1 %}{{ note }}{% endif %}", set()),
        ("{{ note if note is defined and note != '' else 'none' }}", set()),
        ("{{ 'none' if note is undefined or note == '' else note }}", set()),
        ("{{ note.by if note is defined else who }}", {"who"}),
        ("{% if note is defined %}{{ note }}{% endif %}{{ note }}", {"note"}),
        ("{% if note.by is defined %}{{ note.by.name }}{{ note.at }}{% endif %}", {"note"}),
        ("{% if note is defined or who is defined %}{{ note }}{{ who }}{% endif %}", {"note", "who"}),
        ("{% if note %}{{ note }}{% endif %}", {"note"}),
        ("{{ state.note | default('none') }}", set()),
        ("{% if tone %}{% set step = 1 %}{% endif %}{{ step }}", set()),  # else a fact of the run
        ("{% if tone %}{% set note = 1 %}{% endif %}{{ note }}", {"note"}),
        ("{{ tome | default('warm') }}", {"tome"}),  # as a slip of `tone`
    ],
)
def test_a_key_that_a_template_does_without_is_not_missed(text: str, read: set[str]) -> None:
    graph = StateGraph("mail", start="write")
    graph.add_key("tone", default="warm")
    graph.declare_node("write", "llm", {"prompt": text, "output": "text"})
    graph.add_edge("write", END)
    assert {problem.message.split("'")[3] for problem in warned(graph, "G107")} == read
    assert set(graph.compile().never_set) == read - {"tome"}
