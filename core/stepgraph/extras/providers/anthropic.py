"""The provider ``anthropic``: Claude, and servers that speak its protocol of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...models.client import token_count
from .live import LiveModel
from .openai import WireNames
from .wire import client_options, request_headers

if TYPE_CHECKING:
    from ...models.client import Message, ModelRequest
    from ...models.settings import ModelSettings
    from .live import Draft, Finish
    from .wire import ReplyStream

ADDRESS = "https://api.anthropic.com"

_THINKS = ("thinking", "redacted_thinking")
_FINISHES: dict[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "context",
    "refusal": "filter",
}


def anthropic_model(settings: ModelSettings) -> LiveModel:
    """Build a model that speaks Anthropic's protocol."""
    return LiveModel(settings, settings.base_url or ADDRESS, AnthropicWire)


class AnthropicWire:
    """Speaks Anthropic's protocol by its official library.

    Args:
        settings: What the user says of the model.
        key: Its key; empty for none.
        address: Where it is asked.
    """

    def __init__(self, settings: ModelSettings, key: str, address: str) -> None:
        import anthropic

        self._settings = settings
        options = client_options(anthropic, settings, key, address)
        self._client = anthropic.Anthropic(**options, open_telemetry=False)
        self._names = WireNames()

    def open(self, request: ModelRequest) -> ReplyStream:
        """Send a request."""
        settings = self._settings
        body: dict[str, Any] = {
            "model": settings.model,
            "messages": self._messages(request.messages),
            "max_tokens": settings.max_tokens,
            "stream": True,
        }
        system = "\n\n".join(each.text for each in request.messages if each.role == "system" and each.text)
        if system:
            body["system"] = system
        if request.tools:
            body["tools"] = [self._names.described(tool, "input_schema") for tool in request.tools]
        if request.schema is not None:
            body["output_config"] = {
                "format": {"type": "json_schema", "schema": closed(dict(request.schema))}
            }
        more = dict(settings.options)
        if settings.temperature is not None:  # the library does not take it any more; older models do
            more.setdefault("temperature", settings.temperature)
        stream: ReplyStream = self._client.messages.create(
            **body, extra_headers=request_headers(request), extra_body=more or None
        )
        return stream

    def _messages(self, messages: tuple[Message, ...]) -> list[dict[str, Any]]:
        """Write a conversation; what follows one another of the same role is one message."""
        turns: list[dict[str, Any]] = []
        for message in messages:
            if message.role == "system":
                continue
            role, content = ("assistant" if message.role == "assistant" else "user"), self._content(message)
            if turns and turns[-1]["role"] == role:
                turns[-1]["content"] += content
            elif content:
                turns.append({"role": role, "content": content})
        return turns

    def _content(self, message: Message) -> list[dict[str, Any]]:
        if message.role == "tool":
            return [{"type": "tool_result", "tool_use_id": message.answers, "content": message.text}]
        parts: list[dict[str, Any]] = [dict(block) for block in message.signed]
        parts += [{"type": "text", "text": message.text}] if message.text.strip() else []
        calls = message.tool_calls
        return parts + [
            {"type": "tool_use", "id": call.id, "name": self._names.out(call.name), "input": call.arguments}
            for call in calls
        ]

    def take(self, draft: Draft, event: Any) -> tuple[str, str]:
        """Add an event to the draft."""
        thought = text = ""
        match event.type:
            case "message_start":
                draft.began = True
                _count(draft, event.message.usage)
            case "content_block_start" if event.content_block.type == "tool_use":
                call = draft.call(event.index)
                draft.grow(event.content_block.name)
                call.id, call.name = event.content_block.id, self._names.back(event.content_block.name)
            case "content_block_delta" if event.delta.type == "text_delta":
                text = event.delta.text
            case "content_block_start" if event.content_block.type in _THINKS:
                draft.signed.append(event.content_block.model_dump(exclude_none=True))
                draft.grow(draft.signed[-1].get("data", ""))
            case "content_block_delta" if event.delta.type == "thinking_delta":
                thought = event.delta.thinking
                draft.signed[-1]["thinking"] += thought
            case "content_block_delta" if event.delta.type == "signature_delta":
                draft.signed[-1]["signature"] += event.delta.signature
                draft.grow(event.delta.signature)
            case "content_block_delta" if event.delta.type == "input_json_delta":
                draft.call(event.index).arguments.append(event.delta.partial_json)
                draft.grow(event.delta.partial_json)
            case "message_delta":
                reason = event.delta.stop_reason
                draft.finish = _FINISHES.get(reason, "whole") if reason else ""
                details = event.delta.stop_details
                draft.refusal = (details.explanation or "") if details is not None else ""
                _count(draft, event.usage)
        return thought, text

    def model_in(self, event: Any) -> object:
        """Return the model's full name, which the first event says."""
        return event.message.model if event.type == "message_start" else None

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _count(draft: Draft, usage: Any) -> None:
    """Copy the token counts; input tokens are counted once, apart from cached ones."""
    if usage is None:
        return
    draft.output = usage.output_tokens or draft.output
    if usage.input_tokens is not None:
        read, made = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
        parts = [token_count(part) for part in (usage.input_tokens, read, made)]
        draft.input = None if None in parts else sum(filter(None, parts))
        draft.cached = read


def closed(schema: Any) -> Any:
    """Close every table of a schema: Anthropic takes no others."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: closed(part) for key, part in schema.items()}
    return {**strict, "additionalProperties": False} if strict.get("type") == "object" else strict
