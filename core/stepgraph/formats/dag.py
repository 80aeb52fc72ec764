"""DAG 1.3, which AgentEnsemble's viewer shows: the graph as states, and which edges a run has taken.

What has no value is left out: the viewer's types take a null for ``conditionDescription`` and ``background``
alone. The trace beside it speaks of the states in the very words of the graph, for that is how the viewer
finds the numbers of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..graphs.parts import END
from .dag_states import REASONS, TERMINAL, States
from .dag_trace import trace_parts
from .export import Exportable, Exported
from .json_lines import indented
from .run_texts import instant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..graphs.parts import Edge
    from ..runs.run import Run
    from ..values.json_values import Json


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
        "graphEdges": _edges(source, states, set() if run is None else _taken(run, states)),
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


def _taken(run: Run, states: States) -> set[tuple[str, str]]:
    """Find the ends of the edges that a run took; at the cap, that to the node which did not run as well."""
    rows: Iterable[tuple[str | None, str | None]] = (
        (row.node, row.next) for row in run.rows_after(0, ("step", "route"))
    )
    return {(states.outer(node), end) for node, end in rows if node is not None and end is not None}
