"""What a node asks a person: read once, on its terms, and told from what was asked before."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..nodes.base import NodeResult
from ..reviews.model import ReviewRequest, payload_hash, shown_values
from ..reviews.terms import ReviewTerms
from ..values.errors import NodeFailed, StateError
from ..values.json_values import preview
from .visit import parts_of

if TYPE_CHECKING:
    from ..reviews.model import Review
    from ..values.json_values import Json


def question_of(node: str, review: object, terms: ReviewTerms) -> ReviewRequest | None:
    """Read what a node asks that says it is paused; None where that is not a question.

    Args:
        node: The node.
        review: What it asks.
        terms: The terms of what the node asks, where the question does not say.

    Raises:
        NodeFailed: It cannot be asked on its terms.
        StateError: A part of it is not what it must be.
    """
    if not issubclass(type(review), ReviewRequest):
        return None
    request = _on_terms(plain_request(review), terms)
    _refuse_clash(node, request, terms)
    return request


def review_request(result: object, terms: ReviewTerms) -> ReviewRequest | None:
    """Find what a node that paused asks a person, or None when it did not pause.

    Args:
        result: What it returned.
        terms: The terms of what it asks, where the question does not say.

    Raises:
        StateError: A part of the question is not what it must be.
    """
    if not issubclass(type(result), NodeResult):
        return None
    status, _, _, _, review = parts_of(result)
    is_question = status == "paused" and issubclass(type(review), ReviewRequest)
    return _on_terms(plain_request(review), terms) if is_question else None


def plain_request(review: Any) -> ReviewRequest:
    """Read a request once and keep what was read, in plain JSON.

    Raises:
        StateError: A part of it is not what it must be.
    """
    terms: object = review.terms
    if type(terms) is not ReviewTerms:
        raise StateError(f"the review's terms are {preview(terms)}", hint="give it ReviewTerms(...)")
    merges = review.merge_edits is True
    return replace(ReviewRequest.from_json(ReviewRequest.to_json(review)), terms=terms, merge_edits=merges)


def _on_terms(request: ReviewRequest, terms: ReviewTerms) -> ReviewRequest:
    """Undo the edit of an action's arguments where several people must approve the very same thing."""
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


def is_about(review: Review, request: ReviewRequest, values: dict[str, Json]) -> bool:
    """Check whether a request, in this state, is the very one that a review holds.

    Raises:
        StateError: A part of the request is not JSON.
    """
    shown = shown_values(request, values)
    return payload_hash(review.node, request.to_json(), shown, review.gate) == review.hash
