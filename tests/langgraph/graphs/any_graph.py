"""Small LangGraph graphs of any shape, made of a table: what each node writes, asks, and where it leads."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Overwrite, Send, interrupt


def longest(old: str, new: str) -> str:
    return max(old, new, key=len)


def joined(old: list[Any], new: list[Any]) -> list[Any]:
    """Leave a mark at each call: a reducer that is called once too often, or too rarely, is seen."""
    return [*old, "|", *new]


class State(TypedDict, total=False):
    steps: Annotated[int, operator.add]
    log: Annotated[list[Any], joined]
    word: Annotated[str, longest]
    last: Any


def node(name: str, kind: dict[str, Any], most: int) -> Any:
    def run(state: State) -> Any:
        steps = state.get("steps", 0)
        update: dict[str, Any] = {
            "steps": 1,
            "log": [[name, state.get("last", "none yet")]],
            **kind["writes"],
        }
        if kind["overwrites"] and steps % 2:
            update["log"] = Overwrite([name])
        if kind["asks"]:
            update["log"] = [interrupt({"question": f"{name}?", "steps": steps}) for _ in range(kind["asks"])]
        if kind["way"] != "command":
            return update
        target = END if steps + 1 >= most else kind["targets"][steps % len(kind["targets"])]
        return Command(update=update, goto=sent(kind, target, state) or target)

    return run


def sent(kind: dict[str, Any], target: str, state: State) -> list[Send]:
    """Send to a node instead of going there, once or more, each time something else."""
    if target == END:
        return []
    return [Send(target, {**state, "last": [target, number]}) for number in range(kind["sends"])]


def router(kind: dict[str, Any], most: int) -> Any:
    def choose(state: State) -> Any:
        steps = state.get("steps", 0)
        way = steps % len(kind["targets"])
        found: Any = "stop" if steps >= most else f"way {way}"
        if found != "stop" and (sends := sent(kind, kind["targets"][way], state)):
            return sends
        return [found] if kind["lists"] else found

    return choose


def build(table: dict[str, Any]) -> Any:
    builder: Any = StateGraph(State)
    most = table["most"]
    for name, kind in table["nodes"].items():
        goes = (*dict.fromkeys(kind["targets"]), END) if kind["way"] == "command" else None
        builder.add_node(name, node(name, kind, most), destinations=goes)
        if kind["way"] == "edge":
            builder.add_edge(name, kind["targets"][0])
        elif kind["way"] == "router":
            ways = {f"way {number}": target for number, target in enumerate(kind["targets"])}
            builder.add_conditional_edges(name, router(kind, most), {**ways, "stop": END})
    if table["chooses"]:
        builder.set_conditional_entry_point(lambda state: "a" if state.get("steps") else "b", ["a", "b"])
    else:
        builder.add_edge(START, "a")
    return builder.compile()
