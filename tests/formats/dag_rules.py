"""Every rule of DAG 1.3 and of its trace, as checks that name what is broken.

The rules are those of the viewer's strict types (no field that they do not know, nothing left out that they
require, no null where they take none) and those that only show when a graph is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_DURATION = re.compile(r"PT\d+(\.\d+)?S")

TEXT, FLAG, WHOLE, ANY = "text", "flag", "whole number", "anything"
NULLABLE_TEXT, TEXTS, NOTHING = "text or null", "texts", "an empty list"
INSTANT, DURATION, TABLE, LIST = "a time", "a length of time", "a table", "a list"

MODEL = {
    "schemaVersion": TEXT,
    "type": TEXT,
    "workflow": TEXT,
    "generatedAt": INSTANT,
    "agents": LIST,
    "tasks": LIST,
    "parallelGroups": LIST,
    "criticalPath": TEXTS,
}
MODEL_OPTIONAL = {
    "mode": TEXT,
    "graphEdges": LIST,
    "graphStartStateId": TEXT,
    "graphTerminationReason": TEXT,
    "graphStepsRun": WHOLE,
}
STATE = {
    "id": TEXT,
    "description": TEXT,
    "expectedOutput": TEXT,
    "agentRole": TEXT,
    "dependsOn": TEXTS,
    "parallelGroup": WHOLE,
    "onCriticalPath": FLAG,
}
STATE_OPTIONAL = {"nodeType": TEXT}
EDGE = {"fromStateId": TEXT, "toStateId": TEXT, "unconditional": FLAG, "fired": FLAG}
EDGE_OPTIONAL = {"conditionDescription": NULLABLE_TEXT}

TRACE = {
    "schemaVersion": TEXT,
    "captureMode": TEXT,
    "ensembleId": TEXT,
    "workflow": TEXT,
    "startedAt": INSTANT,
    "completedAt": INSTANT,
    "totalDuration": DURATION,
    "inputs": TABLE,
    "agents": LIST,
    "taskTraces": LIST,
    "metrics": TABLE,
    "totalCostEstimate": ANY,
    "errors": LIST,
    "mapReduceLevels": LIST,
    "metadata": TABLE,
}
TASK = {
    "taskDescription": TEXT,
    "expectedOutput": TEXT,
    "agentRole": TEXT,
    "startedAt": INSTANT,
    "completedAt": INSTANT,
    "duration": DURATION,
    "prompts": ANY,
    "llmInteractions": LIST,
    "delegations": LIST,
    "finalOutput": TEXT,
    "parsedOutput": ANY,
    "metrics": TABLE,
    "metadata": TABLE,
}
METRICS = {
    **dict.fromkeys(("inputTokens", "outputTokens", "totalTokens"), WHOLE),
    **dict.fromkeys(("llmLatency", "toolExecutionTime", "memoryRetrievalTime", "promptBuildTime"), DURATION),
    **dict.fromkeys(("llmCallCount", "toolCallCount", "delegationCount"), WHOLE),
    "memoryOperations": TABLE,
    "costEstimate": ANY,
}
INTERACTION = {
    "iterationIndex": WHOLE,
    "startedAt": INSTANT,
    "completedAt": INSTANT,
    "latency": DURATION,
    "inputTokens": WHOLE,
    "outputTokens": WHOLE,
    "responseType": TEXT,
    "responseText": NULLABLE_TEXT,
    "toolCalls": LIST,
    "messages": LIST,
}
TOOL_CALL = {
    "toolName": TEXT,
    "arguments": TEXT,
    "result": NULLABLE_TEXT,
    "structuredOutput": ANY,
    "startedAt": INSTANT,
    "completedAt": INSTANT,
    "duration": DURATION,
    "outcome": TEXT,
    "parsedInput": ANY,
    "metadata": TABLE,
}
ERROR = {
    **dict.fromkeys(("agentRole", "taskDescription", "errorType", "message", "stackTrace"), TEXT),
    "occurredAt": INSTANT,
}


def _fits(value: Any, kind: str) -> bool:
    if kind in (TEXT, NULLABLE_TEXT):
        return isinstance(value, str) or (value is None and kind == NULLABLE_TEXT)
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == WHOLE:
        return type(value) is int and value >= 0
    if kind == TEXTS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if kind in (INSTANT, DURATION):
        pattern = _INSTANT if kind == INSTANT else _DURATION
        return isinstance(value, str) and pattern.fullmatch(value) is not None
    return {TABLE: isinstance(value, dict), LIST: isinstance(value, list)}.get(kind, True)


def shape(
    table: Any, where: str, required: dict[str, str], optional: dict[str, str] | None = None
) -> Iterator[str]:
    """Compare a table with a type: what it must have, what it may have, and nothing else."""
    if not isinstance(table, dict):
        yield f"{where} is not a table"
        return
    known = {**required, **(optional or {})}
    yield from (f"{where} lacks {key}" for key in required if key not in table)
    for key, value in table.items():
        if key not in known:
            yield f"{where} has {key}, which the type does not know"
        elif not _fits(value, known[key]):
            yield f"{where}.{key} is {value!r}, not {known[key]}"


def broken_rules(model: Any) -> list[str]:
    """Name every rule that a DAG breaks."""
    found = list(shape(model, "the model", MODEL, MODEL_OPTIONAL))
    return found or [*_constants(model), *_states(model), *_edges(model), *_ending(model)]


def _constants(model: dict[str, Any]) -> Iterator[str]:
    wanted = {"schemaVersion": "1.3", "type": "dag", "workflow": "SEQUENTIAL", "mode": "graph"}
    for key, value in wanted.items():
        if model.get(key) != value:
            yield f"{key} is not {value}"
    for key in ("agents", "parallelGroups", "criticalPath"):
        if model[key]:
            yield f"{key} is not empty"
    order = [key for key in (*MODEL, *MODEL_OPTIONAL) if key in model]
    if list(model) != order:
        yield "the fields are not in the order in which Java writes them"


def _states(model: dict[str, Any]) -> Iterator[str]:
    for number, state in enumerate(model["tasks"]):
        yield from shape(state, f"state {number}", STATE, STATE_OPTIONAL)
    states = [state for state in model["tasks"] if isinstance(state, dict)]
    if [state.get("id") for state in states] != [str(number) for number in range(len(states))]:
        yield "the ids are not those of the declaration order"
    if len(states) < 2:
        yield "there is no state beside END"
    descriptions = [state.get("description") for state in states]
    if len(set(descriptions)) != len(descriptions):
        yield "two states have one description, so that numbers of one are shown at the other"
    for state in states:
        if (state.get("dependsOn"), state.get("parallelGroup"), state.get("onCriticalPath")) != (
            [],
            0,
            False,
        ):
            yield f"state {state.get('id')} depends on others"
    for state in states[:-1]:
        if (
            state.get("nodeType") != "graph-state"
            or not state.get("description")
            or not state.get("agentRole")
        ):
            yield f"state {state.get('id')} is not a graph-state with a description and a role"
    keys = ("nodeType", "description", "expectedOutput", "agentRole")
    if [[state.get(key) for key in keys] for state in states[-1:]] != [_END]:
        yield "the last state is not END"


_END = ["graph-end", "END", "(terminal)", "(terminal)"]


def _edges(model: dict[str, Any]) -> Iterator[str]:
    if "graphEdges" not in model:
        yield "there are no graphEdges: nothing but nodes would be drawn"
    edges = model.get("graphEdges", [])
    for number, edge in enumerate(edges):
        yield from shape(edge, f"edge {number}", EDGE, EDGE_OPTIONAL)
    ids = {state.get("id") for state in model["tasks"]}
    end = model["tasks"][-1].get("id") if model["tasks"] else None
    pairs = [(edge.get("fromStateId"), edge.get("toStateId")) for edge in edges]
    for source, target in pairs:
        if source not in ids or target not in ids:
            yield f"an edge leads from {source} to {target}, which is not a state"
        if source == end:
            yield "an edge leaves END"
    if len(set(pairs)) != len(pairs):
        yield "two edges have the same ends"
    for edge in edges:
        if not edge.get("unconditional") and not edge.get("conditionDescription"):
            yield "an edge with a condition does not say it"
    if model.get("graphStartStateId") not in ids - {end}:
        yield "the start is not a state"


def _ending(model: dict[str, Any]) -> Iterator[str]:
    fired = any(edge.get("fired") for edge in model.get("graphEdges", []))
    if model.get("graphTerminationReason", "terminal") not in ("terminal", "maxSteps"):
        yield f"the reason {model['graphTerminationReason']!r} is not known"
    if "graphStepsRun" not in model and (fired or "graphTerminationReason" in model):
        yield "edges are fired, or it ended, before a run"
    if model.get("graphStepsRun") == 0 and fired:
        yield "edges are fired although no step was run"


def broken_trace_rules(trace: Any, model: dict[str, Any]) -> list[str]:
    """Name every rule that a trace breaks, and every task whose numbers no state would show."""
    found = list(shape(trace, "the trace", TRACE, {"graphTrace": TABLE}))
    if found:
        return found
    for number, task in enumerate(trace["taskTraces"]):
        found += shape(task, f"task {number}", TASK)
        found += shape(task.get("metrics"), f"task {number}.metrics", METRICS)
        for interaction in task.get("llmInteractions", []):
            found += shape(interaction, f"task {number}.interaction", INTERACTION)
            for call in interaction.get("toolCalls", []):
                found += shape(call, f"task {number}.call", TOOL_CALL)
    for number, error in enumerate(trace["errors"]):
        found += shape(error, f"error {number}", ERROR)
    if trace["captureMode"] not in ("OFF", "STANDARD", "FULL"):
        found.append("the capture mode is not known")
    shown = {f"{state['agentRole']}:{state['description']}" for state in model["tasks"][:-1]}
    subgraphs = tuple(f"{state['description'].partition(':')[0]}/" for state in model["tasks"][:-1])
    for task in [*trace["taskTraces"], *trace["errors"]]:
        inside = str(task.get("taskDescription")).startswith(subgraphs)  # which is not a state of its own
        if f"{task.get('agentRole')}:{task.get('taskDescription')}" not in shown and not inside:
            found.append(f"no state shows the numbers of {task.get('taskDescription')!r}")
    return found
