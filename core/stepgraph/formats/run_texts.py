"""What the formats of a run have in common: times, outputs and errors as texts, their secrets hidden."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..runs.failures import from_json
from ..values.json_values import dumps

if TYPE_CHECKING:
    from ..runs.masks import Mask
    from ..runs.records import StepRecord
    from ..values.json_values import Json


def instant(seconds: float) -> str:
    """Write a time, given in seconds since 1970, as ISO 8601 in UTC, to the microsecond."""
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):  # a clock may say anything
        moment = datetime.fromtimestamp(0, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond:06d}Z"


def iso_duration(seconds: float) -> str:
    """Write a length of time as ISO 8601 has it, in seconds: ``PT1.25S``."""
    return f"PT{max(seconds, 0.0):.6f}".rstrip("0").rstrip(".") + "S"


def seconds_of(calls: Iterable[Mapping[str, Any]]) -> float:
    """Add up how long calls took; what a store has that is no time counts nothing."""
    times: list[Any] = [call.get("seconds") for call in calls]
    return float(sum(time for time in times if type(time) in (int, float) and 0 <= time < 1e9))


def output_text(record: StepRecord, mask: Mask) -> str:
    """Give what a completed step put out; where that is its updates, each is hidden by its key."""
    if record.row.output is not None:
        return mask.text(record.row.output)
    return dumps(mask.values(record.updates))


def error_words(error: Mapping[str, Json], mask: Mask) -> dict[str, Json]:
    """Tell an error as the ledger has it: its type, what it says, and the traceback of what was raised."""
    cause = error.get("cause")
    cause = cause if isinstance(cause, dict) else {}
    told: dict[str, Json] = {
        "type": str(cause.get("type") or error.get("type") or "RunError"),
        "message": mask.text(str(from_json(dict(error)))),
    }
    if cause.get("traceback"):
        told["traceback"] = mask.text(str(cause["traceback"]))
    return told
