"""Failures as the ledger keeps them: an error's words and the original's traceback, there and back."""

from __future__ import annotations

import traceback
from bdb import BdbQuit
from types import TracebackType
from typing import Any

from ..values import errors
from ..values.errors import RunError
from ..values.json_values import Json, class_name
from ..values.messages import encodable, said, shortened

# What an exception holds, whatever its class says of it.
_cause = BaseException.__dict__["__cause__"].__get__
_traceback_of = BaseException.__dict__["__traceback__"].__get__

_MAX_TRACEBACK = 20_000  # characters; a recursion without end would otherwise fill the ledger
_HINTS: dict[type[BaseException], str] = {
    EOFError: "a node cannot ask at the terminal: use an approval node, or an input of the graph",
    SystemExit: "a node may not end the process: raise an ordinary exception, or return NodeResult.failed",
    KeyboardInterrupt: "retry the run to execute the node again",
}


def node_failure(node: str, visit: int, error: BaseException) -> errors.NodeFailed:
    """Make the NodeFailed for an exception that a node raised, with the exception as its ``__cause__``."""
    own = own_words(error)
    if own is not None:  # written for people already, by one of our node types
        message, hint = own
        failure = errors.NodeFailed(f"node {node!r} failed on visit {visit}: {message}", hint=hint)
        is_told = issubclass(type(error), errors.NodeFailed)
        failure.__cause__ = _cause(error) or (None if is_told else error)
        return failure
    kind = type(error)
    if issubclass(kind, BdbQuit):
        hint = "nothing of the visit is kept: retry the run to execute the node again"
        return errors.NodeFailed(f"node {node!r} was left in its debugger on visit {visit}", hint=hint)
    hint = next((text for known, text in _HINTS.items() if issubclass(kind, known)), "")
    what = class_name(error)
    failure = errors.NodeFailed(f"node {node!r} raised {what} on visit {visit}{said(error)}", hint=hint)
    failure.__cause__ = error
    return failure


def own_words(error: BaseException) -> tuple[str, str] | None:
    """Give the message and the hint of an error of ours; None for any other one."""
    if not issubclass(type(error), errors.StepgraphError):
        return None
    try:
        return shortened(error.message), shortened(error.hint)  # type: ignore[attr-defined]  # by its type
    except BaseException:  # a subclass of the user's may have made anything of them
        return None


def to_json(error: RunError) -> dict[str, Json]:
    """Write the error as the ledger keeps it."""
    data: dict[str, Json] = {"type": type(error).__name__, "message": encodable(error.message)}
    if error.hint:
        data["hint"] = encodable(error.hint)
    cause = error.__cause__
    if cause is not None:
        data["cause"] = {
            "type": class_name(cause),
            "message": said(cause)[2:],
            "traceback": encodable(_traceback(cause))[-_MAX_TRACEBACK:],
        }
    return data


def _traceback(error: BaseException) -> str:
    """Format the traceback from where the user's code begins; empty for our own errors, which say it all."""
    whole: TracebackType | None = _traceback_of(error)
    try:
        frame = whole
        while frame is not None and _is_ours(frame):
            frame = frame.tb_next
        if frame is None and isinstance(error, errors.StepgraphError):
            return ""
        shown = frame if frame is not None else whole  # a bug of ours is shown in full
        return "".join(traceback.format_exception(type(error), error, shown, limit=-30))
    except BaseException:  # what it says of itself raises in turn: its lines are enough
        return "".join(traceback.format_tb(whole, limit=-30))


def _is_ours(frame: TracebackType) -> bool:
    return str(frame.tb_frame.f_globals.get("__name__")).startswith("stepgraph.")


def from_json(data: dict[str, Any]) -> RunError:
    """Make the error again, in another process: the class and the words, without a ``__cause__``."""
    kind = getattr(errors, str(data.get("type")), None)
    made = kind if isinstance(kind, type) and issubclass(kind, RunError) else RunError
    error: RunError = made(str(data.get("message", "")), hint=str(data.get("hint", "")))
    cause = data.get("cause")
    if isinstance(cause, dict) and cause.get("traceback"):
        error.add_note(f"It was raised in another process:\n{cause['traceback']}")
    return error
