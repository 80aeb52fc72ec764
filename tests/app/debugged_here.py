"""A program that opens the app on a graph of its own: the child process of test_debugging_here.py.

python debugged_here.py STORE {run,ask}
"""

from __future__ import annotations

import sys
from typing import Any

from stepgraph import END, Executor, State, StateGraph, open_store
from stepgraph_tui.debugging_here import open_here


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
    with open_store(store) as opened:
        executor = Executor(graph.compile(), opened)
        executor.on_step(lambda step: heard.append(step.node))
        heard: list[str] = []
        begun = executor.start({"count": 4}, "r-1").id if what == "run" else None
        print("BEFORE the app")
        found = open_here(executor, begun)
        print("BEHIND the app", found, heard)
        if found is not None:
            run = executor.run(executor.load(found))
            print("THE END", run.status, run.values)


main(*sys.argv[1:])
