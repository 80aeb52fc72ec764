"""A graph that asks about what it was given, and keeps the answer."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    payload: Any
    schema: Any
    answer: Any
    visits: int


def ask(state: State) -> State:
    schema = state.get("schema")
    answer = interrupt(state["payload"], response_schema=schema) if schema else interrupt(state["payload"])
    return {"answer": [answer], "visits": 1}


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")
builder.add_edge("ask", END)
graph = builder.compile()
