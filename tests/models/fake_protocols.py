"""How OpenAI and Anthropic write a model's reply, whole and in pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any
from typing import Protocol as Shape

if TYPE_CHECKING:
    from tests.models.fake_server import Said


class Protocol(Shape):
    """One way of writing replies."""

    def stream(self, said: Said, request: Mapping[str, Any]) -> Iterator[bytes]:
        """Write a reply as events."""
        ...

    def whole(self, said: Said, request: Mapping[str, Any]) -> dict[str, Any]:
        """Write a reply at once."""
        ...

    def refusal(self, message: str, type: str, code: str | None) -> dict[str, Any]:
        """Write an error."""
        ...


def _pieces(said: Said) -> list[str]:
    return _words(said.text) if said.words else [said.text] if said.text else []


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*", text)


def _arguments(given: Any) -> str:
    return given if isinstance(given, str) else json.dumps(given)


class OpenAIProtocol:
    """Chat completions."""

    @staticmethod
    def schema_of(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Give the schema that a reply must fit."""
        wanted = request.get("response_format") or {}
        schema: Mapping[str, Any] | None = wanted.get("json_schema", {}).get("schema")
        return schema

    def stream(self, said: Said, request: Mapping[str, Any]) -> Iterator[bytes]:
        """Write a reply as events."""

        def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return self._event({**self._head(request, "chat.completion.chunk"), "choices": [choice], **more})

        yield event({"role": "assistant", "content": "" if not said.tools else None})
        yield from (event({said.thoughts_key: thought}) for thought in _words(said.thoughts))
        yield from (event({"content": piece}) for piece in _pieces(said))
        if said.refusal:
            yield event({"refusal": said.refusal})
        for place, (name, given) in enumerate(said.tools):
            function = {"name": name, "arguments": ""}
            yield event(
                {
                    "tool_calls": [
                        {"index": place, "id": f"call_{place}", "type": "function", "function": function}
                    ]
                }
            )
            text = _arguments(given)
            for part in (text[: len(text) // 2], text[len(text) // 2 :]):
                yield event({"tool_calls": [{"index": place, "function": {"arguments": part}}]})
        if said.cut:
            return
        if said.garbage:
            yield b'data: {"choices": [{"del\n\n'
            return
        if said.error:
            yield self._event(
                {"error": {"message": "The server is overloaded.", "type": said.error, "code": None}}
            )
            return
        yield event({}, said.finish or ("tool_calls" if said.tools else "stop"))
        if (request.get("stream_options") or {}).get("include_usage"):
            yield self._event(
                {**self._head(request, "chat.completion.chunk"), "choices": [], "usage": self._usage(said)}
            )
        yield b"data: [DONE]\n\n"

    def whole(self, said: Said, request: Mapping[str, Any]) -> dict[str, Any]:
        """Write a reply at once."""
        calls = [
            {
                "id": f"call_{place}",
                "type": "function",
                "function": {"name": name, "arguments": _arguments(given)},
            }
            for place, (name, given) in enumerate(said.tools)
        ]
        message = {"role": "assistant", "content": said.text, **({"tool_calls": calls} if calls else {})}
        choice = {
            "index": 0,
            "message": message,
            "finish_reason": said.finish or ("tool_calls" if calls else "stop"),
        }
        return {**self._head(request, "chat.completion"), "choices": [choice], "usage": self._usage(said)}

    def refusal(self, message: str, type: str, code: str | None) -> dict[str, Any]:
        """Write an error."""
        return {"error": {"message": message, "type": type, "param": None, "code": code}}

    def _head(self, request: Mapping[str, Any], kind: str) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": kind,
            "created": 1_760_000_000,
            "model": f"{request['model']}-2026-11-01",
        }

    def _usage(self, said: Said) -> dict[str, Any]:
        asked, told = said.usage
        details = {"prompt_tokens_details": {"cached_tokens": said.cached}} if said.cached else {}
        return {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told, **details}

    def _event(self, data: dict[str, Any]) -> bytes:
        return f"data: {json.dumps(data)}\n\n".encode()


_FINISH = {"length": "max_tokens", "content_filter": "refusal"}


class AnthropicProtocol:
    """Messages."""

    @staticmethod
    def schema_of(request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Give the schema that a reply must fit."""
        wanted = (request.get("output_config") or {}).get("format") or {}
        schema: Mapping[str, Any] | None = wanted.get("schema")
        return schema

    def stream(self, said: Said, request: Mapping[str, Any]) -> Iterator[bytes]:
        """Write a reply as events."""
        yield self._event(
            "message_start", message={**self._message(said, request), "content": [], "stop_reason": None}
        )
        yield from self._thinking(said)
        at = 1 if said.thoughts else 0
        if said.text:
            begun = self._event("content_block_start", index=at, content_block={"type": "text", "text": ""})
            for piece in _pieces(said):
                yield begun + self._event(
                    "content_block_delta", index=at, delta={"type": "text_delta", "text": piece}
                )
                begun = b""
            if not said.cut:
                yield self._event("content_block_stop", index=at)
        for place, (name, given) in enumerate(said.tools, at + (1 if said.text else 0)):
            block = {"type": "tool_use", "id": f"toolu_{place}", "name": name, "input": {}}
            yield self._event("content_block_start", index=place, content_block=block)
            text = _arguments(given)
            for part in (text[: len(text) // 2], text[len(text) // 2 :]):
                delta = {"type": "input_json_delta", "partial_json": part}
                yield self._event("content_block_delta", index=place, delta=delta)
            yield self._event("content_block_stop", index=place)
        if said.cut:
            return
        if said.garbage:
            yield b'event: message_delta\ndata: {"type": "mess\n\n'
            return
        if said.error:
            yield self._event("error", error={"type": said.error, "message": "Overloaded"})
            return
        usage = {"output_tokens": said.usage[1]}
        yield self._event(
            "message_delta", delta={"stop_reason": self._finish(said), "stop_sequence": None}, usage=usage
        )
        yield self._event("message_stop")

    def whole(self, said: Said, request: Mapping[str, Any]) -> dict[str, Any]:
        """Write a reply at once."""
        return {**self._message(said, request), "stop_reason": self._finish(said)}

    def refusal(self, message: str, type: str, code: str | None) -> dict[str, Any]:
        """Write an error."""
        return {"type": "error", "error": {"type": type, "message": message}, "request_id": "req_1"}

    def _thinking(self, said: Said) -> Iterator[bytes]:
        """Write what it thinks, in a block of its own, which is signed."""
        if said.thoughts:
            block = {"type": "thinking", "thinking": "", "signature": ""}
            yield self._event("content_block_start", index=0, content_block=block)
            deltas = [{"type": "thinking_delta", "thinking": thought} for thought in _words(said.thoughts)]
            for delta in (*deltas, {"type": "signature_delta", "signature": said.signature}):
                yield self._event("content_block_delta", index=0, delta=delta)
            yield self._event("content_block_stop", index=0)

    def _finish(self, said: Said) -> str:
        if said.refusal:
            return "refusal"
        return _FINISH.get(said.finish, said.finish) or ("tool_use" if said.tools else "end_turn")

    def _message(self, said: Said, request: Mapping[str, Any]) -> dict[str, Any]:
        content: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
        for place, (name, given) in enumerate(said.tools):
            content.append({"type": "tool_use", "id": f"toolu_{place}", "name": name, "input": given})
        usage = {"input_tokens": said.usage[0] - said.cached, "output_tokens": said.usage[1]}
        if said.cached:
            usage["cache_read_input_tokens"] = said.cached
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": f"{request['model']}-20261101",
            "content": content,
            "stop_sequence": None,
            "usage": usage,
        }

    def _event(self, type: str, **data: Any) -> bytes:
        return f"event: {type}\ndata: {json.dumps({'type': type, **data})}\n\n".encode()
