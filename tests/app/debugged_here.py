"""A program that opens the app on a graph of its own: the child process of test_debugging_here.py.

python debugged_here.py STORE {run,ask,wait,broken} [PIPE]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import stepgraph
from stepgraph import END, Executor, Run, State, StateGraph, StepgraphError, open_store
from stepgraph_tui.screens.workbench import Workbench


def first(state: State) -> dict[str, Any]:
    print("NOISE of a node")
    return {"count": state["count"] + 1}


def main(store: str, what: str, pipe: str = "") -> None:
    def waits(state: State) -> dict[str, Any]:
        return {"heard": Path(pipe).read_text(encoding="utf-8")}

    graph = StateGraph("inside", start="first")
    graph.add_key("count", type="number", default=1)
    graph.add_node("first", waits if pipe else first)
    graph.add_node("last", lambda state: {"count": state["count"] * 10})
    graph.add_edge("first", "last")
    graph.add_edge("last", END)
    heard: list[str] = []
    with open_store(store) as opened:
        executor = Executor(graph.compile(), opened)
        executor.on_step(lambda step: heard.append(step.node))
        print("BEFORE the app")
        if what == "broken":
            broken(executor)
            return
        if what != "ask":
            run: Run | None = executor.debug(executor.start({"count": 4}, "r-1"))
        else:
            run = stepgraph.debug(graph, store=opened)
        print("BEHIND the app", run.current if run is not None else None, heard)
        if run is not None:
            run = executor.run(run)
            print("THE END", run.status, run.values)


def broken(executor: Executor) -> None:
    """Open the app with a mistake in it."""

    def on_mount(self: Workbench) -> None:
        raise RuntimeError("a mistake")

    Workbench.on_mount = on_mount  # type: ignore[method-assign]
    try:
        executor.debug(executor.start({}, "r-1"))
    except StepgraphError as error:
        print("BEHIND the app", error.message)


main(*sys.argv[1:])
