"""Amazon States Language in: graphs that run offline, and errors with their line."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stepgraph import Decision, Executor, Outcome, Run, RunStatus, StateGraph
from stepgraph.extras.diagrams.read_states_language import read
from stepgraph.extras.diagrams.states_rules import Untold, choice_rule
from stepgraph.formats.reading import Imported, read_foreign
from stepgraph.testing import FakeClock
from stepgraph.values.errors import GraphFileError
from stepgraph.values.problems import Problem
from tests.examples import examples

Machine = dict[str, Any]

REFUND: Machine = {
    "Comment": "Refunds over 100 go to a person.",
    "StartAt": "Look up",
    "TimeoutSeconds": 300,
    "States": {
        "Look up": {
            "Type": "Task",
            "Comment": "Finds the order.",
            "Resource": "arn:aws:lambda:eu-west-1:123456789012:function:look-up:1",
            "Parameters": {"id.$": "$.ticket.order", "depth": 2, "say": "{{ not ours }}"},
            "ResultPath": "$.order",
            "TimeoutSeconds": 30,
            "Retry": [{"ErrorEquals": ["States.Timeout"], "MaxAttempts": 2}],
            "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "Give up"}],
            "Next": "How much?",
        },
        "How much?": {
            "Type": "Choice",
            "Choices": [
                {
                    "And": [
                        {"Variable": "$.order.amount", "NumericGreaterThanEquals": 100},
                        {"Not": {"Variable": "$.order.agreed", "BooleanEquals": True}},
                    ],
                    "Next": "Cool down",
                },
                {"Variable": "$.order.amount", "NumericLessThan": 0, "Next": "Give up"},
            ],
            "Default": "Pay",
        },
        "Cool down": {"Type": "Wait", "Seconds": 3600, "Next": "Pay"},
        "Pay": {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": {"FunctionName": "pay", "Payload.$": "$.order"},
            "Next": "Paid",
        },
        "Paid": {"Type": "Pass", "Result": {"status": "paid {{ x }}", "by": ["us"]}, "Next": "Done"},
        "Done": {"Type": "Succeed"},
        "Give up": {"Type": "Fail", "Error": "NoOrder", "Cause": "Nobody knows it."},
    },
}


def imported(machine: Any) -> Imported:
    """What comes of a machine, told from its content; it compiles."""
    text = machine if isinstance(machine, str) else json.dumps(machine, indent=2)
    found = read_foreign(text, "machine.json")
    assert found.kind == "Amazon States Language"
    found.graph.compile()
    return found


def ended(graph: StateGraph, values: dict[str, Any] | None = None) -> Run:
    """A run of a graph to its end; waits are cut short."""
    executor = Executor(graph.compile(), clock=FakeClock())
    run = executor.run(executor.start(values or {}))
    while run.pending is not None:
        assert run.pending.is_wait
        executor.resume(
            run.id, Decision.approve(by="ana"), review=run.pending.id, expect_hash=run.pending.hash
        )
        run = executor.load(run.id)
    return run


def refusal(machine: Any) -> Problem:
    """The problem of a machine that is not taken."""
    text = machine if isinstance(machine, str) else json.dumps(machine, indent=2)
    with pytest.raises(GraphFileError) as refused:
        read_foreign(text, "machine.json")
    (problem,) = refused.value.problems
    assert problem.place.file == "machine.json"
    return problem


def test_what_is_set_on_the_way_and_arguments_that_are_computed_are_told() -> None:
    assigned = {"Assign": {"n": 1}, "Next": "S"}
    states = {
        "T": {
            "Type": "Task",
            "Resource": "x",
            "Arguments": "{% $all %}",
            "TimeoutSecondsPath": "$.t",
            "Catch": [{"ErrorEquals": ["States.ALL"], "Output": "{% $x %}", "Next": "S"}],
            "Next": "C",
        },
        "C": {"Type": "Choice", "Choices": [{"Variable": "$.a", "IsNull": True, **assigned}], "Default": "S"},
        "S": {"Type": "Succeed"},
    }
    assert set(imported({"StartAt": "T", "States": states}).notes) >= {
        "Assign is left out: C",
        "Output is left out: T",
        "TimeoutSecondsPath is left out: T",
        "arguments that are not a table are left out: T",
    }


@pytest.mark.parametrize(
    ("state", "settings"),
    [
        ({"Seconds": 90}, {"for": "90s"}),
        ({"Timestamp": "2026-03-01T09:00:00Z"}, {"until": "2026-03-01T09:00:00Z"}),
        ({"SecondsPath": "$.a.b"}, {"for": "{{ a.b | default(0) }}s"}),
        ({"TimestampPath": "$.t"}, {"until": "{{ t | default('1970-01-01T00:00:00Z') }}"}),
        ({"Seconds": "{% 1 + 2 %}"}, {"for": "0"}),
        ({"Seconds": -1}, {"for": "0"}),
        ({"Timestamp": "tomorrow"}, {"for": "0"}),
        ({"SecondsPath": "$$.Execution.Input"}, {"for": "0"}),
    ],
)
def test_waits_wait_or_say_that_they_do_not(state: Machine, settings: Machine) -> None:
    found = imported({"StartAt": "W", "States": {"W": {"Type": "Wait", **state, "End": True}}})
    assert found.graph.nodes["W"].settings == settings
    assert any("does not wait" in note for note in found.notes) == (settings == {"for": "0"})
    assert ended(found.graph).outcome is Outcome.END


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"Variable": "$.a", "StringEquals": 'x"y'}, "a is not None and a == 'x\"y'"),
        ({"Variable": "$.a.b", "NumericLessThan": 1.5}, "a.b is not None and a.b < 1.5"),
        ({"Variable": "$.my-key", "BooleanEquals": False},
         'state["my-key"] is not None and state["my-key"] == False'),
        ({"Variable": "$.step", "NumericEqualsPath": "$.b"},
         'state["step"] is not None and b is not None and state["step"] == b'),
        ({"Variable": "$.t", "TimestampGreaterThan": "2026-01-01T00:00:00Z"},
         't is not None and t > "2026-01-01T00:00:00Z"'),
        ({"Variable": "$.a", "IsNull": True}, "a is None"),
        ({"Variable": "$.a", "IsNull": False}, "a is not None"),
        ({"Variable": "$.a", "IsPresent": True}, "a is not None"),
        ({"Variable": "$.a", "IsPresent": False}, "a is None"),
        ({"Variable": "$.a", "StringMatches": "*log*"}, 'a is not None and "log" in a'),
        ({"Variable": "$.a", "StringMatches": "log"}, 'a is not None and a == "log"'),
        ({"Not": {"Variable": "$.a", "IsNull": True}}, "not (a is None)"),
        ({"Or": [{"Variable": "$.a", "IsNull": True}, {"Variable": "$.b", "IsNull": True}]},
         "(a is None) or (b is None)"),
    ],
)  # fmt: skip
def test_rules_are_expressions_that_are_false_where_nothing_is(rule: Machine, text: str) -> None:
    assert choice_rule(rule) == text


@pytest.mark.parametrize(
    "rule",
    [
        {"Variable": "$.a", "StringMatches": "a*b"},
        {"Variable": "$.a", "IsNumeric": True},
        {"Variable": "$..a", "StringEquals": "x"},
        {"Variable": "$.a[*]", "StringEquals": "x"},
        {"Variable": "$.a[0]", "StringEquals": "x"},
        {"Variable": "$['my-key']", "StringEquals": "x"},
        {"Variable": "$.a", "StringEqualsPath": "$$.x"},
        {"Condition": "{% $a = 1 %}"},
    ],
)
def test_rules_without_words_are_told_apart(rule: Machine) -> None:
    with pytest.raises(Untold):
        choice_rule(rule)


@pytest.mark.parametrize("kind", ["Parallel", "Map"])
def test_what_runs_side_by_side_keeps_its_place_and_says_what_is_missing(kind: str) -> None:
    machine = copy.deepcopy(REFUND)
    machine["States"]["Paid"] = {"Type": kind, "Comment": "Both.", "Branches": [], "Next": "Done"}
    found = imported(machine)
    node = found.graph.nodes["Paid"]
    assert (node.type, node.settings) == ("transform", {})
    assert node.note == f"Both. {kind}: what it ran side by side is not here."
    (note,) = [note for note in found.notes if note.startswith(kind)]
    assert "subgraph" in note
    assert note.endswith(": Paid")
    run = ended(found.graph)
    assert (run.outcome, run.history[-2].node) == (Outcome.END, "Paid")


# What is refused


def _changed(change: str, value: Any) -> Machine:
    machine = copy.deepcopy(REFUND)
    *way, last = change.split("/")
    inner: Any = machine
    for part in way:
        inner = inner[int(part)] if isinstance(inner, list) else inner[part]
    if value is KeyError:
        del inner[last]
    else:
        inner[last] = value
    return machine


@pytest.mark.parametrize(
    ("change", "value", "message", "hint"),
    [
        ("StartAt", "Look down", "StartAt names 'Look down', and there is no such",
         "did you mean 'Cool down'?"),
        ("StartAt", 3, "StartAt is 3, not the name of a state", ""),
        ("States/Cool down/Next", "Pai", "States.Cool down.Next names 'Pai', and there is no such state",
         "did you mean 'Paid'?"),
        ("States/How much?/Choices/1/Next", None, "States.How much?.Choices.1.Next is None", ""),
        ("States/How much?/Default", "x", "States.How much?.Default names 'x'", ""),
        ("States/How much?/Choices", [], "state 'How much?' has no Choices", ""),
        ("States/How much?/Choices", {}, "States.How much?.Choices is {}, not a list", ""),
        ("States/How much?/Choices/1/NumericLessThan", "0", 
         "rule 2 of state 'How much?': NumericLessThan takes a num", ""),
        ("States/How much?/Choices/1/Variable", KeyError,
         "rule 2 of state 'How much?': it needs Variable", ""),
        ("States/How much?/Choices/0/And", [1], "rule 1 of state 'How much?': a rule is a table", ""),
        ("States/Look up/Catch", [1], "States.Look up.Catch has 1 in it, which is not a table", ""),
        ("States/Look up/Catch/0/Next", "x", "States.Look up.Catch.0.Next names 'x'", ""),
        ("States/Pay/Next", KeyError, "state 'Pay' has neither Next nor End", '"End": true'),
        ("States/Pay/Type", "Taks", "state 'Pay' has the type 'Taks'", "did you mean 'Task'?"),
        ("States/Pay/Type", KeyError, "state 'Pay' has the type None", "there are: Task"),
        ("States/Pay", [], "state 'Pay' is not a table", ""),
        ("States/Cool down/Timestamp", "2026-01-01T00:00:00Z", "state 'Cool down' says 2 times", "Seconds"),
        ("States", {}, "States is a table with at least one state", ""),
        ("States", [], "States is a table with at least one state", ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_line(change: str, value: Any, message: str, hint: str) -> None:
    machine = _changed(change, value)
    problem = refusal(machine)
    assert (problem.code, problem.message[: len(message)]) == ("F031", message)
    assert hint in problem.hint
    *_, last = change.split("/")
    lines = json.dumps(machine, indent=2).split("\n")
    assert problem.place.line is not None
    if isinstance(value, str) and last in ("Next", "Default", "StartAt"):
        assert f'"{last}": "{value}"' in lines[problem.place.line - 1]


def test_a_dangling_next_is_told_in_any_layout() -> None:
    for text, line in (
        ('{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"}}}', 1),
        ('{"StartAt":"A",\n"States":{"A":{"Type":"Pass",\n"Comment":"Next: {[",\n"Next":\n"B"}}}', 4),
        ('{"States":{"A":{"Type":"Pass","Next":["B"]}},\n\n"StartAt":"A"}', 1),
    ):
        assert refusal(text).place.line == line


def test_broken_json_is_told_with_its_line() -> None:
    assert refusal('{"StartAt": "A",\n"States": {"A": {"Type": "Pass",}}}').place.line == 2
    deep = refusal('{"StartAt": "A", "States": ' + '{"A":' * 5_000 + "1" + "}" * 5_000 + "}")
    assert deep.code in ("F031", "F032")  # how deep Python's own reader goes differs by its version
    assert "nested" in deep.message


def test_deep_rules_are_not_read_to_their_end() -> None:
    rule: Machine = {"Variable": "$.a", "IsNull": True}
    for _ in range(60):
        rule = {"Not": rule}
    choice = {"Type": "Choice", "Choices": [{**rule, "Next": "S"}], "Default": "S"}
    machine = {"StartAt": "C", "States": {"C": choice, "S": {"Type": "Succeed"}}}
    assert any("no words" in note for note in imported(machine).notes)


ODD = ["", " ", "END", "__END__", "a/b", "a\nb", "\u202e", "x" * 300, "$", "{{ x }}", "state", "step", "{%"]


@pytest.mark.parametrize("name", ODD, ids=range(len(ODD)))
def test_any_name_of_a_state_becomes_one_of_a_node(name: str) -> None:
    machine = {
        "StartAt": name,
        "States": {
            name: {"Type": "Task", "Resource": name, "Comment": name, "Next": "Then"},
            "Then": {"Type": "Pass", "Result": name, "End": True},
        },
    }
    assert ended(imported(machine).graph).outcome is Outcome.END


def _parts(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield way
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from _parts(item, (*way, key))


@pytest.mark.parametrize(
    "value", [None, True, -1, 1e308, "", "x", "$.x", "{% $x %}", "{{", [], [[]], {}, {"": {"a": 1}}]
)
def test_wrong_types_anywhere_are_refused_or_run(value: Any) -> None:
    for way in _parts(REFUND):
        if not way:
            continue
        machine = copy.deepcopy(REFUND)
        inner: Any = machine
        for part in way[:-1]:
            inner = inner[part]
        inner[way[-1]] = value
        graph = _taken(machine)
        if graph is not None:
            assert ended(graph).status is not RunStatus.READY


def _taken(machine: Machine) -> StateGraph | None:
    """The graph of a machine; None where it is refused, with its line."""
    try:
        graph = read(json.dumps(machine), "m.json").graph
    except GraphFileError as error:
        return None if error.problems[0].place.line == 1 else pytest.fail(str(error))
    graph.compile()
    return graph


_NAMES = ["A", "B", "C", "D"]
_PATHS = st.sampled_from(["$.a", "$.b.c", "$.list[1]", "$['my-key']", "$.my-key", "$.step", "$.b", "$"])
_VALUES = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["x", "{{ y }}", "RUNNING"])


@st.composite
def machines(draw: st.DrawFn) -> Machine:
    """State machines of any shape."""
    there = draw(st.lists(st.sampled_from(_NAMES), min_size=1, unique=True))
    names = st.sampled_from(there)
    states: Machine = {}
    for name in there:
        on: Machine = {"Next": draw(names)} if draw(st.booleans()) else {"End": True}
        kind = draw(st.sampled_from(["Task", "Pass", "Wait", "Choice", "Succeed", "Fail", "Map"]))
        parts: dict[str, Machine] = {
            "Task": {"Resource": "r", "Parameters": {"x.$": draw(_PATHS), "y": draw(_VALUES)}, **on},
            "Pass": {"Result": draw(_VALUES | st.dictionaries(st.sampled_from(["a", "b"]), _VALUES)), **on},
            "Wait": {"SecondsPath": draw(_PATHS), **on},
            "Choice": {"Choices": [draw(_rules(names)) for _ in range(draw(st.integers(1, 3)))]},
            "Succeed": {},
            "Map": on,
            "Fail": {"Cause": "why"},
        }
        states[name] = {"Type": kind, **parts[kind]}
        if kind in ("Task", "Pass") and draw(st.booleans()):
            states[name]["ResultPath"] = draw(_PATHS | st.none())
        if kind == "Choice" and draw(st.booleans()):
            states[name]["Default"] = draw(names)
    return {"StartAt": draw(names), "States": states}


@st.composite
def _rules(draw: st.DrawFn, names: st.SearchStrategy[str]) -> Machine:
    tests: list[Machine] = [
        {"Variable": draw(_PATHS), "StringEquals": draw(st.sampled_from(["x", "RUNNING"]))},
        {"Variable": draw(_PATHS), "NumericLessThan": draw(st.integers(-2, 2))},
        {"Variable": draw(_PATHS), "IsPresent": draw(st.booleans())},
        {"Variable": draw(_PATHS), "BooleanEquals": draw(st.booleans())},
    ]
    rule = draw(st.sampled_from(tests))
    shape = draw(st.sampled_from(["plain", "Not", "And", "Or"]))
    if shape == "Not":
        rule = {"Not": rule}
    elif shape != "plain":
        rule = {shape: [rule, draw(st.sampled_from(tests))]}
    return {**rule, "Next": draw(names)}


@given(machines())
@examples(200, deadline=None)
def test_any_machine_compiles_and_its_run_never_stands_still(machine: Machine) -> None:
    graph = imported(machine).graph
    run = ended(graph)
    assert run.status in (RunStatus.ENDED, RunStatus.FAILED)
    if run.status is RunStatus.FAILED:  # only what the conditions meet may be of another type than they ask
        assert type(run.error).__name__ in ("ConditionFailed", "NodeFailed")
