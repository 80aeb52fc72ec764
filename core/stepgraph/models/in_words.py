"""What a request says in words, for models that take no tools, results of tools or schemas by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..values.json_values import Json, canonical, dumps
from .client import Message, ModelRequest, ToolSpec

CALL_TOOL = "CALL_TOOL"
"""The word that begins a line by which a model asks for a tool."""


def tools_in_words(request: ModelRequest) -> ModelRequest:
    """Write the tools, the calls and their results of a request into its texts.

    The system text says which tools there are and how to ask for one, a call is a line, and a result is what
    the user says next.
    """
    messages = tuple(_join_user_turns(_with_tools_in_words(request.messages)))
    if request.tools:
        messages = _with_system(messages, _tools(request.tools))
    return replace(request, messages=messages, tools=())


def schema_in_words(request: ModelRequest) -> ModelRequest:
    """Write the schema of a request into its system text."""
    if request.schema is None:
        return request
    messages = _with_system(request.messages, wanted_json(request.schema))
    return replace(request, messages=messages, schema=None)


def wanted_json(schema: Mapping[str, Json]) -> str:
    """Instruct a model to answer with JSON that fits a schema."""
    return f"Answer with one JSON object that fits this JSON schema, and nothing else:\n{dumps(dict(schema))}"


def result_in_words(tool: str, result: str) -> str:
    """Write the result of a tool as something that the user says."""
    return f"The result of the tool {tool}:\n\n{result}"


def call_line(name: str, arguments: Mapping[str, Json]) -> str:
    """Write the line that asks for a tool."""
    return f"{CALL_TOOL}: {name} {canonical(arguments)}"


def _with_tools_in_words(messages: tuple[Message, ...]) -> Iterator[Message]:
    tools: dict[str, str] = {}
    for message in messages:
        if message.role == "tool":
            yield Message(
                "user", result_in_words(tools.get(message.answers, "that you asked for"), message.text)
            )
        elif message.tool_calls:
            tools |= {call.id: call.name for call in message.tool_calls}
            lines = [call_line(call.name, call.arguments) for call in message.tool_calls]
            yield Message("assistant", "\n".join(filter(None, (message.text, *lines))))
        else:
            yield message


def _join_user_turns(messages: Iterator[Message]) -> Iterator[Message]:
    """Join what the user says in a row: many models want the roles to alternate."""
    last: Message | None = None
    for message in messages:
        if last is not None and last.role == message.role == "user":
            last = Message("user", f"{last.text}\n\n{message.text}")
            continue
        if last is not None:
            yield last
        last = message
    if last is not None:
        yield last


def _with_system(messages: tuple[Message, ...], text: str) -> tuple[Message, ...]:
    if messages and messages[0].role == "system":
        return (Message("system", f"{messages[0].text}\n\n{text}"), *messages[1:])
    return (Message("system", text), *messages)


def _tools(tools: tuple[ToolSpec, ...]) -> str:
    listed = "\n".join(map(_tool, tools))
    return (
        f"You may ask for these tools:\n{listed}\n\n"
        "To ask for one, write a line of its own such as\n"
        f'{CALL_TOOL}: {tools[0].name} {{"argument": "value"}}\n'
        "with its arguments as JSON, and nothing behind it. You are told the result. "
        "When you need no tool, answer without such a line."
    )


def _tool(tool: ToolSpec) -> str:
    about = f"- {tool.name}" + (f": {tool.description}" if tool.description else "")
    return about if tool.parameters is None else f"{about}\n  arguments: {dumps(dict(tool.parameters))}"
