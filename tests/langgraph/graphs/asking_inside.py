"""Graphs of LangGraph in which tasks that were sent ask, or graphs inside of a node do."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from langgraph.channels import DeltaChannel
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Overwrite, Send, interrupt
from pydantic import BaseModel

done: list[str] = []
"""What was executed in this process, as often as it was."""


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[Any], operator.add]


def built(*edges: tuple[str, str], schema: Any = State, **nodes: Any) -> Any:
    builder: Any = StateGraph(schema)
    for name, node in nodes.items():
        builder.add_node(name, node)
    for source, target in edges:
        builder.add_edge(source, target)
    return builder


def said(name: str) -> Any:
    def say(state: State) -> dict[str, Any]:
        done.append(name)
        return {"log": [name]}

    return say


def numbers(node: str, *found: int) -> Any:
    return lambda state: [Send(node, {"n": each}) for each in found]


# Tasks that were sent


def perhaps(state: State) -> Any:
    """Ask as often as the number says; the third one sends more, and overwrites nothing."""
    n = state["n"]
    done.append(f"perhaps {n}")
    found = [interrupt({"question": f"{n}?", "time": time}) for time in range(n % 3)]
    return {"log": [n, *found]}


several = built(("perhaps", "last"), perhaps=perhaps, last=said("last"))
several.set_conditional_entry_point(numbers("perhaps", 3, 1, 6, 2), ["perhaps"])


def sends_on(state: State) -> Any:
    update = {"log": Overwrite([state["n"]])} if state["n"] == 1 else {"log": [interrupt("More?")]}
    return Command(update=update, goto=Send("last", {"n": state["n"]}))


sending_on = built(last=said("last"))
sending_on.add_node("sends_on", sends_on, destinations=("last",))
sending_on.set_conditional_entry_point(numbers("sends_on", 1, 2), ["sends_on"])


class Reply(BaseModel):
    age: int


def wants(state: State) -> dict[str, Any]:
    return {"log": [interrupt(f"Age {state['n']}?", response_schema=Reply).age]}


typed = built(wants=wants)
typed.set_conditional_entry_point(numbers("wants", 1, 2), ["wants"])


# Graphs inside


@dataclass
class Draft:
    text: str
    pages: tuple[int, ...] = ()


class Writing(TypedDict, total=False):
    draft: Draft
    log: Annotated[list[Any], operator.add]


def write(state: Writing) -> dict[str, Any]:
    done.append("write")
    return {"draft": Draft(f"draft {len(done)}", (1, 2)), "log": ["written"]}


def revise(state: Writing) -> dict[str, Any]:
    first = interrupt({"question": "Good?", "pages": list(state["draft"].pages)})
    return {"log": [first, interrupt("Really?"), len(state["draft"].pages)]}


def again(state: Writing) -> Literal["write", "__end__"]:
    return "write" if state["log"].count("written") < 2 else "__end__"


writing = built((START, "write"), ("write", "revise"), schema=Writing, write=write, revise=revise)
writing.add_conditional_edges("revise", again)
outer = built((START, "a"), ("a", "inner"), ("inner", "b"), a=said("a"), inner=writing.compile(), b=said("b"))

middle = built((START, "inner"), ("inner", "c"), inner=writing.compile(), c=said("c"))
deeper = built((START, "middle"), middle=middle.compile())


def calls(state: State) -> dict[str, Any]:
    done.append("calls")
    return {"log": [len(writing_alone.invoke({"log": []})["log"])]}


writing_alone = writing.compile()
called = built((START, "calls"), calls=calls)

broken: list[str] = []


def breaks(state: State) -> dict[str, Any]:
    done.append("breaks")
    found = interrupt("Now?")
    if not broken:
        broken.append("once")
        raise ConnectionError("not yet")
    return {"log": [found]}


breaking = built((START, "first"), ("first", "breaks"), first=said("first"), breaks=breaks)
fragile = built((START, "inner"), inner=breaking.compile())

sent_inside = built(inner=writing.compile(), last=said("last"))
sent_inside.set_conditional_entry_point(
    lambda state: [Send("inner", {"log": [each]}) for each in (1, 2)], ["inner"]
)
sent_inside.add_edge("inner", "last")


class Deltas(TypedDict, total=False):
    log: Annotated[
        list[Any], DeltaChannel(lambda old, writes: [*old, *(each for one in writes for each in one)])
    ]


def choose(state: Deltas) -> Literal["say", "ask"]:
    return "say" if len(state["log"]) < 4 else "ask"


def count(state: Deltas) -> dict[str, Any]:
    done.append("count")
    return {"log": [len(state["log"])]}


def ask(state: Deltas) -> dict[str, Any]:
    return {"log": [interrupt("?"), interrupt("And?"), len(state["log"])]}


delta = built((START, "say"), schema=Deltas, say=count, ask=ask)
delta.add_conditional_edges("say", choose)
deltas = built((START, "delta"), schema=Deltas, delta=delta.compile())
