"""Structured replies: declared keys of the state as a JSON schema, and replies that must fit it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NoReturn, TypeVar

from ..models.messages import Message, ModelReply, ModelRequest
from ..values.compare import shown, type_name
from ..values.errors import NodeFailed, StateError
from ..values.json_values import Json, plain, with_article
from ..values.messages import shortened
from ..values.problems import did_you_mean
from ..values.state import StateKey, fits

T = TypeVar("T")

_TYPES = {"text": "string", "number": "number", "boolean": "boolean", "list": "array", "table": "object"}
_FENCE = "```"
_TOLD = 5  # keys nobody asked for that are named: a model may make up thousands


class Unfit(Exception):
    """A reply is not what was asked for; the text says why, to the model and to people."""


def schema_of(names: Iterable[str], keys: Mapping[str, StateKey]) -> dict[str, Json]:
    """Write the JSON schema of a table that has those keys of the state, by their types and notes."""
    properties: dict[str, Json] = {name: _property(keys.get(name)) for name in names}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _property(key: StateKey | None) -> dict[str, Json]:
    if key is None:
        return {}
    schema: dict[str, Json] = {"type": _TYPES[key.type]} if key.type is not None else {}
    return {**schema, "description": key.note} if key.note else schema


def read_table(text: str, names: Iterable[str], keys: Mapping[str, StateKey]) -> dict[str, Json]:
    """Read a reply that is one JSON object with those keys of the state; a fence of Markdown is no harm.

    Raises:
        Unfit: It is something else, a key is missing or too many, or a value is of another type.
    """
    try:
        table = plain(json.loads(_unfenced(text), parse_constant=_no_number), "the answer")
    except StateError as error:
        raise Unfit(error.message) from None
    except RecursionError:
        raise Unfit("it is nested too deeply") from None
    except ValueError as error:
        raise Unfit(f"it is not JSON: {error}") from None
    if not isinstance(table, dict):
        raise Unfit(f"it is {with_article(type_name(table))}, not a JSON object")
    wanted = tuple(names)
    wrong = [f"{name!r} is missing" for name in wanted if name not in table]
    unknown = [name for name in table if name not in wanted]
    wrong += [_unknown(name, wanted) for name in unknown[:_TOLD]]
    if len(unknown) > _TOLD:
        wrong.append(f"{len(unknown) - _TOLD:,} more were not asked for")
    wrong += [
        said for name in wanted if name in table and (said := _misfit(name, table[name], keys.get(name)))
    ]
    if wrong:
        raise Unfit("; ".join(wrong))
    return table


def _unfenced(text: str) -> str:
    """Take off a fence of Markdown, with the word behind it: "```json".

    No regular expression: the blanks around a fence and those in it are the same to one, which then tries
    every way of sharing them out.
    """
    said = text.strip()
    word, line_break, inside = said.removeprefix(_FENCE).partition("\n")
    is_fenced = said.startswith(_FENCE) and line_break and inside.endswith(_FENCE)
    return inside.removesuffix(_FENCE) if is_fenced and (word.strip() + "x").isalpha() else text


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _unknown(name: str, wanted: tuple[str, ...]) -> str:
    hint = did_you_mean(name, wanted, listing="there are")
    return f"{shortened(name)!r} was not asked for" + (f" ({hint})" if hint else "")


def _misfit(name: str, value: Json, key: StateKey | None) -> str:
    if value is None:
        return f"{name!r} is null"
    if key is None or key.type is None or fits(value, key.type):
        return ""
    return f"{name!r} is {shown(value)}, {with_article(type_name(value))}, not {with_article(key.type)}"


def ask_until_fit(
    ask: Callable[[ModelRequest], ModelReply],
    request: ModelRequest,
    read: Callable[[ModelReply], T],
    wanted: str,
) -> tuple[ModelReply, T]:
    """Ask a model, and once more with what was wrong where the reply is not what was asked for.

    Args:
        ask: Asks it.
        request: What is said to it.
        read: Reads a reply, and raises Unfit where it is not what was asked for.
        wanted: What it is told to answer when it is asked once more.

    Raises:
        NodeFailed: The second reply is not what was asked for either.
    """
    reply = ask(request)
    try:
        return reply, read(reply)
    except Unfit as error:
        told = f"That was not what you were asked for: {error}.\n\n{wanted}"
    messages = *request.messages, Message("assistant", reply.text or "(nothing)"), Message("user", told)
    key = f"{request.idempotency_key}:repair" if request.idempotency_key else ""
    reply = ask(replace(request, messages=messages, idempotency_key=key))
    try:
        return reply, read(reply)
    except Unfit as error:
        said = f"the reply does not fit, also when the model was told what was wrong: {error}"
        raise NodeFailed(
            f"{said}; it said {shown(reply.text)}", hint="retry the run to ask once more"
        ) from None
