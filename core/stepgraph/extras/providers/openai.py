"""The provider ``openai``: OpenAI itself, and every server that speaks its protocol of chat completions.

Azure (``https://NAME.openai.azure.com/openai/v1/``), Ollama (``http://localhost:11434/v1``), vLLM, llama.cpp
and OpenRouter differ by ``base_url`` alone.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from .live import LiveModel
from .thinking import thought_in
from .wire import client_options, request_headers

if TYPE_CHECKING:
    from ...models.client import Message, ModelRequest, ToolSpec
    from ...models.settings import ModelSettings
    from .live import Draft, Finish
    from .wire import ReplyStream


_OTHER = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST = 64


class WireNames:
    """Names of tools on their way to a provider and back: ``files/read`` goes out as ``files_read``."""

    def __init__(self) -> None:
        self._out: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def out(self, name: str) -> str:
        """Write a name as providers take it; always the same for one name, and another for another."""
        if name not in self._out:
            plain = _OTHER.sub("_", name)[:_LONGEST] or "_"
            number, found = 1, plain
            while self._back.get(found, name) != name:
                number += 1
                found = f"{plain[: _LONGEST - 4]}_{number}"
            self._out[name], self._back[found] = found, name
        return self._out[name]

    def back(self, name: str) -> str:
        """Read a name that a provider wrote; one that it made up stays."""
        return self._back.get(name, name)

    def described(self, tool: ToolSpec, parameters: str) -> dict[str, Any]:
        """Describe a tool; ``parameters`` is what the provider calls the schema of its arguments."""
        spec: dict[str, Any] = {"name": self.out(tool.name)}
        if tool.description:
            spec["description"] = tool.description
        schema = dict(tool.parameters) if tool.parameters is not None else {"type": "object"}
        return {**spec, parameters: {"properties": {}, **schema, "type": "object"}}


ADDRESS = "https://api.openai.com/v1"
_OWN_HOSTS = ("api.openai.com", ".openai.azure.com")

_FINISHES: dict[str, Finish] = {"length": "length", "content_filter": "filter"}


def openai_model(settings: ModelSettings) -> LiveModel:
    """Build a model that speaks OpenAI's protocol."""
    return LiveModel(settings, settings.base_url or ADDRESS, OpenAIWire)


class OpenAIWire:
    """Speaks OpenAI's protocol by its official library.

    Args:
        settings: What the user says of the model.
        key: Its key; empty for none.
        address: Where it is asked.
    """

    def __init__(self, settings: ModelSettings, key: str, address: str) -> None:
        import openai

        self._settings = settings
        host = urlsplit(address).hostname or ""
        self._limit = "max_completion_tokens" if host.endswith(_OWN_HOSTS) else "max_tokens"
        self._client = openai.OpenAI(**client_options(openai, settings, key, address))
        self._names = WireNames()

    def open(self, request: ModelRequest) -> ReplyStream:
        """Send a request."""
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": [self._message(message) for message in request.messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            self._limit: settings.max_tokens,
        }
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if request.tools:
            body["tools"] = [
                {"type": "function", "function": self._names.described(tool, "parameters")}
                for tool in request.tools
            ]
        if request.schema is not None:
            schema = dict(request.schema)
            form = {"name": "reply", "schema": schema, "strict": is_strict(schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        stream: ReplyStream = self._client.chat.completions.create(
            **body, extra_headers=request_headers(request), extra_body=settings.options or None
        )
        return stream

    def _message(self, message: Message) -> dict[str, Any]:
        if message.role == "tool":
            return {"role": "tool", "tool_call_id": message.answers, "content": message.text}
        if not message.tool_calls:
            return {"role": message.role, "content": message.text}
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": self._names.out(call.name), "arguments": json.dumps(call.arguments)},
            }
            for call in message.tool_calls
        ]
        return {"role": "assistant", "content": message.text or None, "tool_calls": calls}

    def take(self, draft: Draft, event: Any) -> tuple[str, str]:
        """Add a chunk to the draft."""
        usage = event.usage
        if usage is not None:
            draft.input, draft.output = usage.prompt_tokens or 0, usage.completion_tokens or 0
            draft.cached = getattr(usage.prompt_tokens_details, "cached_tokens", 0)
        thoughts = text = ""
        for choice in event.choices or ():
            draft.began = True
            if choice.finish_reason:
                draft.finish = _FINISHES.get(choice.finish_reason, "whole")
            delta = choice.delta
            if delta is None:
                continue
            thought, said = draft.tags.take(delta.content or "")
            thoughts += thought or thought_in(delta)
            text += said
            if delta.refusal:
                draft.refusal += delta.refusal
                draft.grow(delta.refusal)
            for part in delta.tool_calls or ():
                self._take_call(draft, part)
        return thoughts, text

    def model_in(self, event: Any) -> object:
        """Return the model's full name."""
        return event.model

    def _take_call(self, draft: Draft, part: Any) -> None:
        call = draft.call(part.index or 0)
        call.id = call.id or part.id or ""
        if part.function is not None:
            if part.function.name:
                draft.grow(part.function.name)
                call.name = self._names.back(part.function.name)
            arguments = part.function.arguments or ""
            call.arguments.append(arguments)
            draft.grow(arguments)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def is_strict(schema: object) -> bool:
    """Check whether a schema fits OpenAI's strict mode: closed tables, every key required."""
    if isinstance(schema, list):
        return all(map(is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(properties):
            return False
        return all(map(is_strict, properties.values()))
    return all(is_strict(part) for key, part in schema.items() if key in ("items", "anyOf", "$defs"))
