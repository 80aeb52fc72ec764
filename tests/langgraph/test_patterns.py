"""LangGraph's documented patterns: the same path and the same final state here as in LangGraph itself."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("langgraph")

from stepgraph import check
from tests.langgraph.side_by_side import by_langgraph, here, loaded_of, opened

ASKED: list[tuple[str, dict[str, Any], list[Any]]] = [
    ("routing:graph", {"input": "a story about cats"}, []),
    ("routing:graph", {"input": "a joke"}, []),
    ("routing:graph", {"input": "nothing of the kind"}, []),
    ("reflection:builder", {"messages": [{"role": "user", "content": "Write about cats."}]}, []),
    ("reflection:builder", {"messages": "Write about dogs."}, []),
    ("tool_calling:graph", {"messages": "Calculate."}, []),
    ("asking:approval", {}, ["approve"]),
    ("asking:approval", {"summary": "none yet"}, ["no"]),
    ("asking:editing", {}, [{"edited_summary": "Short."}]),
    ("asking:validating", {}, ["old", -3, 31, "Ana"]),
    ("asking:tool_review", {"messages": "A hotel, please."}, [{"type": "accept"}]),
    ("asking:tool_review", {"messages": "A hotel!"}, [{"type": "edit", "args": {"hotel": "Ritz"}}]),
    ("asking:tool_review", {"messages": "A hotel?"}, ["rather not"]),
    ("asking:talking", {"messages": "Hello"}, ["a hotel, please", "bye"]),
]


@pytest.mark.parametrize(("name", "inputs", "answers"), ASKED)
def test_path_and_final_state_are_those_of_langgraph(
    name: str, inputs: dict[str, Any], answers: list[Any]
) -> None:
    graph = opened(name)
    assert [problem for problem in check(graph) if problem.is_error] == []
    theirs = by_langgraph(loaded_of(graph).compiled, inputs, answers)
    ours = here(graph, inputs, answers)
    assert ours.path == theirs.path
    assert ours.values == theirs.values
    assert ours.path
