"""An ``interrupt()`` of a LangGraph node as a review, and the answer as what ``interrupt()`` returns."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..reviews.model import ReviewRequest
from ..values.errors import StateError
from ..values.json_values import plain

if TYPE_CHECKING:
    from langgraph.types import Interrupt

    from ..values.json_values import Json
    from ..values.state import DecisionMade
    from .values import StateValues

_QUESTIONS = ("question", "query", "prompt", "message", "instruction", "instructions", "task", "description")
"""Where a table that is passed to ``interrupt()`` most often has its question."""


def question(node: str, interrupt: Interrupt, values: StateValues, refused: str = "") -> ReviewRequest:
    """Write what a person is asked.

    Args:
        node: The node that asks.
        interrupt: What it asks.
        values: Writes what it has passed to ``interrupt()``.
        refused: Why the answer before was not taken; empty for a first time.

    Raises:
        StateError: What it has passed cannot be written.
    """
    asked = values.written(interrupt.value, f"what node {node!r} passed to interrupt()")
    arguments: dict[str, Json] = {}
    prompt, action = f"{node!r} asks for an answer.", ""
    if isinstance(asked, str) and asked.strip():
        prompt = asked
    elif isinstance(asked, dict):
        texts = {name: text for name, text in asked.items() if isinstance(text, str) and text.strip()}
        asks = next((name for name in _QUESTIONS if name in texts), "")
        prompt, action = texts.get(asks, prompt), texts.get("action", "")
        told = {asks, "action"} if action else {asks}
        arguments = {name: value for name, value in asked.items() if name not in told}
    elif asked is not None and asked != "":
        arguments = {"asked": asked}
    schema = getattr(interrupt, "response_schema", None)
    if isinstance(schema, Mapping):
        arguments = {**arguments, "answer": values.written(dict(schema), "its response_schema")}
    if refused:
        prompt = f"{prompt}\n\nThe last answer was not taken: {refused}"
    return ReviewRequest(prompt, action, arguments, allow=("respond",))


def answer(decision: DecisionMade) -> Any:
    """Give what ``interrupt()`` returns: the answer as JSON where it parses as such, else its text."""
    try:
        found = plain(json.loads(decision.text), "the answer")  # no state has infinity, or half a character
    except (StateError, ValueError, RecursionError):
        return decision.text
    return decision.text if found is None else found  # LangGraph knows no answer of None
