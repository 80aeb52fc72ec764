"""What a node returned: its updates and output, a question, or what no node may return."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from ..nodes.base import NodeResult
from ..reviews.model import Review, ReviewRequest, payload_hash, shown_values
from ..values.errors import NodeFailed, StateError
from ..values.json_values import Json, preview, text
from ..values.messages import shortened


def completes(result: object) -> bool:
    """Say whether the result completes its visit, if the state can take it."""
    return isinstance(result, dict) or (isinstance(result, NodeResult) and result.status == "success")


def opened(result: NodeResult | dict[str, object]) -> tuple[str | None, Mapping[str, object]]:
    """Take output (None: the updates as JSON) and updates out of a result that completes its visit.

    Raises:
        StateError: One of them is not what it must be.
    """
    if isinstance(result, dict):
        return None, result
    output: object = result.output
    updates: object = {} if result.updates is None else result.updates
    if not isinstance(updates, Mapping):
        raise StateError(f"the updates are {preview(updates)}", hint="give a dict of the changed keys")
    if output is None:
        return None, updates
    if not isinstance(output, str):
        raise StateError(f"the output is {preview(output)}", hint="give it as text; updates take data")
    return text(output, "the output"), updates


def asked(result: object) -> ReviewRequest | None:
    """Find what a node that paused asks a person, or None when it did not pause."""
    if not isinstance(result, NodeResult) or result.status != "paused":
        return None
    request: object = result.review
    return request if isinstance(request, ReviewRequest) else None


def is_about(review: Review, request: ReviewRequest, values: dict[str, Json]) -> bool:
    """Say whether a request, in this state, is the very one that a review holds.

    Raises:
        StateError: A part of the request is no JSON.
    """
    return payload_hash(review.node, request.to_json(), shown_values(request, values)) == review.hash


def failure(node: str, visit: int, result: object) -> NodeFailed:
    """Make the failure of a node that said so, or that returned what no node may return."""
    if not isinstance(result, NodeResult):
        return _nonsense(node, visit, result)
    if result.status == "failed":
        reason: object = result.error
        said = reason if isinstance(reason, str) else "" if reason is None else preview(reason)
        reason = shortened(said) or "no reason given"
        return NodeFailed(f"node {node!r} failed on visit {visit}: {reason}")
    paused = result.status == "paused"
    said = "paused without a review" if paused else f"the status {preview(result.status)}"
    hint = "use NodeResult.pause(ReviewRequest(...)) or one of success, paused, failed"
    return NodeFailed(f"node {node!r} returned {said} on visit {visit}", hint=hint)


def refused(node: str, visit: int, error: StateError) -> NodeFailed:
    """Make the failure of a node whose result the state cannot hold."""
    message = f"node {node!r} returned what the state cannot hold on visit {visit}: {error.message}"
    failure = NodeFailed(message, hint=error.hint)
    failure.__cause__ = error
    return failure


def _nonsense(node: str, visit: int, result: object) -> NodeFailed:
    hint = "return a dict of the changed keys, or a NodeResult"
    if inspect.iscoroutine(result):
        result.close()  # or Python warns that nobody awaited it
        hint = "nodes are plain functions: call async code with asyncio.run inside the node"
    if result is None:
        hint = "return {} instead when nothing changes"
    what = "None" if result is None else f"{type(result).__name__} {preview(result)}"
    return NodeFailed(f"node {node!r} returned {what} on visit {visit}", hint=hint)
