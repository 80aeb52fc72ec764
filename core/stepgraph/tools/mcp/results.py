"""What a server's tool answered, as the table that a tool returns."""

from __future__ import annotations

from collections import Counter
from typing import Any

from mcp_types import CallToolResult

from ...values.compare import escaped
from ...values.errors import StepgraphError
from ...values.json_values import Json

_SAID = 2_000  # characters


def table_of(name: str, result: CallToolResult) -> dict[str, Json]:
    """Take the table out of an answer: its structured part, or else its texts, as ``text``.

    Pictures and sounds are left out, and named in ``left_out``.

    Args:
        name: The tool's full name, for the messages.
        result: The answer.

    Raises:
        StepgraphError: The tool says that it failed, or answers with nothing that a state can hold.
    """
    texts = [text for part in result.content if (text := _text(part)) is not None]
    if result.is_error:
        said = "\n".join(map(escaped, "\n".join(texts)[:_SAID].strip().splitlines())) or "no reason given"
        raise StepgraphError(f"tool {name!r} failed: {said}")
    structured: Any = result.structured_content
    if structured is not None:
        return structured if isinstance(structured, dict) else {"result": structured}
    others = Counter(_kind(part) for part in result.content if _text(part) is None)
    left_out: list[Json] = [f"{count} x {kind}" for kind, count in others.items()]
    if not texts and left_out:
        raise StepgraphError(
            f"tool {name!r} answered with {', '.join(map(str, left_out))} and no text",
            hint="a state holds text and data: ask the tool for those",
        )
    table: dict[str, Json] = {"text": "\n".join(texts)}
    return {**table, "left_out": left_out} if left_out else table


def _text(part: Any) -> str | None:
    """Read the text of a part of an answer; None where it has none."""
    match part.type:
        case "text":
            return str(part.text)
        case "resource":
            text = getattr(part.resource, "text", None)
            return None if text is None else str(text)
        case "resource_link":
            return str(part.uri)
    return None


def _kind(part: Any) -> str:
    mime = getattr(part, "mime_type", None) or getattr(getattr(part, "resource", None), "mime_type", None)
    return str(mime or part.type)
