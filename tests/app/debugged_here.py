"""A program that opens the app on a graph of its own: the child process of test_debugging_here.py.

python debugged_here.py STORE {run,ask}
"""

from __future__ import annotations

import sys
from typing import Any

import stepgraph
from stepgraph import END, Executor, Run, State, StateGraph, open_store


def first(state: State) -> dict[str, Any]:
    print("NOISE of a node")
    return {"count": state["count"] + 1}


def main(store: str, what: str) -> None:
    graph = StateGraph("inside", start="first")
    graph.add_key("count", type="number", default=1)
    graph.add_node("first", first)
    graph.add_node("last", lambda state: {"count": state["count"] * 10})
    graph.add_edge("first", "last")
    graph.add_edge("last", END)
    heard: list[str] = []
    with open_store(store) as opened:
        executor = Executor(graph.compile(), opened)
        executor.on_step(lambda step: heard.append(step.node))
        print("BEFORE the app")
        if what == "run":
            run: Run | None = executor.debug(executor.start({"count": 4}, "r-1"))
        else:
            run = stepgraph.debug(graph, store=opened)
        print("BEHIND the app", run.current if run is not None else None, heard)
        if run is not None:
            run = executor.run(run)
            print("THE END", run.status, run.values)


main(*sys.argv[1:])
