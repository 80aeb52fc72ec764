"""Answers of models and tools, as the rows of a run keep them (``stepgraph.nodes.calls`` says how)."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from ..values.json_values import Json, dumps
from ..values.state import OWN
from .ledger import Row

_ANSWERS = {"model": "text", "tool": "result"}


def calls_of(row: Row) -> list[dict[str, Any]]:
    """Read what models and tools answered while a row came to be, oldest first.

    These are the row's own: a visit that paused or failed before has more, in the rows of that. An answer
    that is the step's output stands there once, and is put back here.
    """
    return [_with_output(call, row.output) for call in _kept(row) if call.get("kind") != OWN]


def own_of(row: Row) -> list[dict[str, Any]]:
    """Read what the node has kept for itself while a row came to be, oldest first."""
    return [kept for kept in _kept(row) if kept.get("kind") == OWN]


def without_output(row: Row) -> None:
    """Leave out of a row's calls the answers that are the step's output as well."""
    if row.output is not None and row.data is not None and "calls" in row.data:
        row.data["calls"] = [_without_output(call, row.output) for call in _kept(row)]


def _kept(row: Row) -> list[dict[str, Json]]:
    calls = (row.data or {}).get("calls")
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


def _without_output(call: dict[str, Json], output: str) -> dict[str, Json]:
    if call.get("text") != output and not ("result" in call and dumps(call["result"]) == output):
        return call
    return {key: value for key, value in call.items() if key not in ("text", "result")}


def _with_output(call: dict[str, Json], output: str | None) -> dict[str, Json]:
    kind = call.get("kind")
    answer = _ANSWERS.get(kind) if isinstance(kind, str) else None
    if output is None or answer is None or answer in call or "error" in call:
        return call
    with suppress(ValueError):  # a store may be damaged
        return {**call, answer: output if kind == "model" else json.loads(output)}
    return call
