"""LangGraph's documented router: a model names the way, and one of three writers takes it."""

from __future__ import annotations

from typing import Any, TypedDict

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langgraph.graph import END, START, StateGraph


class State(TypedDict):
    """What is asked for, and what was written."""

    input: str
    decision: str
    output: str


def answering(*texts: str) -> str:
    model = GenericFakeChatModel(messages=iter(texts))
    return str(model.invoke("?").content)


def write_story(state: State) -> dict[str, Any]:
    """Write a story."""
    return {"output": answering(f"Once upon a time: {state['input']}")}


def write_joke(state: State) -> dict[str, Any]:
    return {"output": answering(f"Knock, knock: {state['input']}")}


def write_poem(state: State) -> dict[str, Any]:
    return {"output": answering(f"Roses are red: {state['input']}")}


def choose(state: State) -> dict[str, Any]:
    words = [kind for kind in ("story", "joke", "poem") if kind in state["input"]]
    return {"decision": answering(*words, "nothing")}


def route_decision(state: State) -> str:
    return state["decision"]


builder = StateGraph(State)
builder.add_node("write_story", write_story)
builder.add_node("write_joke", write_joke)
builder.add_node("write_poem", write_poem)
builder.add_node("choose", choose)
builder.add_edge(START, "choose")
builder.add_conditional_edges(
    "choose",
    route_decision,
    {"story": "write_story", "joke": "write_joke", "poem": "write_poem", "nothing": END},
)
builder.add_edge("write_story", END)
builder.add_edge("write_joke", END)
builder.add_edge("write_poem", END)
graph = builder.compile()
