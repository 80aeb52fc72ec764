"""LangGraph's documented ReAct agent: a model that calls tools, a ToolNode, and tools_condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def multiply(a: int, b: int) -> int:
    """Multiply a and b."""
    return a * b


@tool
def divide(a: int, b: int) -> float:
    """Divide a by b."""
    return a / b


def called(number: int, name: str, **arguments: int) -> dict[str, Any]:
    return {"name": name, "args": arguments, "id": f"call-{number}"}


class Calculator(BaseChatModel):
    """Stands for a model: it asks for two products at once, then for quotients, and then says what it is."""

    @property
    def _llm_type(self) -> str:
        return "calculator"

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        return self.bind(tools=[each.name for each in tools])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **options: Any,
    ) -> ChatResult:
        results = [message.content for message in messages if isinstance(message, ToolMessage)]
        assert options["tools"] == ["multiply", "divide"]
        if not results:
            calls = [called(1, "multiply", a=3, b=4), called(2, "multiply", a=5, b=6)]
        elif len(results) == 2:
            calls = [called(3, "divide", a=int(str(results[1])), b=int(str(results[0])))]
        elif len(results) == 3:
            calls = [called(4, "divide", a=1, b=0)]
        else:
            calls = []
        text = f"It is {results[2]}; and the last one said: {results[3]}" if len(results) > 3 else ""
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text, tool_calls=calls))])


tools = [multiply, divide]
model = Calculator().bind_tools(tools)


def assistant(state: MessagesState) -> dict[str, Any]:
    """Let the model say what it wants next."""
    return {"messages": [model.invoke(state["messages"])]}


builder = StateGraph(MessagesState)
builder.add_node("assistant", assistant)
builder.add_node("tools", ToolNode(tools, handle_tool_errors=True))
builder.add_edge(START, "assistant")
builder.add_conditional_edges("assistant", tools_condition)
builder.add_edge("tools", "assistant")
graph = builder.compile()
