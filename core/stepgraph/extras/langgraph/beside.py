"""What the key ``langgraph`` of the state holds: which keys are None, and what was sent to the next node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from langgraph.types import Send

from ...values.errors import StateError
from ...values.json_values import identical
from ...values.messages import error_detail
from . import BESIDE

if TYPE_CHECKING:
    from ...values.json_values import Json
    from .values import StateValues

_SENDS = "sends"
_AS_IN_STATE: dict[str, Json] = {"$type": "state"}
"""Stands for what the state has under the same key: an agent sends its whole conversation with each call."""


def written_beside(after: Mapping[str, Json], sends: Sequence[Send], values: StateValues) -> dict[str, Json]:
    """Write what is beside the state after a visit.

    Args:
        after: The state, with the keys that are None.
        sends: What was sent to the next node.
        values: Writes what was sent.

    Raises:
        StateError: What was sent cannot be written.
    """
    beside: dict[str, Json] = {}
    if nothing := [name for name, value in after.items() if value is None]:
        beside["none"] = [*nothing]
    if sends:
        written = [values.to_json(each, f"what is sent to {each.node!r}") for each in sends]
        beside[_SENDS] = _without_state(written, after)
    return beside


def _without_state(value: Json, state: Mapping[str, Json]) -> Json:
    """Leave out of the tables in a value what the state has under the same key."""
    if isinstance(value, list):
        return [_without_state(item, state) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: {**_AS_IN_STATE}
        if isinstance(item, list | dict) and key in state and identical(item, state[key])
        else _without_state(item, state)
        for key, item in value.items()
    }


def _with_state(value: Json, state: Mapping[str, Json]) -> Json:
    """Restore what the state has; a key that it has no more is none of the table, either."""
    if isinstance(value, list):
        return [_with_state(item, state) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: state[key] if item == _AS_IN_STATE else _with_state(item, state)
        for key, item in value.items()
        if item != _AS_IN_STATE or key in state
    }


def read_sends(beside: Json, state: Mapping[str, Json], values: StateValues) -> list[Send]:
    """Read what was sent to the next node; nothing where an edge leads there.

    Args:
        beside: What is beside the state.
        state: The state.
        values: Reads what was sent.

    Raises:
        StateError: It cannot be read, for a person has edited it.
    """
    sends = beside.get(_SENDS, []) if isinstance(beside, dict) else []
    return [
        _read(each, f'state["{BESIDE}"]["{_SENDS}"][{number}]', state, values)
        for number, each in enumerate(sends if isinstance(sends, list) else [sends])
    ]


def _read(written: Json, path: str, state: Mapping[str, Json], values: StateValues) -> Send:
    hint = 'edit the state of the run: { "$type": "Send", "node": "a node", "arg": { } }'
    send = values.read(_with_state(written, state), path)
    if (
        not isinstance(send, Send)
        or not isinstance(getattr(send, "node", None), str)
        or not hasattr(send, "arg")
    ):
        raise StateError(f"{path} is not a Send", hint=hint)
    try:
        return Send(send.node, send.arg, timeout=getattr(send, "timeout", None))
    except Exception as error:  # its timeout is none
        raise StateError(f"{path} is not a Send{error_detail(error)}", hint=hint) from error
