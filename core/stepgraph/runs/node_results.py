"""What a node returned: its updates and output, a question, or what no node may return."""

from __future__ import annotations

from collections.abc import Mapping
from types import CoroutineType
from typing import TYPE_CHECKING, Any, cast

from ..nodes.base import NodeResult
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..values.errors import NodeFailed, StateError
from ..values.json_values import class_name, pairs, preview, text
from ..values.messages import said, shortened

if TYPE_CHECKING:
    from ..reviews.model import ReviewRequest


def opened(
    node: str, visit: int, result: object, terms: ReviewTerms = NO_TERMS
) -> tuple[str | None, dict[Any, object], ReviewRequest | None]:
    """Take out of a result its output (None: the updates as JSON), its updates, and what it asks instead.

    What it has is read once, and kept as it was read: a result of the user's may raise, or say something else
    each time.

    Args:
        node: The node that returned it.
        visit: On which visit.
        result: Whatever it is.
        terms: The terms of what the node asks, where the question does not say.

    Raises:
        NodeFailed: The node said that it failed, or returned what no node may return.
        StateError: A part is not what it must be.
    """
    kind: type = type(result)
    if issubclass(kind, dict):
        return None, _table(result), None
    if not issubclass(kind, NodeResult):
        raise _nonsense(node, visit, result)
    status, output, updates, error, review = parts_of(result)
    if status == "paused":
        from .questions import question_of  # with all that knows of reviews

        question = question_of(node, review, terms)
        if question is not None:
            return None, {}, question
    if status != "success":
        raise _incomplete(node, visit, status, error)
    if not isinstance(updates, Mapping | None):
        raise StateError(f"the updates are {preview(updates)}", hint="give a dict of the changed keys")
    if output is not None and not issubclass(type(output), str):
        raise StateError(f"the output is {preview(output)}", hint="give it as text; updates take data")
    told = None if output is None else text(output, "the output")
    return told, {} if updates is None else _table(updates), None


def parts_of(result: Any) -> tuple[object, object, object, object, object]:
    """Read the parts of a result once: status, output, updates, error, review."""
    status = result.status
    if issubclass(type(status), str):
        status = str.__str__(status)
    return status, result.output, result.updates, result.error, result.review


def _table(updates: Any) -> dict[Any, object]:
    return dict(pairs(updates, "the updates"))


def failure(node: str, visit: int, error: BaseException) -> NodeFailed:
    """Make the failure of a node whose result could not be taken, from what was raised meanwhile."""
    if type(error) is NodeFailed:
        return error
    if type(error) is StateError:
        message = f"node {node!r} returned what the state cannot hold on visit {visit}: {error.message}"
        failure = NodeFailed(message, hint=error.hint)
    else:
        what = f"{class_name(error)}{said(error)}"
        message = f"node {node!r} returned what cannot be read on visit {visit}: it raised {what}"
        failure = NodeFailed(message, hint="return a plain dict of the changed keys, or a NodeResult")
    failure.__cause__ = error
    return failure


def _incomplete(node: str, visit: int, status: object, error: object) -> NodeFailed:
    """Make the failure of a node that said so, or that has a status which no node may have."""
    if status == "failed":
        told = error if issubclass(type(error), str) else None if error is None else preview(error)
        reason = shortened(cast(str, told)) if told is not None else ""
        return NodeFailed(f"node {node!r} failed on visit {visit}: {reason or 'no reason given'}")
    what = "paused without a review" if status == "paused" else f"the status {preview(status)}"
    hint = "use NodeResult.pause(ReviewRequest(...)) or one of success, paused, failed"
    return NodeFailed(f"node {node!r} returned {what} on visit {visit}", hint=hint)


def _nonsense(node: str, visit: int, result: Any) -> NodeFailed:
    hint = "return a dict of the changed keys, or a NodeResult"
    if issubclass(type(result), CoroutineType):
        result.close()  # or Python warns that nobody awaited it
        hint = "nodes are plain functions: call async code with asyncio.run inside the node"
    if result is None:
        hint = "return {} instead when nothing changes"
    what = "None" if result is None else f"{class_name(result)} {preview(result)}"
    return NodeFailed(f"node {node!r} returned {what} on visit {visit}", hint=hint)
