"""LangGraph's documented ways to ask a person: approve, edit the state, review a tool call, and talk."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from langchain_core.messages import AIMessage, HumanMessage, ToolCall
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt


class Draft(TypedDict):
    output: str
    decision: str
    summary: str


def write(state: Draft) -> dict[str, Any]:
    return {"output": "This is the generated output."}


def human_approval(state: Draft) -> Command[Literal["approved_path", "rejected_path"]]:
    decision = interrupt({"question": "Do you approve the following output?", "output": state["output"]})
    if decision == "approve":
        return Command(goto="approved_path", update={"decision": "approved"})
    return Command(goto="rejected_path", update={"decision": "rejected"})


def approved_path(state: Draft) -> dict[str, Any]:
    return {"summary": "done"}


def rejected_path(state: Draft) -> dict[str, Any]:
    return {"summary": "not done"}


building = StateGraph(Draft)
building.add_node("write", write)
building.add_node("human_approval", human_approval)
building.add_node("approved_path", approved_path)
building.add_node("rejected_path", rejected_path)
building.set_entry_point("write")
building.add_edge("write", "human_approval")
building.add_edge("approved_path", END)
building.add_edge("rejected_path", END)
approval = building.compile()


def human_review_edit(state: Draft) -> dict[str, Any]:
    edited = interrupt(
        {"task": "Review and edit the summary if necessary.", "generated_summary": state["output"]}
    )
    return {"summary": edited["edited_summary"]}


building = StateGraph(Draft)
building.add_sequence([("write", write), ("human_review_edit", human_review_edit)])
building.add_edge(START, "write")
editing = building.compile()


class Person(TypedDict):
    age: int
    name: str


def human(state: Person) -> dict[str, Any]:
    """Ask until the answer can be used, and then for something else."""
    question = "What is your age?"
    while True:
        age = interrupt(question)
        if isinstance(age, int) and not isinstance(age, bool) and age > 0:
            break
        question = f"{age!r} is not a valid age. What is your age?"
    return {"age": age, "name": interrupt("What is your name?")}


building_person = StateGraph(Person)
building_person.add_node("human", human)
building_person.add_edge(START, "human")
validating = building_person.compile()


@tool
def book_hotel(hotel: str) -> str:
    """Book a hotel."""
    answer = interrupt({"action": "book_hotel", "args": {"hotel": hotel}})
    match answer:
        case {"type": "accept"}:
            pass
        case {"type": "edit", "args": {"hotel": str(other)}}:
            hotel = other
        case _:
            return f"Not booked: {answer}"
    return f"Booked {hotel}."


def assistant(state: MessagesState) -> dict[str, Any]:
    last = state["messages"][-1]
    if isinstance(last, HumanMessage):
        call = ToolCall(name="book_hotel", args={"hotel": "McKittrick"}, id="call-1")
        return {"messages": [AIMessage("I book it.", tool_calls=[call])]}
    return {"messages": [AIMessage(f"I hear: {last.content}")]}


def call_or_end(state: MessagesState) -> Literal["tools", "__end__"]:
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else "__end__"


building_hotel = StateGraph(MessagesState)
building_hotel.add_node("assistant", assistant)
building_hotel.add_node("tools", ToolNode([book_hotel]))
building_hotel.add_edge(START, "assistant")
building_hotel.add_conditional_edges("assistant", call_or_end)
building_hotel.add_edge("tools", "assistant")
tool_review = building_hotel.compile()


class Talk(TypedDict):
    messages: Annotated[list[Any], add_messages]


def travel(state: Talk) -> Command[Literal["person", "hotels", "__end__"]]:
    said = str(state["messages"][-1].content)
    goto: Literal["person", "hotels", "__end__"] = (
        END if "bye" in said else "hotels" if "hotel" in said else "person"  # type: ignore[assignment]
    )
    return Command(goto=goto, update={"messages": [("ai", f"You said: {said}")]})


def hotels(state: Talk) -> Command[Literal["person"]]:
    return Command(goto="person", update={"messages": [{"role": "ai", "content": "The McKittrick is nice."}]})


def person(state: Talk) -> Command[Literal["travel"]]:
    said = interrupt(value="Ready for user input.")
    return Command(goto="travel", update={"messages": [{"role": "human", "content": said}]})


building_talk = StateGraph(Talk)
building_talk.add_node(travel)
building_talk.add_node(hotels)
building_talk.add_node(person)
building_talk.add_edge(START, "travel")
talking = building_talk.compile()
