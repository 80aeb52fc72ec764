"""DAG 1.3, which AgentEnsemble's viewer shows: the graph as states, and which edges a run has taken.

What has no value is left out: the viewer's types take a null for ``conditionDescription`` and ``background``
alone. The trace beside it speaks of the states in the very words of the graph, for that is how the viewer
finds the numbers of each.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from textwrap import indent
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from ..graphs.parts import END
from ..runs.spending import spending_of
from ..stores.ledger import Outcome, calls_of
from ..values.json_values import dumps
from .export import Exportable, Exported, error_words, instant, iso_duration, seconds_of
from .jsonl import indented

if TYPE_CHECKING:
    from ..graphs.parts import Edge, NodeEntry
    from ..runs.records import StepRecord
    from ..runs.run import Run
    from ..stores.ledger import Row, RowKind
    from ..values.json_values import Json


DETERMINISTIC, SYNTHESIZED, TERMINAL = "(deterministic)", "(synthesized)", "(terminal)"
REASONS = {Outcome.END: "terminal", Outcome.MAX_STEPS: "maxSteps"}
"""The ways to end that the format knows; a run that ended otherwise, or has not, gives none."""


class States:
    """The nodes of a graph as states: what they are called, and how they are described.

    Args:
        source: What is exported.
    """

    def __init__(self, source: Exportable) -> None:
        self._mask = source.mask
        self._nodes = source.graph.nodes if source.run is None else source.run.plan.nodes
        self.ids = {name: str(number) for number, name in enumerate((*source.graph.nodes, END))}
        """The ids by the names of the nodes, in declaration order; END is the last."""

    def outer(self, node: str) -> str:
        """Name the state that a node of a run counts for: where a subgraph is left, that is the subgraph."""
        leaves = node.removesuffix("/END")
        return leaves if leaves in self._nodes else node

    def description(self, node: str) -> str:
        """Describe a state by its name and by what it is for."""
        entry = self._nodes.get(self.outer(node))
        about = _about(entry) if entry is not None else ""
        return self._mask.text(f"{self.outer(node)}: {about}" if about else self.outer(node))

    def role(self, node: str) -> str:
        """Name who does the work of a state: an agent, a model that the state itself briefs, or code."""
        entry = self._nodes.get(self.outer(node))
        if entry is None or not entry.facts.all_models:
            return DETERMINISTIC
        is_agent = getattr(entry.node, "type", entry.type) == "agent"
        return self._mask.text(self.outer(node)) if is_agent else SYNTHESIZED

    def expected(self, node: str) -> str:
        """Describe what a state is to give."""
        entry = self._nodes.get(self.outer(node))
        written = entry.facts.writes if entry is not None else None
        return self._mask.text(f"writes {', '.join(sorted(written))}") if written else ""


def _about(entry: NodeEntry) -> str:
    """Describe what a node is for: its note, else its prompt, else the function that it is or calls."""
    settings, function = entry.settings or {}, entry.node
    texts = [entry.note, *(settings.get(key) for key in ("prompt", "handler", "tool"))]
    if isinstance(function, FunctionType):
        texts += [(function.__doc__ or "").strip().partition("\n")[0], function.__qualname__]
    words = (word.strip() for word in (*texts, entry.type) if isinstance(word, str))
    return next(filter(None, words), "")


_KINDS: tuple[RowKind, ...] = ("step", "route", "attempt", "review", "stop")
_NOTHING = "PT0S"
_MEMORY = ("stmWrites", "ltmStores", "ltmRetrievals", "entityLookups")


def trace_parts(source: Exportable, states: States, run: Run) -> Iterator[str]:
    """Write a run as an execution trace, in JSON, part by part: a long run has many tasks."""
    teller = _Teller(source, states)
    ended = run.head.created_at
    yield from _members(
        {
            "schemaVersion": "1.1",
            "captureMode": "OFF",
            "ensembleId": run.id,
            "workflow": "SEQUENTIAL",
            "startedAt": instant(run.head.created_at),
            "inputs": _inputs(source, run),
            "agents": [],
        },
        "{\n",
    )
    yield ',\n  "taskTraces": ['
    between = "\n"
    for record in run.records_after(0, _KINDS):
        ended = max(ended, record.started_at + record.duration)
        task = teller.take(record)
        if task is not None:
            yield between + indent(indented(task), "    ")
            between = ",\n"
    yield "\n  ]" if between[0] == "," else "]"
    rest: dict[str, Json] = {
        "completedAt": instant(ended),
        "totalDuration": iso_duration(ended - run.head.created_at),
        "metrics": _totals(teller.total.to_json()),
        "totalCostEstimate": None,
        "errors": teller.errors,
        "mapReduceLevels": [],
        "metadata": {},
    }
    yield from _members(rest, ",\n")
    reason = REASONS.get(run.outcome) if run.outcome is not None else None
    if reason is not None:
        yield from _path(source, run, reason)
    yield "\n}\n"


def _members(table: dict[str, Json], before: str) -> Iterator[str]:
    """Write the members of a table, without its braces."""
    yield before + indented(table)[2:-2]


@dataclass(slots=True)
class _Worked:
    """What calls took: of a step, or of a run."""

    models: int = 0
    tools: int = 0
    asked: int = 0
    told: int = 0
    model_seconds: float = 0.0
    tool_seconds: float = 0.0

    @classmethod
    def of(cls, calls: list[dict[str, Any]]) -> _Worked:
        """Add up calls."""
        models = [call for call in calls if call.get("kind") == "model"]
        tools = [call for call in calls if call.get("kind") == "tool"]
        spent = spending_of(models)
        tokens = spent.input_tokens, spent.output_tokens
        return cls(len(models), len(tools), *tokens, seconds_of(models), seconds_of(tools))

    def __add__(self, other: _Worked) -> _Worked:
        return _Worked(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))

    def to_json(self) -> dict[str, Json]:
        """Write it as the metrics of a task."""
        return {
            "inputTokens": self.asked,
            "outputTokens": self.told,
            "totalTokens": self.asked + self.told,
            "llmLatency": iso_duration(self.model_seconds),
            "toolExecutionTime": iso_duration(self.tool_seconds),
            "memoryRetrievalTime": _NOTHING,
            "promptBuildTime": _NOTHING,
            "llmCallCount": self.models,
            "toolCallCount": self.tools,
            "delegationCount": 0,
            "memoryOperations": dict.fromkeys(_MEMORY, 0),
            "costEstimate": None,
        }


class _Teller:
    """Makes tasks and errors of the rows of a run."""

    def __init__(self, source: Exportable, states: States) -> None:
        self._source, self._mask, self._states = source, source.mask, states
        self._before: list[dict[str, Any]] = []  # what was called on this visit before a pause or a failure
        self.total = _Worked()
        self.errors: list[Json] = []

    def take(self, record: StepRecord) -> dict[str, Json] | None:
        """Process the next row, and tell the task that it completes, if it does."""
        calls = [self._mask.json(call) for call in calls_of(record.row)]
        self.total += _Worked.of(calls)
        if record.row.error is not None:
            self.errors.append(self._error(record.row, record.row.error))
        if record.row.kind == "step":
            calls, self._before = [*self._before, *calls], []
            return self._task(record, calls)
        self._before += calls
        return None

    def _task(self, record: StepRecord, calls: list[dict[str, Any]]) -> dict[str, Json]:
        row = record.row
        return {
            **self._whose(row),
            "expectedOutput": self._states.expected(record.node),
            "startedAt": instant(row.at),
            "completedAt": instant(row.at + row.duration),
            "duration": iso_duration(row.duration),
            "prompts": None,
            "llmInteractions": _interactions(row.at, calls),
            "delegations": [],
            "finalOutput": self._source.output_text(record),
            "parsedOutput": None,
            "metrics": _Worked.of(calls).to_json(),
            "metadata": {"stepNumber": row.step, "visit": row.visit},
        }

    def _whose(self, row: Row) -> dict[str, Json]:
        node = row.node or ""
        return {"taskDescription": self._states.description(node), "agentRole": self._states.role(node)}

    def _error(self, row: Row, error: Mapping[str, Json]) -> dict[str, Json]:
        words = error_words(self._mask.table(error))
        return {
            **self._whose(row),
            "errorType": words["type"],
            "message": words["message"],
            "stackTrace": words.get("traceback", ""),
            "occurredAt": instant(row.at + row.duration),
        }


def _interactions(at: float, calls: list[dict[str, Any]]) -> list[Json]:
    """Return the model calls in order, each with the tools called before the next one."""
    interactions: list[dict[str, Any]] = []
    for call in calls:
        seconds = seconds_of([call])
        times = {"startedAt": instant(at), "completedAt": instant(at + seconds)}
        if call.get("kind") == "model":
            interactions.append(_interaction(call, len(interactions), times, seconds))
        elif interactions:
            interactions[-1]["toolCalls"].append(_tool_call(call, times, seconds))
        at += seconds
    return [*interactions]


def _interaction(
    call: Mapping[str, Any], index: int, times: Mapping[str, str], seconds: float
) -> dict[str, Any]:
    text, spent = call.get("error", call.get("text")), spending_of([call])
    return {
        "iterationIndex": index,
        **times,
        "latency": iso_duration(seconds),
        "inputTokens": spent.input_tokens,
        "outputTokens": spent.output_tokens,
        "responseType": "TOOL_CALLS" if call.get("tool_calls") else "FINAL_ANSWER",
        "responseText": None if text is None else str(text),
        "toolCalls": [],
        "messages": [],
    }


def _tool_call(call: Mapping[str, Any], times: Mapping[str, str], seconds: float) -> dict[str, Json]:
    arguments, result = call.get("arguments"), call.get("error", call.get("result"))
    return {
        "toolName": str(call.get("name", "")),
        "arguments": dumps({} if arguments is None else arguments),
        "result": result if isinstance(result, str | None) else dumps(result),
        "structuredOutput": None,
        **times,
        "duration": iso_duration(seconds),
        "outcome": "ERROR" if "error" in call else "SUCCESS",
        "parsedInput": arguments if isinstance(arguments, dict) else None,
        "metadata": {},
    }


def _totals(one: dict[str, Json]) -> dict[str, Json]:
    """Write the metrics of a task as those of a run."""
    return {
        "totalInputTokens": one["inputTokens"],
        "totalOutputTokens": one["outputTokens"],
        "totalTokens": one["totalTokens"],
        "totalLlmLatency": one["llmLatency"],
        "totalToolExecutionTime": one["toolExecutionTime"],
        "totalMemoryRetrievalTime": _NOTHING,
        "totalPromptBuildTime": _NOTHING,
        "totalLlmCallCount": one["llmCallCount"],
        "totalToolCalls": one["toolCallCount"],
        "totalDelegations": 0,
        "memoryOperations": one["memoryOperations"],
        "taskMetrics": {},
        "totalCostEstimate": None,
    }


def _inputs(source: Exportable, run: Run) -> dict[str, Json]:
    """Return the values that the run began with, each as text."""
    values = source.mask.values(run.store.rows(run.id, upto=1)[0].updates or {})
    return {name: value if isinstance(value, str) else dumps(value) for name, value in values.items()}


def _path(source: Exportable, run: Run, reason: str) -> Iterator[str]:
    """Return the path of a run in the form of the viewer's library; the viewer itself ignores it."""
    about: dict[str, Json] = {
        "graphName": source.mask.text(run.head.graph),
        "startState": source.mask.text(source.graph.start),
        "terminationReason": reason,
        "stepsRun": run.step,
        "maxSteps": run.max_steps,
    }
    yield ',\n  "graphTrace": {\n' + indent(indented(about)[2:-2], "  ")
    between = ',\n    "steps": [\n'
    for record in run.history:
        step: dict[str, Json] = {"stateName": source.mask.text(record.node), "stepNumber": record.step}
        if record.next is not None:
            step["nextState"] = "__END__" if record.next == END else source.mask.text(record.next)
        yield between + indent(indented(step), "      ")
        between = ",\n"
    yield "\n    ]\n  }"


def write(source: Exportable) -> Exported:
    """Write a graph, and what a run of it did."""
    states = States(source)
    run = source.run
    beside = {} if run is None else {".trace.json": Exported(trace_parts(source, states, run))}
    return Exported(indented(_model(source, states)) + "\n", beside)


def _model(source: Exportable, states: States) -> dict[str, Json]:
    graph, run = source.graph, source.run
    tasks: list[Json] = [
        _task(id, states.description(name), states.expected(name), states.role(name), "graph-state")
        for name, id in states.ids.items()
        if name != END
    ]
    tasks.append(_task(states.ids[END], END, TERMINAL, TERMINAL, "graph-end"))
    model: dict[str, Json] = {
        "schemaVersion": "1.3",
        "type": "dag",
        "workflow": "SEQUENTIAL",
        "generatedAt": instant(source.at.timestamp()),
        "agents": [],
        "tasks": tasks,
        "parallelGroups": [],
        "criticalPath": [],
        "mode": "graph",
        "graphEdges": _edges(source, states, set() if run is None else _taken_ends(run, states)),
        "graphStartStateId": states.ids[graph.start],
    }
    if run is not None:
        reason = REASONS.get(run.outcome) if run.outcome is not None else None
        model |= {"graphTerminationReason": reason} if reason is not None else {}
        model["graphStepsRun"] = run.step
    return model


def _task(number: str, description: str, expected: str, role: str, kind: str) -> dict[str, Json]:
    return {
        "id": number,
        "description": description,
        "expectedOutput": expected,
        "agentRole": role,
        "dependsOn": [],
        "parallelGroup": 0,
        "onCriticalPath": False,
        "nodeType": kind,
    }


def _edges(source: Exportable, states: States, taken: set[tuple[str, str]]) -> list[Json]:
    """Write the edges in declaration order; those with the same ends are one, for the viewer shows one."""
    together: dict[tuple[str, str], list[Edge]] = {}
    for edge in source.graph.edges:
        together.setdefault((edge.source, edge.target), []).append(edge)
    return [
        {
            "fromStateId": states.ids[ends[0]],
            "toStateId": states.ids[ends[1]],
            "conditionDescription": source.mask.text(words) if (words := _words(edges)) else None,
            "unconditional": all(edge.unconditional for edge in edges),
            "fired": ends in taken,
        }
        for ends, edges in together.items()
    ]


def _words(edges: list[Edge]) -> str:
    """Describe edges with the same ends by their labels, else by what they ask."""
    alone = len(edges) == 1
    words = (
        edge.label or ("" if alone else "otherwise") if edge.unconditional else edge.describe()
        for edge in edges
    )
    return " / ".join(dict.fromkeys(words))


def _taken_ends(run: Run, states: States) -> set[tuple[str, str]]:
    """Find the ends of the edges that a run took, and at the step limit the one that it did not take."""
    rows: Iterable[tuple[str | None, str | None]] = (
        (row.node, row.next) for row in run.rows_after(0, ("step", "route"))
    )
    return {(states.outer(node), end) for node, end in rows if node is not None and end is not None}


_Name = TypeVar("_Name", bound=Hashable)


def distances(edges: Iterable[tuple[_Name, _Name]], end: _Name) -> dict[_Name, int]:
    """Count the fewest edges that lead from each node to the end; from some there may be no way.

    Args:
        edges: The ends of each edge, its source first.
        end: The node that is the end.
    """
    back: dict[_Name, list[_Name]] = defaultdict(list)
    for source, target in edges:
        back[target].append(source)
    far, rest = {end: 0}, deque([end])
    while rest:
        name = rest.popleft()
        for source in back[name]:
            if source not in far:
                far[source] = far[name] + 1
                rest.append(source)
    return far
