"""Graphs of LangGraph with what cannot be carried."""

from __future__ import annotations

import operator
from typing import Annotated, Any, TypedDict

from langgraph.channels import Topic
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt


class State(TypedDict, total=False):
    x: int
    log: Annotated[list[Any], operator.add]


def built(*edges: tuple[str, str], schema: Any = State) -> StateGraph[Any]:
    builder: Any = StateGraph(schema)
    for name in "abc":
        builder.add_node(name, lambda state, name=name: {"log": [name]})
    for source, target in edges:
        builder.add_edge(source, target)
    return builder  # type: ignore[no-any-return]


# Seen when they are opened

several_starts = built((START, "a"), (START, "b"))
several_edges = built((START, "a"), ("a", "b"), ("a", "c"))
joined = built((START, "a"), ("a", "b"))
joined.add_edge(["a", "b"], "c")


def risky(state: State) -> dict[str, Any]:
    return {}


handled = built((START, "a"))
handled.add_node("risky", risky, error_handler=lambda state: {})
plain_list: Any = Annotated[list[Any], operator.add]
root: Any = StateGraph(plain_list)
root.add_node("a", lambda state: ["a"])
root.add_edge(START, "a")


class Topical(TypedDict):
    news: Annotated[list[str], Topic]


topical = built((START, "a"), schema=Topical)


class Own(TypedDict):
    langgraph: str


own = built((START, "a"), schema=Own)
memory: Any = StateGraph(State)
memory.add_node("a", lambda state: {"log": ["inside"]})
memory.add_edge(START, "a")
middle = built((START, "m"))
middle.add_node("m", memory.compile(checkpointer=True))
remembering = built((START, "outer"))
remembering.add_node("outer", middle.compile())
stopped = built((START, "a")).compile(interrupt_before=["a"], interrupt_after="*")
everything: Any = built((START, "a"), (START, "b"), ("a", "b"), ("a", "c"), schema=Topical)


# Seen when they run

sending = built((START, "a"))
sending.add_conditional_edges("a", lambda state: [Send("b", {"x": 1}), Send("c", {})], ["b", "c"])
commanding = built((START, "s"))
commanding.add_node("s", lambda state: Command(goto=["b", Send("c", {})]), destinations=("b", "c"))
sent_and_led = built((START, "a"), ("a", "b"))
sent_and_led.add_conditional_edges("a", lambda state: [Send("b", {}), Send("b", {})], ["b"])
sent_elsewhere = built((START, "a"))
sent_elsewhere.add_conditional_edges("a", lambda state: [Send("c", {})], ["b"])
waiting = built((START, "a"))
waiting.add_node("d", lambda state: {}, defer=True)
waiting.add_conditional_edges("a", lambda state: ["b", "d"], ["b", "d"])
both = built((START, "a"), ("a", "c"))
both.add_conditional_edges("a", lambda state: "b", ["b", END])
listing = built((START, "a"))
listing.add_conditional_edges("a", lambda state: ["b", "c"], ["b", "c"])


undeclared = built((START, "u"))
undeclared.add_node("u", lambda state: Command(**{"goto": "b"}))


class Unknown:
    pass


unsendable = built((START, "a"))
unsendable.add_conditional_edges("a", lambda state: [Send("b", {"x": [Unknown()]})], ["b"])


class Inside(TypedDict, total=False):
    secret: Any


inner: Any = StateGraph(Inside)
inner.add_node("first", lambda state: {"secret": Unknown()})
inner.add_node("q", lambda state: {"secret": interrupt("?")})
inner.add_edge(START, "first")
inner.add_edge("first", "q")
inside = built((START, "s"))
inside.add_node("s", inner.compile())
unknown = built((START, "k"))
unknown.add_node("k", lambda state: {"x": Unknown()})
