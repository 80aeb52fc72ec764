"""An ``interrupt()`` of a LangGraph node as a review, and the answer as what ``interrupt()`` returns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...reviews.model import ReviewRequest
from ...values.errors import StateError
from ...values.json_values import plain
from .actions import answer_in, asked_in, part_of

if TYPE_CHECKING:
    from langgraph.types import Interrupt

    from ...values.json_values import Json
    from ...values.state import DecisionMade
    from .actions import Decided
    from .values import StateValues

_QUESTIONS = ("question", "query", "prompt", "message", "instruction", "instructions", "task", "description")
"""Where a table that is passed to ``interrupt()`` most often has its question."""


def question(
    node: str,
    interrupt: Interrupt,
    values: StateValues,
    refused: str = "",
    decided: Sequence[Decided] = (),
) -> ReviewRequest:
    """Write what a person is asked.

    Args:
        node: The node that asks.
        interrupt: What it asks.
        values: Writes what it has passed to ``interrupt()``.
        refused: Why the answer before was not taken; empty for a first time.
        decided: What was decided already, where it asks about several actions.

    Raises:
        StateError: What it has passed cannot be written.
    """
    asked = values.to_json(interrupt.value, f"what node {node!r} passed to interrupt()")
    schema = getattr(interrupt, "response_schema", None)
    actions = asked_in(asked, schema)
    if actions is not None:
        return _again(actions.question(node, decided), refused)
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
    if isinstance(schema, Mapping):
        arguments = {**arguments, "answer": values.to_json(dict(schema), "its response_schema")}
    return _again(ReviewRequest(prompt, action, arguments, allow=("respond",)), refused)


def _again(request: ReviewRequest, refused: str) -> ReviewRequest:
    if not refused:
        return request
    return replace(request, prompt=f"{request.prompt}\n\nThe last answer was not taken: {refused}")


def answers_of(asked: Sequence[Decided]) -> tuple[list[Any], list[Decided]]:
    """Read what ``interrupt()`` returns each time, out of what people were asked on this visit.

    Returns:
        The answers; and what was decided of several actions that are not all decided yet.
    """
    answers: list[Any] = []
    begun: list[Decided] = []
    for request, decision in asked:
        part = part_of(request)
        if part is None:
            begun = []
            answers.append(answer(decision))
            continue
        shape, at, count = part
        begun = [*(begun if at > 1 else ()), (request, decision)]
        if at == count:
            answers.append(answer_in(shape, begun))
            begun = []
    return answers, begun


def answer(decision: DecisionMade) -> Any:
    """Read an answer to a plain question: as JSON where it parses as such, else its text."""
    try:
        return plain(json.loads(decision.text), "the answer")  # no state has infinity, or half a character
    except (StateError, ValueError, RecursionError):
        return decision.text
