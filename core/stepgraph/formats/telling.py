"""What the formats of a run have in common: times, and what steps and calls say with their secrets hidden."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..runs.failures import from_json
from ..runs.masks import MASK
from ..values.json_values import dumps

if TYPE_CHECKING:
    from ..runs.masks import Mask
    from ..runs.records import StepRecord
    from ..values.json_values import Json


_LINE_ENDS = {ord(char): f"\\u{ord(char):04x}" for char in "\x85\u2028\u2029"}


def one_line(text: str) -> str:
    """End JSON as a line; what may stand in it and is the end of a line to some readers is escaped."""
    return plain_lines(text) + "\n"


def plain_lines(text: str) -> str:
    """Escape what may stand in JSON and is the end of a line to some readers."""
    return text.translate(_LINE_ENDS)


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


def output_text(record: StepRecord, mask: Mask) -> str:
    """Give what a completed step put out; where that is its updates, each is hidden by its key."""
    if record.row.output is not None:
        return mask.text(record.row.output)
    return dumps(mask.values(record.updates))


def masked(value: Any, mask: Mask) -> Any:
    """Hide secrets in JSON of any shape: what texts quote, and what stands under the name of a secret key."""
    if isinstance(value, dict):
        return {
            mask.text(key): MASK if item is not None and mask.is_secret(key) else masked(item, mask)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [masked(item, mask) for item in value]
    return mask.value("", value)


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
