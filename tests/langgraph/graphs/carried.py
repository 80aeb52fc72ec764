"""Graphs of LangGraph with all that can be carried, a kind each."""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from langchain_core.documents import Document
from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.managed import IsLastStep, RemainingSteps
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore
from langgraph.types import Command, Overwrite, RetryPolicy, interrupt
from pydantic import BaseModel


class State(TypedDict, total=False):
    x: Any
    log: Annotated[list[Any], operator.add]


def built(*edges: tuple[str, str], schema: Any = State, **nodes: Any) -> Any:
    builder: Any = StateGraph(schema)
    for name, node in nodes.items():
        builder.add_node(name, node)
    for source, target in edges:
        builder.add_edge(source, target)
    return builder


def said(name: str) -> Any:
    return lambda state: {"log": [name]}


# Edges

conditional_start = built(a=said("a"), b=said("b"))
conditional_start.set_conditional_entry_point(lambda state: "b" if state.get("x") else "a", ["a", "b"])
nothing_to_do = built(a=said("a"))
nothing_to_do.set_conditional_entry_point(lambda state: END, ["a", END])
anywhere = built((START, "a"), a=said("a"), b=said("b"), c=said("c"))
anywhere.add_conditional_edges("a", lambda state: "c")
by_words = built((START, "a"), a=lambda state: {"x": state.get("x", 0) + 1})
by_words.add_conditional_edges("a", lambda state: state["x"] < 3, {True: "a", False: END})
one_of_two = built((START, "a"), ("a", "c"), a=said("a"), b=said("b"), c=said("c"))
one_of_two.add_conditional_edges("a", lambda state: END, ["b", END])
goes_nowhere = built((START, "a"), b=said("b"))


def perhaps(state: State) -> Command[Literal["b"]]:
    return Command(update={"log": ["perhaps"]})


goes_nowhere.add_node("a", perhaps)
ends_without_end = built((START, "a"), a=said("a"), b=said("b"), c=said("c"))
ends_without_end.add_conditional_edges("a", lambda state: [], ["b", "c"])
reserved = built((START, "END"), ("END", "a/b"), **{"END": said("END"), "a/b": said("slash")})
few_threads = built((START, "a"), ("a", "b"), a=said("a"), b=said("b")).compile()
few_threads = few_threads.with_config(max_concurrency=1)
deferred = built((START, "a"), a=said("a"))
deferred.add_node("b", said("b"), defer=True)
deferred.add_edge("a", "b")
same_place = built((START, "a"), a=said("a"), b=said("b"))
same_place.add_conditional_edges("a", lambda state: "second", {"first": "b", "second": "b"})


# State


def add_up(old: dict[str, int] | None, new: dict[str, int] | None) -> dict[str, int]:
    return {key: (old or {}).get(key, 0) + (new or {}).get(key, 0) for key in {**(old or {}), **(new or {})}}


class Summed(TypedDict):
    counts: Annotated[dict[str, int], add_up]
    log: Annotated[list[str], lambda old, new: [*old, "|", *new]]


summed = built(
    (START, "a"),
    ("a", "b"),
    schema=Summed,
    a=lambda state: {"counts": {"a": 1}, "log": ["a"]},
    b=lambda state: {"counts": {"a": 1, "b": 2}, "log": Overwrite(["over"])},
)
nothing = built(
    (START, "a"),
    ("a", "b"),
    a=lambda state: {"x": None},
    b=lambda state: {"log": ["x" in state, state.get("x", "gone")]},
)


class Spoken(TypedDict):
    messages: Annotated[list[AnyMessage], operator.add]
    asides: Annotated[list[AnyMessage], operator.add]
    seen: Annotated[list[str], operator.add]


def hear(state: Spoken) -> dict[str, Any]:
    """Answer as LangGraph's quickstart has it, where a conversation has a plain reducer."""
    return {"messages": [AIMessage(f"after {len(state['messages'])}")], "seen": state["seen"]}


spoken = built((START, "hear"), schema=Spoken, hear=hear)


class Model(BaseModel):
    n: int
    tags: set[str] = set()
    log: Annotated[list[str], operator.add] = []


pydantic = built(
    (START, "p"),
    schema=Model,
    p=lambda state: {"n": state.n + 1, "tags": state.tags | {str(state.n)}, "log": [type(state).__name__]},
)
pydantic.add_conditional_edges("p", lambda state: state.n < 3, {True: "p", False: END})


class Color(Enum):
    RED = "red"


class Point(NamedTuple):
    x: int
    y: float


@dataclass
class Item:
    name: str
    color: Color | None = None
    at: datetime | None = None


@dataclass
class Things:
    items: list[Item] = field(default_factory=list)
    points: dict[str, Point] = field(default_factory=dict)
    count: int = 0


def grow(state: Things) -> Things:
    assert all(isinstance(item, Item) for item in state.items)
    assert all(isinstance(point, Point) for point in state.points.values())
    number = state.count + 1
    item = Item(f"i{number}", Color.RED, datetime(2026, 1, number, tzinfo=UTC))
    return Things([*state.items, item], {**state.points, str(number): Point(number, 0.5)}, number)


objects = built((START, "grow"), schema=Things, grow=grow)
objects.add_conditional_edges("grow", lambda state: "grow" if state.count < 3 else END, ["grow", END])


class Asked(TypedDict):
    question: str


class Answered(TypedDict):
    answer: str


class Whole(Asked, Answered):
    pass


class Private(TypedDict):
    notes: Annotated[list[str], operator.add]


def take_notes(state: Asked) -> dict[str, Any]:
    return {"notes": [f"noted {sorted(state)}"]}


def reply(state: Private) -> dict[str, Any]:
    return {"answer": f"{state}"}


schemas: Any = StateGraph(Whole, input_schema=Asked, output_schema=Answered)
schemas.add_node("take_notes", take_notes)
schemas.add_node("more_notes", take_notes)
schemas.add_node("reply", reply)
schemas.add_edge(START, "take_notes")
schemas.add_edge("take_notes", "more_notes")
schemas.add_edge("more_notes", "reply")


class Docs(MessagesState):
    docs: list[Document]


messages = built(
    (START, "say"),
    ("say", "cut"),
    schema=Docs,
    say=lambda state: {
        "messages": [AIMessage([{"type": "text", "text": "Hi"}], id="m-2", usage_metadata=None)],
        "docs": [Document("page", metadata={"n": 1})],
    },
    cut=lambda state: {"messages": [RemoveMessage(id=state["messages"][0].id)]},
)


# What LangGraph gives to nodes


async def waits(state: State) -> dict[str, Any]:
    return {"log": ["async"]}


async def chooses(state: State) -> Literal["b", "__end__"]:
    return "b"


awaited = built((START, "waits"), waits=waits, b=said("b"))
awaited.add_conditional_edges("waits", chooses)

attempts: list[int] = []


def flaky(state: State) -> dict[str, Any]:
    attempts.append(1)
    if len(attempts) % 3:
        raise ConnectionError("not yet")
    return {"log": ["at last"]}


retried = built((START, "flaky"))
retried.add_node("flaky", flaky, retry_policy=RetryPolicy(initial_interval=0.001, jitter=False))


def configured(state: State, config: RunnableConfig) -> dict[str, Any]:
    return {"log": [config["configurable"]["user"], "thread_id" in config["configurable"]]}


with_config = (
    built((START, "configured"), configured=configured).compile().with_config(configurable={"user": "ana"})
)


class Context(TypedDict):
    user: str


def runs_in(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    context: Any = runtime.context
    return {"log": [context["user"] if context else "nobody"]}


with_context: Any = StateGraph(State, context_schema=Context)
with_context.add_node("runs_in", runs_in)
with_context.add_edge(START, "runs_in")


class Counted(TypedDict, total=False):
    left: RemainingSteps
    last: IsLastStep
    log: Annotated[list[Any], operator.add]


counting = (
    built(
        (START, "a"),
        ("a", "b"),
        ("b", "c"),
        schema=Counted,
        **{
            name: lambda state, name=name: {"log": [name, state["left"], state["last"]]}
            for name in ("a", "b", "c")
        },
    )
    .compile()
    .with_config(recursion_limit=4)
)
endless = built((START, "a"), a=said("a"))
endless.add_conditional_edges("a", lambda state: "a" if len(state["log"]) < 4 else END, ["a", END])
endless = endless.compile().with_config(recursion_limit=2)
inner = built((START, "a"), ("a", "b"), a=said("a"), b=said("b")).compile()
outer = built((START, "a"), ("a", "inner"), ("inner", "b"), a=said("A"), inner=inner, b=said("B"))


def remember(state: State, *, store: BaseStore) -> dict[str, Any]:
    store.put(("notes",), "first", {"text": "remembered"})
    return {}


def recall(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
    assert runtime.store is not None
    return {"log": [item.value["text"] for item in runtime.store.search(("notes",))]}


remembering = built((START, "a"), ("a", "b"), a=remember, b=recall).compile(store=InMemoryStore())


def to_parent(state: State) -> Any:
    return Command(graph=Command.PARENT, goto="b", update={"log": ["to the parent"]})


leaving = built((START, "q"), q=to_parent).compile()
handing_over = built(b=said("b"))
handing_over.add_node("inner", leaving, destinations=("b",))
handing_over.add_edge(START, "inner")

runs_done: list[str] = []


def asks_twice(state: State) -> dict[str, Any]:
    runs_done.append("asks_twice")
    first = interrupt({"question": "First?", "so far": list(state.get("log", []))})
    return {"log": [first, interrupt("Second?")]}


asking = built((START, "asks_twice"), asks_twice=asks_twice)


class Reply(BaseModel):
    age: int


def wants(state: State) -> dict[str, Any]:
    found = interrupt("Your age?", response_schema=Reply)
    return {"log": [found.age]}


typed = built((START, "wants"), wants=wants)
stopping = built((START, "a"), ("a", "b"), a=said("a"), b=said("b")).compile(interrupt_before=["b"])
stopping_after = built((START, "a"), ("a", "b"), a=said("a"), b=said("b")).compile(interrupt_after=["a"])


class Joke(TypedDict, total=False):
    topic: str
    feedback: str
    joke: str
    tries: Annotated[int, operator.add]


def joke_about(state: Joke) -> dict[str, Any]:
    """Read some keys at once, and others only where they are there."""
    if state.get("feedback") or "joke" in state:
        return {"joke": f"{state['joke']}, {state['feedback']}, {state['topic']}"}
    return {"joke": f"{state['topic']} {state['tries']}"}


guarded = built((START, "joke_about"), schema=Joke, joke_about=joke_about)


def make(name: str = "a") -> Any:
    return built((START, name), **{name: said(name)})


make_b = partial(make, "b")
