"""Graphs of LangGraph whose routers and Commands send: agents that send tool calls, and map-reduce."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal, TypedDict

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode, create_react_agent
from langgraph.types import Command, RetryPolicy, Send, interrupt


@tool
def multiply(a: int, b: int) -> int:
    """Multiply a and b."""
    return a * b


@tool
def divide(a: int, b: int) -> float:
    """Divide a by b."""
    return a / b


@tool
def count(state: Annotated[dict[str, Any], InjectedState]) -> str:
    """Count the messages."""
    return f"{len(state['messages'])} messages"


@tool
def note(text: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
    """Keep a note in the state, by a Command."""
    return Command(update={"notes": [text], "messages": [ToolMessage("noted", tool_call_id=tool_call_id)]})


@tool
def ask(question: str) -> str:
    """Ask the user."""
    return f"the user says {interrupt({'question': question})}"


def called(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": f"call-{number}"}


class Scripted(BaseChatModel):
    """Stands for a model: asks for the tools of the next turn, and says at last what it has heard."""

    turns: list[list[dict[str, Any]]]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **options: Any,
    ) -> ChatResult:
        turn = sum(isinstance(message, AIMessage) for message in messages)
        calls = self.turns[turn] if turn < len(self.turns) else []
        heard = [str(message.content) for message in messages if isinstance(message, ToolMessage)]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(" ".join(heard), tool_calls=calls))])


class Noting(TypedDict, total=False):
    messages: Annotated[list[Any], operator.add]
    notes: Annotated[list[str], operator.add]
    remaining_steps: int


tools = ToolNode([multiply, divide, count, note, ask], handle_tool_errors=True)


def agent(*turns: list[dict[str, Any]], **options: Any) -> Any:
    """Make LangGraph's own agent, in its default version; its name is old, and it is what many have."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return create_react_agent(Scripted(turns=[*turns]), tools, **options)


one_call = agent([called(1, "multiply", a=3, b=4)])
two_calls = agent([called(1, "multiply", a=3, b=4), called(2, "count")], [called(3, "divide", a=6, b=3)])
failing_tool = agent([called(1, "divide", a=1, b=0), called(2, "nonsense"), called(3, "count", c=1)])
commanding_tool = agent(
    [called(1, "note", text="one"), called(2, "note", text="two"), called(3, "count")], state_schema=Noting
)
no_call = agent()
stopping = agent([called(1, "multiply", a=3, b=4), called(2, "count")], interrupt_before=["tools"])
stopping_after = agent([called(1, "multiply", a=3, b=4), called(2, "count")], interrupt_after=["tools"])
asking_tool = agent([called(1, "ask", question="Who?")], [called(2, "ask", question="Where?")])
hooked = agent(
    [called(1, "multiply", a=3, b=4), called(2, "count")],
    pre_model_hook=lambda state: {"llm_input_messages": state["messages"][-3:]},
    post_model_hook=lambda state: {},
)


# An agent in the shape of langchain 1.x: what is sent are the calls, and the state is read by the tools


def to_tools(state: MessagesState) -> Any:
    calls = getattr(state["messages"][-1], "tool_calls", [])
    return [Send("tools", [{**call, "type": "tool_call"}]) for call in calls] or END


def to_model(state: MessagesState) -> Literal["model", "__end__"]:
    return "__end__" if state["messages"][-1].content == "2.0" else "model"


model = Scripted(
    turns=[[called(1, "multiply", a=2, b=2), called(2, "count")], [called(3, "divide", a=4, b=2)]]
)
shaped: Any = StateGraph(MessagesState)
shaped.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
shaped.add_node("tools", tools)
shaped.add_edge(START, "model")
shaped.add_conditional_edges("model", to_tools, ["tools", END])
shaped.add_conditional_edges("tools", to_model)


# Map-reduce


@dataclass
class Subject:
    name: str
    pages: Any = None


class Jokes(TypedDict, total=False):
    subjects: list[Subject]
    jokes: Annotated[list[str], operator.add]
    best: str


def tell(subject: Subject) -> dict[str, Any]:
    return {"jokes": [f"{subject.name} {subject.pages}"]}


def plan(state: Jokes) -> dict[str, Any]:
    return {
        "subjects": state.get("subjects", [Subject("cats"), Subject("dogs", {1, 2})]),
        "jokes": ["planned"],
    }


def to_tell(state: Jokes) -> list[Send]:
    return [Send("tell", each) for each in state["subjects"]]


def map_reduce(*, defer: bool = False, **options: Any) -> Any:
    builder: Any = StateGraph(Jokes)
    builder.add_node("plan", plan)
    builder.add_node("tell", tell, input_schema=Subject, **options)
    builder.add_node("choose", lambda state: {"best": max(state["jokes"])}, defer=defer)
    builder.add_edge(START, "plan")
    builder.add_conditional_edges("plan", to_tell, ["tell"])
    builder.add_edge("tell", "choose")
    return builder


reduced = map_reduce()
deferred = map_reduce(defer=True)
retried = map_reduce(retry_policy=RetryPolicy(max_attempts=2))
nothing_sent = map_reduce().compile()


class State(TypedDict, total=False):
    n: int
    log: Annotated[list[Any], operator.add]


def built(**nodes: Any) -> Any:
    builder: Any = StateGraph(State)
    for name, node in nodes.items():
        builder.add_node(name, node)
    return builder


def work(state: State) -> dict[str, Any]:
    return {"log": [state["n"]]}


def numbers(node: str, *found: int) -> Any:
    return lambda state: [Send(node, {"n": each}) for each in found]


from_start = built(work=work)
from_start.set_conditional_entry_point(numbers("work", 1, 2, 3), ["work"])


def hand_over(state: State) -> Command[Literal["work"]]:
    return Command(update={"log": ["hand over"]}, goto=[Send("work", {"n": n}) for n in (1, 2)])


by_command = built(hand_over=hand_over, work=work)
by_command.add_edge(START, "hand_over")


def shorter(state: State) -> Any:
    """Send one less to the same node again, from each of its tasks."""
    done = state["log"][-1]
    return [Send("work", {"n": done - 1})] if done > 1 else END


again = built(work=work)
again.set_conditional_entry_point(numbers("work", 3, 1, 2), ["work"])
again.add_conditional_edges("work", shorter, ["work", END])


def even(state: State) -> str:
    return "last" if state["log"][-1] % 2 == 0 else END


some_go_on = built(work=work, last=lambda state: {"log": ["last"], "n": len(state["log"])})
some_go_on.set_conditional_entry_point(numbers("work", 1, 2, 3), ["work"])
some_go_on.add_conditional_edges("work", even, {"last": "last", END: END})


async def waits(state: State) -> dict[str, Any]:
    return {"log": [f"waited {state['n']}"]}


awaited = built(waits=waits)
awaited.set_conditional_entry_point(
    lambda state: [Send("waits", {"n": n}, timeout=timedelta(hours=n)) for n in (1, 2)], ["waits"]
)

one_at_a_time = from_start.compile().with_config(max_concurrency=1)


def asks(state: State) -> dict[str, Any]:
    return {"log": [state["n"], interrupt("First?"), interrupt("Second?")]}


flaws: list[str] = []  # what fails once, and then does not


def flawed(state: State) -> dict[str, Any]:
    if state["n"] == 2 and not flaws:
        flaws.append("2")
        raise ConnectionError("not yet")
    return {"log": [state["n"]]}


failing_once = built(flawed=flawed)
failing_once.set_conditional_entry_point(numbers("flawed", 1, 2, 3), ["flawed"])

asking = built(asks=asks, work=work)
asking.set_conditional_entry_point(numbers("asks", 7), ["asks"])
