"""The graph as a whole: name, start, caps, feedback."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, Problem, StateGraph, check
from stepgraph.graphs.parts import MAX_NODES

from .building import codes, nothing, only, sound


def test_a_sound_graph_has_no_problem() -> None:
    assert check(sound()) == []


# acceptance 21
@pytest.mark.parametrize("name", ["", "  \t\n", 7, None, "half \ud800"])
def test_a_graph_without_a_usable_name(name: Any) -> None:
    problem = only(sound(name))
    assert (problem.code, problem.severity, problem.place.key) == ("G001", "error", "name")
    assert "name" in problem.message
    assert problem.hint


# acceptance 22
@pytest.mark.parametrize("start", ["draft", "", None])
def test_a_graph_without_nodes_is_not_told_that_its_start_is_unknown_or_missing_too(start: Any) -> None:
    problem = only(StateGraph("empty", start=start))
    assert (problem.code, problem.message) == ("G002", "the graph has no nodes")


# acceptance 27
@pytest.mark.parametrize("steps", [0, -3, True, 2.5, "50", None])
def test_max_steps_is_a_whole_number_of_one_or_more(steps: Any) -> None:
    problem = only(sound(max_steps=steps))
    assert (problem.code, problem.place.key) == ("G006", "max_steps")
    assert repr(steps) in problem.message


@pytest.mark.parametrize(
    ("setting", "value", "hint"),
    [
        ("on_max_steps", "return-last", "did you mean 'return_last'?"),
        ("on_max_steps", None, "it takes: return_last, flag, fail"),
        ("on_no_match", "stop", "it takes: fail, end"),
        ("review", "after", "it takes: never, every, last"),
        ("max_seconds", 0, "give a number above 0, or leave it out"),
        ("max_seconds", float("nan"), "give a number above 0, or leave it out"),
        ("max_seconds", "10", "give a number above 0, or leave it out"),
        ("feedback", "no", "give it true or false"),
    ],
)
def test_the_other_settings_take_what_they_take(setting: str, value: Any, hint: str) -> None:
    problem = only(sound(**{setting: value}))
    assert (problem.code, problem.place.key, problem.hint) == ("G006", setting, hint)
    assert repr(value) in problem.message


def test_a_time_limit_is_a_positive_number() -> None:
    assert codes(sound(max_seconds=0.5)) == []
    assert codes(sound(max_seconds=10**400)) == []


# acceptance 28
@pytest.mark.parametrize("start", ["", " ", None, 3, ["draft"]])
def test_a_missing_start(start: Any) -> None:
    problem = only(sound(start=start))
    assert (problem.code, problem.place.key) == ("G007", "start")
    assert problem.hint == "name one of 'draft', 'review'"


# acceptance 29
def test_an_unknown_start_lists_the_known_nodes() -> None:
    problem = only(sound(start="begin"))
    assert problem == Problem(
        "G008",
        "error",
        "the start 'begin' is not a node of the graph",
        problem.place,
        "known: draft, review",
    )


@pytest.mark.parametrize("start", ["drafts", " Draft", "DRAFT"])
def test_an_unknown_start_gets_the_nearest_name(start: str) -> None:
    assert only(sound(start=start)).hint == "did you mean 'draft'?"


# acceptance 30
@pytest.mark.parametrize("start", [END, "END"])
def test_the_start_is_not_the_end(start: str) -> None:
    problem = only(sound(start=start))
    assert (problem.code, problem.place.key) == ("G009", "start")
    assert "END" in problem.message


# acceptance 36
def test_no_feedback_names_nodes() -> None:
    problem = only(sound(no_feedback=["draft", "revue"]))
    assert (problem.code, problem.place.key) == ("G015", "no_feedback")
    assert problem.message == "no_feedback names 'revue', which is not a node of the graph"
    assert problem.hint == "did you mean 'review'?"


def test_no_feedback_names_nodes_by_text() -> None:
    assert only(sound(no_feedback=[None])).code == "G015"


def test_no_feedback_that_is_one_name_is_told_to_be_a_list() -> None:
    problem = only(sound(no_feedback="draft"))
    assert (problem.code, problem.hint) == ("G015", "write ['draft']")


def test_a_graph_of_too_many_nodes_is_refused_where_none_of_them_is_a_graph_too() -> None:
    graph = StateGraph("wide", start="n0")
    for number in range(MAX_NODES + 1):
        graph.add_node(f"n{number}", nothing)
        graph.add_edge(f"n{number}", f"n{number + 1}" if number < MAX_NODES else END)
    assert [problem.message for problem in check(graph) if problem.is_error] == [
        "the graph cannot be used: it has more than 10,000 nodes with all that is inside of it"
    ]
