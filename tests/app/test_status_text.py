"""What the NEXT line says of a run."""

from __future__ import annotations

from typing import Any

import pytest

from stepgraph import END, StateGraph
from stepgraph_tui.screens.workbench.availability import refused_run
from stepgraph_tui.status_text import FileState, Situation, next_step_text
from tests.app.telling import Driven


def looping(**settings: Any) -> Driven:
    """A run that has reached its cap."""
    graph = StateGraph("g", start="a", max_steps=2, **settings)
    graph.add_node("a", lambda state: {})
    graph.add_edge("a", "a")
    return Driven(graph).step(2)


def counting(*, to: str = END) -> StateGraph:
    """A graph whose one edge may not match."""
    graph = StateGraph("g", start="a")
    graph.add_node("a", lambda state: {"n": 1})
    graph.add_edge("a", to, when="n == 2")
    return graph


def said(driven: Driven) -> str:
    """The line."""
    said = next_step_text(Situation(FileState(), moment=driven.now()))
    return f"{said.word} {said.text}"


def test_a_single_edge_with_a_condition_is_not_promised() -> None:
    assert said(Driven(counting())) == "NEXT a  python: s runs it, then, if it matches, → END"


def test_a_failure_names_its_key_before_its_reason_which_may_be_long() -> None:
    assert said(Driven(counting()).step()).startswith("FAILED r tries again: none of the edges of node 'a'")


def test_at_its_cap_a_run_is_not_said_to_be_tried_again() -> None:
    driven = looping(on_max_steps="fail")
    assert said(driven).startswith("FAILED S starts over: graph 'g' reached its cap of 2 steps")
    for action in ("step", "go", "retry"):
        told = refused_run(action, driven.now().view.run, busy=False, running=None)
        assert told == "the run was stopped at its cap: stepgraph extend allows it more steps"


@pytest.mark.parametrize(
    ("policy", "where"), [("return_last", "at its cap"), ("flag", "at its cap, flagged,")]
)
def test_an_end_is_told_in_words(policy: str, where: str) -> None:
    assert said(looping(on_max_steps=policy)) == f"ENDED {where} after 2 steps; S starts over"
