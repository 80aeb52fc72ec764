"""The trace of a run as lines of JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, Decision, Executor, Run, StateGraph
from stepgraph.formats.export import FORMATS, Exportable
from stepgraph.values.errors import ExportError
from tests.examples import examples
from tests.formats.random_graphs import graphs, run_of
from tests.graphs.journeys import JOURNEYS
from tests.graphs.playing import Journey

JSONL = next(each for each in FORMATS if each.name == "jsonl")
Line = dict[str, Any]


def lines(run: Run) -> list[Line]:
    """The lines of a run."""
    text = JSONL.write(Exportable.of_run(run)).text
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def rebuilt(told: list[Line]) -> dict[str, Any]:
    """The state that the lines add up to, by what the documentation says of them."""
    state: dict[str, Any] = {}
    for line in told[1:]:
        for key, value in line.get("updates", {}).items():
            merged = line.get("merged", {}).get(key)
            if merged == "append":
                state[key] = state.get(key, []) + (value if isinstance(value, list) else [value])
            elif merged == "merge":
                state[key] = state[key] | value
            elif value is None:
                state.pop(key, None)
            else:
                state[key] = value
    return state


@pytest.mark.parametrize("journey", JOURNEYS, ids=str)
def test_the_lines_of_a_run_add_up_to_it(journey: Journey) -> None:
    run = journey.run()
    told = lines(run)
    head, *rows = told
    assert (head["kind"], head["run"], head["status"], head["outcome"]) == ("run", run.id, "ended", "end")
    assert [row["seq"] for row in rows] == list(range(1, run.version + 1))
    assert [row["node"] for row in rows if row["kind"] == "step"] == journey.path.split()
    assert rebuilt(told) == run.values
    for row, record in zip([row for row in rows if row["kind"] == "step"], run.history, strict=True):
        assert row["next"] == record.next
        assert [edge["matched"] for edge in row["edges"]] == [edge.matched for edge in record.edges]
        for edge, seen in zip(row["edges"], record.edges, strict=True):
            if "explanation" in edge:
                assert edge["explanation"] == seen.explanation.to_json()
        asked = [edge for edge in row["edges"] if "condition" in edge and edge["matched"] is not None]
        assert all("explanation" in edge for edge in asked)


@given(graphs(), st.none() | st.integers(0, 6))
@examples(80, deadline=None)
def test_the_lines_of_any_run_add_up_to_it(graph: StateGraph, steps: int | None) -> None:
    run = run_of(graph, steps)
    told = lines(run)
    assert rebuilt(told) == run.values
    assert sum(line["kind"] == "step" for line in told) == run.step == told[0]["steps"]
    assert told[0]["next"] == run.current


def asking(**settings: Any) -> StateGraph:
    """A graph that asks a live model, whose edge may fail."""
    graph = StateGraph("g", start="ask", **settings)
    graph.add_key("log", reducer="append", default=[])
    graph.add_key("facts", reducer="merge", default={"a": 1})
    graph.declare_node("ask", "llm", {"prompt": "Which?", "output": "said"})
    graph.add_node("note", lambda state: {"log": "x", "facts": {"b": 2}, "long": "y" * 100, "said": None})
    graph.add_node("again", lambda state: {"long": state["long"], "log": ["y", "z"]})
    graph.add_edge("ask", "note")
    graph.add_edge("note", "again", "missing == 1", "never")
    graph.add_edge("note", "again")
    graph.add_edge("again", END)
    return graph


def test_secrets_are_masked_in_every_line() -> None:
    graph = StateGraph("s3cret", start="a")
    graph.add_key("token", default="s3cret", secret=True)
    graph.add_key("pin", default="123", secret=True)
    graph.add_node(
        "a", lambda state: {"pin": "789", "echo": f"Bearer {state['token']}", "s3cret": [state["token"]]}
    )
    graph.declare_node(
        "b", "approval", {"prompt": "Use {{ token }}?", "show": ["pin"], "editable": {"token": "text"}}
    )
    graph.add_node("c", lambda state: 1 / int(len(state["token"]) > 99))
    graph.add_edge("a", "b", 'pin != "77" and token == "s3cret"', "s3cret")
    graph.add_edge("b", "c")
    graph.add_edge("c", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    assert run.pending is not None
    decision = Decision.edit({"token": "an0ther"}, by="ana", comment="was s3cret")
    executor.resume(run.id, decision, review=run.pending.id, expect_hash=run.pending.hash)
    run = executor.load(run.id)
    assert run.error is not None
    text = JSONL.write(Exportable.of_run(run)).text
    for secret in ("s3cret", "an0ther", '"123"', '"789"'):
        assert secret not in text
    assert '"echo":"Bearer ***"' in text


def test_it_needs_a_run() -> None:
    assert JSONL.needs_run
    with pytest.raises(ExportError, match="a trace needs a run"):
        JSONL.write(Exportable.of_graph(asking().compile()))
