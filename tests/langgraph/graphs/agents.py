"""What agents of LangChain and deep agents are made of: untracked keys, async tools, contexts, streams."""

from __future__ import annotations

import asyncio
import operator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import StructuredTool, tool
from langgraph.channels import DeltaChannel, UntrackedValue
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, ToolRuntime
from langgraph.runtime import Runtime
from langgraph.types import Command, Send, StreamWriter, interrupt
from pydantic import BaseModel


class State(TypedDict, total=False):
    x: Any
    log: Annotated[list[Any], operator.add]
    calls: Annotated[int, UntrackedValue]
    session: Annotated[Any, UntrackedValue]


def built(schema: Any = State, context: Any = None, **nodes: Any) -> Any:
    """Build a graph of nodes one behind the other."""
    builder: Any = StateGraph(schema, context_schema=context)
    before = START
    for name, node in nodes.items():
        builder.add_node(name, node)
        builder.add_edge(before, name)
        before = name
    return builder


# Untracked keys, from the next node on until a person has answered


def count(state: State) -> dict[str, Any]:
    return {"calls": state.get("calls", 0) + 1, "log": [state.get("calls")]}


class Session:
    """A shell, a connection: what no JSON can hold."""


def begin(state: State) -> dict[str, Any]:
    return {"session": Session()}


def look(state: State) -> dict[str, Any]:
    return {"log": [type(state.get("session")).__name__]}


def ask(state: State) -> dict[str, Any]:
    return {"log": [interrupt("Go on?"), state.get("calls")]}


counting = built(one=count, plain=lambda state: {"log": ["plain"]}, two=count, three=count)
asking = built(one=count, ask=ask, two=count)
sessions = built(begin=begin, first=look, second=look).compile(interrupt_before=["second"])


# Streams


def writes(state: State, writer: StreamWriter) -> dict[str, Any]:
    writer("by the parameter")
    get_stream_writer()({"progress": 1})
    return {"log": ["written"]}


async def writes_awaited(state: State) -> dict[str, Any]:
    get_stream_writer()("awaited")
    return {"log": ["awaited"]}


streaming = built(writes=writes, writes_awaited=writes_awaited)


# Classes that stand beside the graph, and in no annotation


class Answer(BaseModel):
    city: str
    degrees: int


structured = built(
    answer=lambda state: {"x": Answer(city="Oslo", degrees=3)},
    read=lambda state: {"log": [type(state["x"]).__name__, state["x"].city]},
)


# Contexts


@dataclass
class Default:
    model: str = "small"


@dataclass
class Required:
    user: str
    model: str = "small"


def of_context(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
    return {"log": [vars(runtime.context)]}


by_default = built(context=Default, a=of_context)
required = built(context=Required, a=of_context)


# Commands that nobody has declared, and a store that nobody has given


def named(state: State) -> Any:
    if state.get("x"):
        return Command(goto=END)
    return Command(goto="b", update={"log": ["named"]})


def computed(state: State) -> Any:
    return Command(goto=[Send("b", {}) for _ in "12"], update={"log": ["computed"]})


def remember(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
    assert runtime.store is not None
    runtime.store.put(("notes",), "one", {"text": "kept"})
    return {}


def recall(state: State, runtime: Runtime[Any]) -> dict[str, Any]:
    assert runtime.store is not None
    return {"log": [each.value["text"] for each in runtime.store.search(("notes",))]}


def commanded(node: Any) -> Any:
    builder: Any = StateGraph(State)
    builder.add_node("a", node)
    for name in "bc":
        builder.add_node(name, lambda state, name=name: {"log": [name]})
    builder.add_edge(START, "a")
    return builder


by_name = commanded(named)
by_code = commanded(computed)
remembering = built(remember=remember, recall=recall)


# What can only be awaited

done: list[str] = []


@tool
def plain(text: str) -> str:
    """Call what can be called."""
    done.append(f"plain {text}")
    return text


async def shout(text: str) -> str:
    done.append(f"shout {text}")
    return text.upper()


remote = StructuredTool.from_function(coroutine=shout, name="shout", description="As one of an MCP server.")


def calls(*named: str) -> Any:
    asked: Any = [{"name": name, "args": {"text": "hi"}, "id": name} for name in named]
    return lambda state: {"messages": [AIMessage("", tool_calls=asked)]}


tools = ToolNode([plain, remote])
calling = built(MessagesState, model=calls("plain", "shout"), tools=tools)
sending: Any = StateGraph(MessagesState)
sending.add_node("model", calls("plain", "shout"))
sending.add_node("tools", tools)
sending.add_edge(START, "model")
sending.add_conditional_edges(
    "model",
    lambda state: [
        Send("tools", {"messages": [AIMessage("", tool_calls=[each])]})
        for each in state["messages"][-1].tool_calls
    ],
    ["tools"],
)


async def waits(state: State) -> dict[str, Any]:
    done.append("waits")
    return {"log": ["waited"]}


def does(state: State) -> dict[str, Any]:
    done.append("does")
    return {"log": ["done"]}


inside = built(does=does, waits=waits).compile()
nested = built(inner=built(inside=inside).compile())
sequence = built(steps=RunnableLambda(does) | RunnableLambda(waits))


def delegating() -> ToolNode:
    graphs = {"worker": inside}

    def task(text: str) -> str:
        return ",".join(graphs["worker"].invoke({})["log"])

    async def atask(text: str) -> str:
        return ",".join((await graphs["worker"].ainvoke({}))["log"])

    return ToolNode([StructuredTool.from_function(task, atask, name="task", description="Delegate.")])


delegated = built(MessagesState, model=calls("task"), tools=delegating())


def refused(state: State) -> Any:
    done.append("refused")
    return remote.invoke({"text": "hi"})


def not_yet(state: State) -> Any:
    done.append("not yet")
    raise NotImplementedError("to do")


fallback = built(first=RunnableLambda(refused, waits), second=waits)
never = built(first=RunnableLambda(not_yet, waits))


# An agent that a tool calls, asks; its conversation is a DeltaChannel


class Deltas(TypedDict, total=False):
    log: Annotated[
        list[Any],
        DeltaChannel(
            lambda old, writes: [*old, *(each for one in writes for each in one)], snapshot_frequency=2
        ),
    ]


def say(state: Deltas) -> dict[str, Any]:
    done.append("say")
    return {"log": [len(state.get("log", ()))]}


def asks(state: Deltas) -> dict[str, Any]:
    return {"log": [interrupt("May I?"), len(state["log"])]}


agent = built(Deltas, first=say, second=say, asks=asks, last=say).compile()


def asking_inside() -> ToolNode:
    graphs = {"agent": agent}

    def task(text: str, runtime: ToolRuntime) -> str:
        return str(graphs["agent"].invoke({"log": [text]}, runtime.config)["log"])

    return ToolNode([StructuredTool.from_function(task, name="task", description="Delegate.")])


deltas = built(MessagesState, model=calls("task"), tools=asking_inside())


# A client of a model keeps to the event loop of its first call

clients: list[Any] = []


async def connect(state: State) -> dict[str, Any]:
    clients.append(asyncio.get_running_loop().create_future())
    return {"log": ["connected"]}


async def use(state: State) -> dict[str, Any]:
    client = clients.pop()
    asyncio.get_running_loop().call_soon(client.set_result, "answered")
    return {"log": [await client]}


connected = built(connect=connect, use=use)


# Inputs of a kind


class Mail(TypedDict):
    mail: dict[str, Any]
    tags: list[str]
    size: int
    about: str


def read_mail(state: Mail) -> dict[str, Any]:
    return {"about": f"{state['mail']} {state['tags']} {state['size']} {state['about']}"}


mail = built(Mail, read=read_mail)


# Functions that make a graph


async def later() -> Any:
    await asyncio.sleep(0)
    return counting.compile()


def by_config(config: Any) -> Any:
    assert config["configurable"] == {}
    return counting
