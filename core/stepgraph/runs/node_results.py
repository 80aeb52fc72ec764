"""What a node returned: its updates and output, a question, or what no node may return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import CoroutineType
from typing import Any, cast

from ..nodes.base import NodeResult
from ..reviews.model import Review, ReviewRequest, payload_hash, shown_values
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..values.errors import NodeFailed, StateError
from ..values.json_values import Json, class_name, pairs, preview, text
from ..values.messages import said, shortened


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
    status, output, updates, error, review = _parts(result)
    if status == "paused" and issubclass(type(review), ReviewRequest):
        request = _on_terms(plain_request(review), terms)
        _refuse_clash(node, request, terms)
        return None, {}, request
    if status != "success":
        raise _incomplete(node, visit, status, error)
    if not isinstance(updates, Mapping | None):
        raise StateError(f"the updates are {preview(updates)}", hint="give a dict of the changed keys")
    if output is not None and not issubclass(type(output), str):
        raise StateError(f"the output is {preview(output)}", hint="give it as text; updates take data")
    told = None if output is None else text(output, "the output")
    return told, {} if updates is None else _table(updates), None


def asked(result: object, terms: ReviewTerms) -> ReviewRequest | None:
    """Find what a node that paused asks a person, or None when it did not pause.

    Args:
        result: What it returned.
        terms: The terms of what it asks, where the question does not say.

    Raises:
        StateError: A part of the question is not what it must be.
    """
    if not issubclass(type(result), NodeResult):
        return None
    status, _, _, _, review = _parts(result)
    is_question = status == "paused" and issubclass(type(review), ReviewRequest)
    return _on_terms(plain_request(review), terms) if is_question else None


def _parts(result: Any) -> tuple[object, object, object, object, object]:
    status = result.status
    if issubclass(type(status), str):
        status = str.__str__(status)
    return status, result.output, result.updates, result.error, result.review


def plain_request(review: Any) -> ReviewRequest:
    """Read a request once and keep what was read, in plain JSON.

    Raises:
        StateError: A part of it is not what it must be.
    """
    terms: object = review.terms
    if type(terms) is not ReviewTerms:
        raise StateError(f"the review's terms are {preview(terms)}", hint="give it ReviewTerms(...)")
    return replace(ReviewRequest.from_json(ReviewRequest.to_json(review)), terms=terms)


def _on_terms(request: ReviewRequest, terms: ReviewTerms) -> ReviewRequest:
    """Take back the edit of an action's arguments where several people must approve the very same thing."""
    if request.edits == "state" or request.terms.over(terms).needed == 1:
        return request
    return replace(request, editable={}, allow=tuple(verb for verb in request.verbs if verb != "edit"))


def _refuse_clash(node: str, request: ReviewRequest, terms: ReviewTerms) -> None:
    """Refuse a question that cannot be asked on its terms.

    Raises:
        NodeFailed: They do not fit together, or to what is offered.
    """
    merged = request.terms.over(terms)
    fault = next(merged.faults(), None) or merged.clashes_with(request.verbs)
    if fault is not None:
        message = f"node {node!r} asks on terms that cannot work: {fault.message}"
        raise NodeFailed(message, hint=fault.hint)


def _table(updates: Any) -> dict[Any, object]:
    return dict(pairs(updates, "the updates"))


def is_about(review: Review, request: ReviewRequest, values: dict[str, Json]) -> bool:
    """Say whether a request, in this state, is the very one that a review holds.

    Raises:
        StateError: A part of the request is no JSON.
    """
    shown = shown_values(request, values)
    return payload_hash(review.node, request.to_json(), shown, review.gate) == review.hash


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
