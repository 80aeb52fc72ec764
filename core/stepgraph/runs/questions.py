"""What a node asks a person: read once, on its terms, and told from what was asked before."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
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
    from .run import Run


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


def is_about(review: Review, request: ReviewRequest, values: dict[str, Json]) -> bool:
    """Say whether a request, in this state, is the very one that a review holds.

    Raises:
        StateError: A part of the request is not JSON.
    """
    shown = shown_values(request, values)
    return payload_hash(review.node, request.to_json(), shown, review.gate) == review.hash


def is_same_work(run: Run, review: Review) -> bool:
    """Compare what would run now with what a review was about, where the run has adopted another graph since.

    An approval is for a node as it was declared, and for the tools that it calls: with another handler,
    command or setting it is another one. Python objects, and the code of modules, are not compared.
    """
    adoptions = run.store.rows(run.id, kinds=("adopt",))
    found = run.store.review(review.id) if adoptions else None
    since = next((row for row in adoptions if found is not None and row.seq > found.rows[0].seq), None)
    if since is None or since.data is None:
        return True
    from ..documents.comparing import changes  # only where a graph was changed
    from ..documents.schema import COMMON

    node, tools = review.node, {review.request.action}
    if review.request.edits == "state":  # else an agent asks about one call of a tool
        tools |= run.plan.nodes[node].facts.tools
    else:
        node = ""
    before = json.loads(run.store.definition(str(since.data["from"])))
    one, other = (_work(document, review.node, node, tools) for document in (before, run.plan.document))
    about_asking = {*COMMON, "requires_approval"} - {"type"}
    return all(change.key in about_asking for change in changes(one, other))


def _work(document: Mapping[str, Any], place: str, node: str, tools: Iterable[str]) -> dict[str, Any]:
    """Take out of a definition the tables of a node, and of tools, wherever they are declared.

    Args:
        document: The definition.
        place: The node, by its name in the whole graph.
        node: The same; empty where its own table does not matter.
        tools: The tools.
    """
    inner, name = _innermost(document, place)
    nodes = inner.get("nodes", {})
    declared = {
        tool: level["tools"][tool]
        for level in _graphs(document)
        for tool in tools
        if tool in level.get("tools", {})
    }
    return {"nodes": {name: nodes[name]} if node and name in nodes else {}, "tools": declared}


def _graphs(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """List a definition and all inside of it: a node may call a tool that any of them declares."""
    yield document
    for table in document.get("nodes", {}).values():
        if isinstance(table.get("definition"), dict):
            yield from _graphs(table["definition"])


def _innermost(document: Mapping[str, Any], node: str) -> tuple[Mapping[str, Any], str]:
    """Find the definition that a node stands in, and its name there."""
    for name, table in document.get("nodes", {}).items():
        if node.startswith(f"{name}/") and isinstance(table.get("definition"), dict):
            return _innermost(table["definition"], node.removeprefix(f"{name}/"))
    return document, node
