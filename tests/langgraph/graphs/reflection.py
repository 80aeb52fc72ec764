"""LangGraph's documented reflection: a writer and a critic take turns, six messages long."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def generate(state: State) -> dict[str, Any]:
    """Write an essay, or write it anew by what was said of it."""
    last = state["messages"][-1].content
    return {"messages": [AIMessage(f"Essay {len(state['messages'])}, after: {last}")]}


def reflect(state: State) -> dict[str, Any]:
    """Criticize what was written; the roles are swapped for the critic."""
    said = [type(message).__name__ for message in state["messages"]]
    return {"messages": [HumanMessage(f"Shorter, please. So far: {said}")]}


def should_continue(state: State) -> str:
    return END if len(state["messages"]) > 6 else "reflect"


builder = StateGraph(State)
builder.add_node("generate", generate)
builder.add_node("reflect", reflect)
builder.add_edge(START, "generate")
builder.add_conditional_edges("generate", should_continue, ["reflect", END])
builder.add_edge("reflect", "generate")
"""It is left uncompiled: both must open."""
