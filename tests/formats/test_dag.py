"""DAG 1.3 for AgentEnsemble's viewer, before and after a run, and the trace beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import END, Executor, Outcome, Run, State, StateGraph
from stepgraph.formats.export import FORMATS, Exportable
from stepgraph.testing import FakeClock, ScriptedModel
from tests.examples import examples
from tests.formats.dag_rules import broken_rules, broken_trace_rules
from tests.formats.random_graphs import graphs, run_of
from tests.graphs.journeys import JOURNEYS
from tests.graphs.playing import NAMES, Journey, compiled

DAG = next(each for each in FORMATS if each.name == "dag")
Dag = dict[str, Any]
_ESCAPED = re.compile(r"\\(?:u(0085|202[89])|.)")
"""Any escape of JSON, so that a backslash which was escaped itself begins none."""


def before(graph: StateGraph) -> Dag:
    """The DAG of a graph that has not run."""
    exported = DAG.write(Exportable.of_graph(graph.compile()))
    assert not exported.beside
    model: Dag = json.loads(exported.text)
    return model


def after(run: Run) -> tuple[Dag, Dag]:
    """The DAG of a run, and its trace."""
    exported = DAG.write(Exportable.of_run(run))
    assert list(exported.beside) == [".trace.json"]
    model, trace = (
        json.loads(exported.text),
        json.loads(text := "".join(exported.beside[".trace.json"].parts)),
    )
    assert json.dumps(trace, indent=2, ensure_ascii=False) + "\n" == _ESCAPED.sub(_raw, text)
    assert broken_rules(model) == []
    assert broken_trace_rules(trace, model) == []
    return model, trace


def _raw(found: re.Match[str]) -> str:
    """A line's end that was escaped, as it is."""
    return chr(int(found[1], 16)) if found[1] else found[0]


def edges(model: Dag) -> dict[tuple[str, str], Dag]:
    """The edges by the names of their ends."""
    names = {state["id"]: state["description"].partition(":")[0] for state in model["tasks"]}
    return {(names[edge["fromStateId"]], names[edge["toStateId"]]): edge for edge in model["graphEdges"]}


def fired(model: Dag) -> set[tuple[str, str]]:
    """The ends of the edges that a run took."""
    return {ends for ends, edge in edges(model).items() if edge["fired"]}


def looping(**settings: Any) -> StateGraph:
    """Two nodes that follow one another for ever."""
    graph = StateGraph("loop", start="a", **settings)
    graph.add_node("a", lambda state: {"count": state.get("count", 0) + 1})
    graph.add_node("b", lambda state: {})
    graph.add_edge("a", "b", "count < 100", "go on")
    graph.add_edge("a", END)
    graph.add_edge("b", "a")
    return graph


# acceptance 78, 80, 82
@pytest.mark.parametrize("name", NAMES)
def test_a_graph_that_has_not_run_keeps_every_rule(name: str) -> None:
    graph = compiled(name)
    model: Dag = json.loads(DAG.write(Exportable.of_graph(graph)).text)
    assert broken_rules(model) == []
    assert "graphTerminationReason" not in model
    assert "graphStepsRun" not in model
    assert fired(model) == set()
    level = graph.level()
    named = [state["description"].split(":")[0] for state in model["tasks"]]
    assert named == [*level.nodes, END]
    assert model["tasks"][int(model["graphStartStateId"])]["description"].startswith(f"{graph.start}:")
    assert list(edges(model)) == list(dict.fromkeys((edge.source, edge.target) for edge in level.edges))


# acceptance 79, 81, 83, 86
@pytest.mark.parametrize("journey", JOURNEYS, ids=str)
def test_a_run_keeps_every_rule_and_marks_what_it_took(journey: Journey) -> None:
    run = journey.run()
    model, trace = after(run)
    assert model["graphTerminationReason"] == "terminal"
    assert model["graphStepsRun"] == run.step
    level = run.plan.level()
    leaves = {f"{name}/END": name for name in level.nodes}
    taken = {(leaves.get(record.node, record.node), record.next) for record in run.history}
    assert fired(model) == {ends for ends in taken if ends in edges(model)}
    if not any("/" in record.node for record in run.history):
        assert fired(model) == taken
        assert [task["taskDescription"].split(":")[0] for task in trace["taskTraces"]] == journey.path.split()


@given(graphs(), st.none() | st.integers(0, 4))
@examples(80, deadline=None)
def test_any_graph_keeps_every_rule_before_and_after_a_run(graph: StateGraph, steps: int | None) -> None:
    model = before(graph)
    assert broken_rules(model) == []
    run = run_of(graph, steps)
    done, trace = after(run)
    pairs = [(edge["fromStateId"], edge["toStateId"], edge["unconditional"]) for edge in model["graphEdges"]]
    assert pairs == [
        (edge["fromStateId"], edge["toStateId"], edge["unconditional"]) for edge in done["graphEdges"]
    ]
    reasons = {Outcome.END: "terminal", Outcome.MAX_STEPS: "maxSteps"}
    assert done.get("graphTerminationReason") == (reasons.get(run.outcome) if run.outcome else None)
    numbers = {name: str(number) for number, name in enumerate((*run.plan.nodes, END))}
    taken = {
        (numbers[record.node], numbers[record.next]) for record in run.history if record.next is not None
    }
    assert {(edge["fromStateId"], edge["toStateId"]) for edge in done["graphEdges"] if edge["fired"]} == taken
    assert len(trace["taskTraces"]) == run.step


# acceptance 76, 77
@pytest.mark.parametrize("policy", ["return_last", "flag", "fail"])
def test_at_the_cap_the_edge_to_the_state_that_never_ran_is_marked(policy: str) -> None:
    app = looping(max_steps=1, on_max_steps=policy).compile()
    executor = Executor(app)
    run = executor.run(executor.start({}))
    model, trace = after(run)
    assert fired(model) == {("a", "b")}
    assert model["graphTerminationReason"] == "maxSteps"
    assert [task["taskDescription"] for task in trace["taskTraces"]] == ["a: looping.<locals>.<lambda>"]
    assert trace["graphTrace"] == {
        "graphName": "loop",
        "startState": "a",
        "terminationReason": "maxSteps",
        "stepsRun": 1,
        "maxSteps": 1,
        "steps": [{"stateName": "a", "stepNumber": 1, "nextState": "b"}],
    }


def count(state: State) -> dict[str, Any]:
    """Count once more.

    Nothing else.
    """
    return {"n": state.get("n", 0) + 1}


# acceptance 87
def test_a_state_says_what_it_is_for_and_who_does_its_work() -> None:
    graph = StateGraph("g", start="ask")
    graph.declare_node("ask", "llm", {"prompt": "Which?", "replies": ["a"]})
    graph.declare_node("find", "agent", {"prompt": "Find it.", "tools": [], "replies": ["b"]}, note="Looks.")
    graph.declare_node("call", "handler", {"handler": "os:getcwd"})
    graph.add_node("own", count)
    graph.add_node("other", lambda state: {})
    for one, two in (("ask", "find"), ("find", "call"), ("call", "own"), ("own", "other"), ("other", END)):
        graph.add_edge(one, two)
    states = [(state["description"], state["agentRole"]) for state in before(graph)["tasks"]]
    assert states == [
        ("ask: Which?", "(synthesized)"),
        ("find: Looks.", "find"),
        ("call: os:getcwd", "(deterministic)"),
        ("own: Count once more.", "(deterministic)"),
        (
            f"other: {test_a_state_says_what_it_is_for_and_who_does_its_work.__name__}.<locals>.<lambda>",
            "(deterministic)",
        ),
        (END, "(terminal)"),
    ]


def test_calls_tokens_and_failures_are_in_the_trace() -> None:
    graph = StateGraph("g", start="ask")
    graph.declare_node("ask", "llm", {"prompt": "Which?"})
    graph.add_edge("ask", END)
    executor = Executor(graph.compile(), models={}, clock=FakeClock())
    run = executor.run(executor.start({}))
    assert run.error is not None
    _, trace = after(run)
    assert [error["errorType"] for error in trace["errors"]] == ["NodeFailed"]
    assert trace["taskTraces"] == []
    store = run.store
    executor = Executor(graph.compile(), store, models={"default": ScriptedModel(["yes"])}, clock=FakeClock())
    run = executor.run(executor.retry(run.id))
    _, trace = after(run)
    (task,) = trace["taskTraces"]
    assert [call["responseText"] for call in task["llmInteractions"]] == [
        "the model 'default' is not configured",
        "yes",
    ]
    assert task["metrics"]["llmCallCount"] == trace["metrics"]["totalLlmCallCount"] == 2


def test_a_secret_is_nowhere_in_it() -> None:
    graph = StateGraph("s3cret-graph", start="a")
    graph.add_key("token", default="s3cret", secret=True)
    graph.add_node(
        "a", lambda state: {"echo": state["token"], "s3cret": 1, "token": "an0ther"}, note="s3cret"
    )
    graph.add_node("b", lambda state: 1 / 0 if state["echo"] else {})
    graph.add_edge("a", "b", 'token == "an0ther"', "s3cret")
    graph.add_edge("b", END)
    executor = Executor(graph.compile())
    run = executor.run(executor.start({}))
    exported = DAG.write(Exportable.of_run(run))
    told = exported.text + exported.beside[".trace.json"].text
    assert "s3cret" not in told
    assert "an0ther" not in told
    assert "s3cret" not in DAG.write(Exportable.of_graph(graph.compile())).text


# acceptance 85
def test_a_file_in_a_folder_is_named_after_the_run_and_the_time() -> None:
    graph = looping()
    executor = Executor(graph.compile())
    at = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)
    source = replace(Exportable.of_run(executor.start({}, "r/../1 ü")), at=at)
    assert DAG.file_name(source) == "r-1-20260301-090507.dag.json"
    assert DAG.file_name(replace(source, run=None)) == "loop-20260301-090507.dag.json"
    assert json.loads(DAG.write(source).text)["generatedAt"] == "2026-03-01T09:05:07.000000Z"


def _set(path: str, value: Any) -> Callable[[Dag], None]:
    def change(model: Dag) -> None:
        *way, last = path.split(".")
        inner: Any = model
        for part in way:
            inner = inner[int(part)] if isinstance(inner, list) else inner[part]
        if value is KeyError:
            del inner[last]
        else:
            inner[int(last) if isinstance(inner, list) else last] = value

    return change


_WRONG: list[tuple[str, Any]] = [
    *[
        (f"{key}", KeyError)
        for key in ("schemaVersion", "type", "workflow", "generatedAt", "agents", "tasks")
    ],
    *[
        (key, KeyError)
        for key in ("parallelGroups", "criticalPath", "mode", "graphEdges", "graphStartStateId")
    ],
    *[(key, None) for key in ("mapReduceMode", "graphTerminationReason", "graphStepsRun", "agents", "mode")],
    ("graphName", "loop"),
    ("schemaVersion", "1.2"),
    ("type", "trace"),
    ("workflow", "GRAPH"),
    ("generatedAt", "2026-03-01 09:00"),
    ("agents", [{}]),
    ("parallelGroups", [["0"]]),
    ("criticalPath", ["0"]),
    ("graphTerminationReason", "paused"),
    ("graphStepsRun", 0),
    ("graphStepsRun", KeyError),
    ("graphStartStateId", "2"),
    ("graphStartStateId", "a"),
    ("tasks.0.id", "1"),
    ("tasks.0.description", ""),
    ("tasks.0.description", "b: looping.<locals>.<lambda>"),
    ("tasks.0.agentRole", ""),
    ("tasks.0.expectedOutput", None),
    ("tasks.0.dependsOn", KeyError),
    ("tasks.0.dependsOn", ["1"]),
    ("tasks.0.parallelGroup", 1),
    ("tasks.0.onCriticalPath", True),
    ("tasks.0.nodeType", "direct"),
    ("tasks.0.loopBody", None),
    ("tasks.0.nodeType", "graph-end"),
    ("tasks.2.nodeType", "graph-state"),
    ("tasks.2.description", "the end"),
    ("graphEdges.0.toStateId", "__END__"),
    ("graphEdges.0.fromStateId", "2"),
    ("graphEdges.0.toStateId", "2"),
    ("graphEdges.0.fired", KeyError),
    ("graphEdges.0.fired", None),
    ("graphEdges.0.unconditional", "no"),
    ("graphEdges.0.conditionDescription", None),
    ("graphEdges.0.conditionDescription", 1),
    ("graphEdges.0.label", "x"),
]
