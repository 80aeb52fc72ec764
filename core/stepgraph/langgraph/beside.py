"""What the key ``langgraph`` of the state holds: which keys are None, and what was sent to the next node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from langgraph.types import Send

from ..values.errors import StateError
from . import BESIDE

if TYPE_CHECKING:
    from ..values.json_values import Json
    from .values import StateValues

_SENDS = "sends"


def written_beside(after: Mapping[str, Json], sends: Sequence[Send], values: StateValues) -> dict[str, Json]:
    """Write what stands beside the state behind a visit.

    Args:
        after: The state, with the keys that are None.
        sends: What was sent to the next node.
        values: Writes what was sent.

    Raises:
        StateError: What was sent cannot be written.
    """
    beside: dict[str, Json] = {"none": [name for name, value in after.items() if value is None]}
    if sends:
        beside[_SENDS] = [_written(each, f"what is sent to {each.node!r}", values) for each in sends]
    return beside


def _written(send: Send, path: str, values: StateValues) -> dict[str, Json]:
    written: dict[str, Json] = {"node": send.node, "arg": values.written(send.arg, path)}
    if send.timeout is not None:
        written["timeout"] = values.written(send.timeout, "its timeout")
    return written


def read_sends(beside: Json, values: StateValues) -> list[Send]:
    """Read what was sent to the next node; nothing where an edge leads there.

    Raises:
        StateError: It cannot be read, for a person has edited it.
    """
    sends = beside.get(_SENDS, []) if isinstance(beside, dict) else []
    return [
        _read(each, f'state["{BESIDE}"]["{_SENDS}"][{number}]', values)
        for number, each in enumerate(sends if isinstance(sends, list) else [sends])
    ]


def _read(send: Json, path: str, values: StateValues) -> Send:
    if not isinstance(send, dict) or "arg" not in send or not isinstance(send.get("node"), str):
        raise StateError(f"{path} has no node and arg", hint="edit the state of the run")
    timeout = values.read(send.get("timeout"), f'{path}["timeout"]')
    return Send(str(send["node"]), values.read(send["arg"], f'{path}["arg"]'), timeout=timeout)
