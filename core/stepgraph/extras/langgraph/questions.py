"""An ``interrupt()`` of a LangGraph node as a review, and the answer as what ``interrupt()`` returns.

Three shapes of LangChain's actions are known: that of Agent Inbox (``action_request`` and ``config``, one or
a list of them), that of ``HumanInTheLoopMiddleware`` (``action_requests`` and ``review_configs``), and its
approval of a single call (``type = "tool_approval"``). Each action is a review of its own, one after the
other; the answer goes back once all of them are decided.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from ...reviews.model import ReviewRequest, Verb
from ...values.errors import StateError
from ...values.json_values import plain
from ...values.state import ValueType, fits

if TYPE_CHECKING:
    from langgraph.types import Interrupt

    from ...values.json_values import Json
    from ...values.state import DecisionMade
    from .values import StateValues


Shape = Literal["agent-inbox", "decisions", "decision"]
"""What the answer is: a list of Agent Inbox's responses, a table of decisions, or one decision."""
Decided = tuple[Mapping[str, Any], "DecisionMade"]
"""A request as JSON, and what a person has decided about it."""

_PART = re.compile(r"(agent-inbox|decisions|decision) (\d+)/(\d+)")
_KINDS: tuple[ValueType, ...] = ("text", "number", "boolean", "list", "table")
_OF_INBOX: dict[str, Verb] = {
    "allow_accept": "approve",
    "allow_edit": "edit",
    "allow_ignore": "reject",
    "allow_respond": "respond",
}
_DONE = {"approve": "approved", "edit": "edited", "reject": "rejected", "respond": "answered"}
_VERBS: tuple[Verb, ...] = ("approve", "edit", "reject", "respond")


@dataclass(frozen=True, slots=True)
class Action:
    """An action that a person is asked about."""

    name: str
    arguments: Mapping[str, Json]
    verbs: tuple[Verb, ...]
    """What may be decided, of which there is at least one."""
    description: str = ""

    @property
    def editable(self) -> dict[str, ValueType]:
        """The arguments that a form can change, with their types."""
        return {
            name: kind
            for name, value in self.arguments.items()
            for kind in _KINDS
            if "." not in name and fits(value, kind)
        }


@dataclass(frozen=True, slots=True)
class AskedActions:
    """All that is asked at once."""

    shape: Shape
    actions: Sequence[Action]

    def question(self, node: str, decided: Sequence[Decided]) -> ReviewRequest:
        """Write what a person is asked about the first action that is not decided yet.

        Args:
            node: The node that asks.
            decided: What was asked about the actions before, with what was decided.
        """
        at, count = len(decided), len(self.actions)
        action = self.actions[at]
        prompt = action.description or f"May {node!r} call {action.name!r}?"
        if count > 1:
            rows = "\n".join(self._rows(decided))
            prompt = f"Action {at + 1} of {count}: {prompt}\n\n{rows}"
        return ReviewRequest(
            prompt,
            action.name,
            action.arguments,
            editable=action.editable if "edit" in action.verbs else {},
            allow=action.verbs,
            edits="arguments",
            answer_as=f"{self.shape} {at + 1}/{count}",
        )

    def _rows(self, decided: Sequence[Decided]) -> Iterator[str]:
        """List the actions, each with what was decided of it."""
        for number, action in enumerate(self.actions, 1):
            if number <= len(decided):
                stands = f": {_DONE[decided[number - 1][1].verb]}"
            else:
                stands = ": this one" if number == len(decided) + 1 else ""
            yield f"{number}. {action.name}({', '.join(action.arguments)}){stands}"


def asked_in(value: Json, schema: object = None) -> AskedActions | None:
    """Read what was passed to ``interrupt()``; None where it has no shape that is known here.

    Args:
        value: What was passed, as JSON.
        schema: Its ``response_schema``, as JSON Schema; None without one.
    """
    if isinstance(value, dict) and value.get("type") == "tool_approval":
        action = _action(value, "name", _decisions_in(schema) or _VERBS, value.get("description"))
        return None if action is None else AskedActions("decision", [action])
    if isinstance(value, dict) and "action_requests" in value:
        return _of_middleware(value)
    actions = [_of_inbox(each) for each in (value if isinstance(value, list) else [value])]
    found = [action for action in actions if action is not None]
    return AskedActions("agent-inbox", found) if found and len(found) == len(actions) else None


def _of_inbox(value: Json) -> Action | None:
    if not isinstance(value, dict) or not isinstance(config := value.get("config"), dict):
        return None
    verbs = tuple(verb for name, verb in _OF_INBOX.items() if config.get(name) is True)
    return _action(value.get("action_request"), "action", verbs, value.get("description"))


def _of_middleware(value: Mapping[str, Json]) -> AskedActions | None:
    requests, configs = value["action_requests"], value.get("review_configs")
    if not isinstance(requests, list) or not isinstance(configs, list) or not requests:
        return None
    allowed = {
        config.get("action_name"): config.get("allowed_decisions")
        for config in configs
        if isinstance(config, dict)
    }
    found: list[Action] = []
    for request in requests:
        name = request.get("name") if isinstance(request, dict) else None
        verbs = _verbs(allowed.get(name)) if isinstance(name, str) else ()
        action = _action(request, "name", verbs, request.get("description") if verbs else None)  # type: ignore[union-attr]
        if action is None:
            return None
        found.append(action)
    return AskedActions("decisions", found)


def _action(value: Json, name: str, verbs: tuple[Verb, ...], description: Json) -> Action | None:
    if not isinstance(value, dict) or not verbs:
        return None
    called, arguments = value.get(name), value.get("args")
    if not isinstance(called, str) or not isinstance(arguments, dict):
        return None
    action = Action(called, arguments, verbs, description.strip() if isinstance(description, str) else "")
    if not action.editable:
        action = replace(action, verbs=tuple(verb for verb in verbs if verb != "edit"))
    return action if action.verbs else None


def _verbs(allowed: object) -> tuple[Verb, ...]:
    given = allowed if isinstance(allowed, list) else []
    return tuple(verb for verb in _VERBS if verb in given)


def _decisions_in(schema: object) -> tuple[Verb, ...]:
    """Find the decisions that a JSON Schema allows, wherever it has them."""
    found: set[str] = set()

    def look(part: object) -> None:
        inner = part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ()
        for each in inner:
            look(each)
        properties = part.get("properties") if isinstance(part, Mapping) else None
        kind = properties.get("type") if isinstance(properties, Mapping) else None
        if isinstance(kind, Mapping):
            named = kind.get("enum")
            found.update(map(str, [kind.get("const"), *(named if isinstance(named, list) else [])]))

    look(schema)
    return tuple(verb for verb in _VERBS if verb in found)


# Answers


def part_of(request: Mapping[str, Any]) -> tuple[Shape, int, int] | None:
    """Find the shape of a request and how many parts it has; None for a plain question."""
    match = _PART.fullmatch(request.get("answer_as", ""))
    return (cast(Shape, match[1]), int(match[2]), int(match[3])) if match is not None else None


def answer_in(shape: Shape, decided: Sequence[Decided]) -> Json:
    """Write what ``interrupt()`` returns, once all actions are decided."""
    if shape == "agent-inbox":
        return [_response(request, decision) for request, decision in decided]
    decisions: list[Json] = [_decision(request, decision) for request, decision in decided]
    return {"decisions": decisions} if shape == "decisions" else decisions[0]


def _arguments(request: Mapping[str, Any], decision: DecisionMade) -> dict[str, Json]:
    return {**request["arguments"], **decision.values}


def _response(request: Mapping[str, Any], decision: DecisionMade) -> Json:
    if decision.verb in ("approve", "edit"):
        action: Json = {"action": request["action"], "args": _arguments(request, decision)}
        return {"type": "accept" if decision.verb == "approve" else "edit", "args": action}
    if decision.verb == "respond":
        return {"type": "response", "args": decision.text}
    return {"type": "ignore", "args": None}


def _decision(request: Mapping[str, Any], decision: DecisionMade) -> Json:
    match decision.verb:
        case "edit":
            edited: Json = {"name": request["action"], "args": _arguments(request, decision)}
            return {"type": "edit", "edited_action": edited}
        case "respond":
            return {"type": "respond", "message": decision.text}
        case "reject":
            reason: dict[str, Json] = {"message": decision.comment} if decision.comment else {}
            return {"type": "reject", **reason}
    return {"type": "approve"}


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
        shown = {asks, "action"} if action else {asks}
        arguments = {name: value for name, value in asked.items() if name not in shown}
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
