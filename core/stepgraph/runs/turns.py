"""How a visit begins: with the node, with a question to a person, or with what a person has decided.

A gate asks a person around a node: before it runs, or after it, about what it did. Its review is a row of the
ledger, as that of a node's own question is, and names the gate that the visit has passed before. So a visit
goes on where it stood, in whatever process, and completes as one step.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from ..reviews.inbox import Reviews
from ..reviews.model import Gate, HeldResult, Review, ReviewRequest, as_output
from ..reviews.terms import NO_TERMS, ReviewTerms
from ..stores.opening import damaged
from ..values.errors import NodeFailed, UnknownReview
from ..values.json_values import Json, dumps
from ..values.state import StateKey, ValueType, check_whole, fits
from . import questions
from .records import node_failure
from .visit import is_opaque

if TYPE_CHECKING:
    from ..nodes.base import BaseNode
    from ..reviews.model import Decision
    from ..stores.ledger import Row
    from ..values.state import State
    from .run import Run
    from .step import Arrival
    from .visit import BoundNode, Visit


@dataclass(frozen=True, slots=True)
class RunsNode:
    """The node runs."""

    execute: Callable[[Any], Any]
    values: dict[str, Json]
    """The state that it is given: with what reviewers have changed."""
    decision: Decision | None = None
    """What a person decided about the node's own question."""
    edits: dict[str, Json] = field(default_factory=dict)
    """The keys, whole, that reviewers have changed on this visit."""
    passed: str | None = None
    """The review at the gate before it, once that was passed."""
    agreed: tuple[str, dict[str, Json]] | None = None
    """The action, with its arguments, that a person has agreed to there, as it is with the edits."""


@dataclass(frozen=True, slots=True)
class AsksPerson:
    """A person is asked first."""

    request: ReviewRequest
    gate: Gate | None = None
    """The gate that asks; None where the node does."""
    passed: str | None = None


@dataclass(frozen=True, slots=True)
class MergesResult:
    """The node has run on this visit, and a person has decided about what it did."""

    result: HeldResult
    decision: Decision


@dataclass(frozen=True, slots=True)
class StopsRun:
    """A person has rejected what the node was to do."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class FailsVisit:
    """The node cannot announce what it is about to do."""

    error: NodeFailed


Turn: TypeAlias = RunsNode | AsksPerson | MergesResult | StopsRun | FailsVisit


def turn(here: Arrival, keys: Mapping[str, StateKey]) -> Turn:
    """Find how a visit goes on, from what was asked on it so far.

    A decision holds for what the reviewer looked at. Where that has changed, the person is asked again.

    Args:
        here: The run at its node.
        keys: The declared keys of the state.
    """
    run, pointer, values = here.run, here.pointer, here.values
    reviews = Reviews(run.store)
    last = reviews.read(pointer.review) if pointer.review is not None else None
    asked = last[0] if last is not None else None
    if asked is not None and asked.gate is not None and asked.gate.result is not None:
        if asked.decision is None or not questions.is_about(asked, asked.request, values):
            return AsksPerson(asked.request, asked.gate, asked.passed)
        return MergesResult(asked.gate.result, asked.decision)
    first = _at_gate_before(run, reviews, asked)
    try:
        begun = _begin(here, first, keys)
        if last is None or asked is None or asked.gate is not None or not isinstance(begun, RunsNode):
            return begun
        return _run_answered(run, asked, last[1].rows[-1].seq, begun, here.node, keys)
    except BaseException as error:  # it may be a user's code that says so
        return FailsVisit(node_failure(here.node.name, here.visit, error))


def _begin(here: Arrival, first: Review | None, keys: Mapping[str, StateKey]) -> Turn:
    """Begin a visit, as far as the gate before its node goes.

    Args:
        here: The run at its node.
        first: What was asked at that gate; None where nothing was.
        keys: The declared keys of the state.

    Raises:
        BaseException: The node's own code does, or it cannot say what it is about to do.
    """
    node, values = here.node, here.values
    request = before(node.name, node.work, here.view(values), keys, node.terms) if here.asks() else None
    decided = _decision_before(here.run, first, request, values)
    if decided is not None and decided.verb == "reject":
        return StopsRun(decided)
    if decided is None and request is None and first is not None:
        # The graph that it has adopted has no such gate, but nobody has decided about the state as it is
        # now: what was asked at the gate that it had is asked again, on the same terms.
        request = before(node.name, node.work, here.view(values), keys, first.terms)
        request = replace(request, terms=first.terms)
    if decided is None and request is not None:
        return AsksPerson(request, Gate("before"))
    if decided is None or first is None:
        return RunsNode(node.execute, values)
    edits = decided.apply_to(values)
    seen = {**values, **edits} if edits else values
    agreed = node.work.proposes(here.view(seen)) if node.work is not None else None
    return RunsNode(node.execute, seen, None, edits, first.id, agreed)


def _at_gate_before(run: Run, reviews: Reviews, asked: Review | None) -> Review | None:
    """Find the review at the gate before a node, from the last one of its visit; None where there is none.

    Raises:
        StoreDamaged: The node has asked by itself after a gate that is none of this visit.
    """
    if asked is None or asked.gate is not None:
        return asked
    if asked.passed is None:
        return None
    with suppress(UnknownReview):
        first, _ = reviews.read(asked.passed)
        places = [(review.run_id, review.node, review.step, review.visit) for review in (first, asked)]
        if first.gate == Gate("before") and places[0] == places[1]:
            return first
    what = f"review {asked.id!r} of run {run.id!r} follows {asked.passed!r}, which is not a gate of its visit"
    raise damaged(run.store.url, what)


def _decision_before(
    run: Run, first: Review | None, request: ReviewRequest | None, values: dict[str, Json]
) -> Decision | None:
    """Find what a person has decided before a node; None where that was about something else."""
    if first is None or not questions.is_about(first, request or first.request, values):
        return None
    return first.decision if is_same_work(run, first) else None


def before(
    name: str,
    work: BaseNode | None,
    view: State,
    keys: Mapping[str, StateKey],
    terms: ReviewTerms = NO_TERMS,
) -> ReviewRequest:
    """Write what the gate before a node asks: what it is about to do, with the keys that it reads.

    Args:
        name: The node.
        work: The node itself, where it can announce what it is about to do.
        view: The state on this visit.
        keys: The declared keys of the state.
        terms: On what terms it waits: where several people must approve, nothing is offered for an edit.

    Raises:
        NodeFailed: The node cannot announce what it is about to do.
        StateError: What it says is not JSON.
    """
    action, arguments = (f"run {name}", {}) if work is None else work.proposes(view)
    # What a person's own code reads is known to nobody: it may be any key.
    reads = view.keys() if work is None or is_opaque(work) else work.facts().all_reads & view.keys()
    shown = {key: view[key] for key in view if key in reads}
    offered = _offered(shown, keys) if terms.needed == 1 else {}
    request = ReviewRequest(f"May {name!r} run?", action, arguments, tuple(shown), offered)
    return questions.plain_request(request)


def after(
    name: str,
    result: HeldResult,
    keys: Mapping[str, StateKey],
    terms: ReviewTerms = NO_TERMS,
) -> ReviewRequest:
    """Write what the gate after a node asks about what it did.

    Args:
        name: The node.
        result: What it did.
        keys: The declared keys of the state.
        terms: On what terms it waits: where several people must approve, nothing is offered for an edit.
    """
    prompt, output = f"Continue with the result of {name!r}?", result.output
    if output and output not in map(as_output, result.updates.values()):
        prompt += f" Its output:\n{output}"
    action = "merge" if result.updates else ""
    shown = tuple(dict.fromkeys((*result.edits, *result.updates)))
    offered = _offered(result.updates, keys) if terms.needed == 1 else {}
    return ReviewRequest(prompt, action, result.updates, shown, offered)


def _offered(values: Mapping[str, Json], keys: Mapping[str, StateKey]) -> dict[str, ValueType]:
    """Find the values that a reviewer may change, with their types; a secret one cannot even be seen."""
    kinds: tuple[ValueType, ...] = get_args(ValueType)
    return {
        name: kind
        for name, value in values.items()
        for kind in kinds
        if fits(value, kind) and not (name in keys and keys[name].secret)
    }


def _run_answered(
    run: Run, review: Review, since: int, begun: RunsNode, node: BoundNode, keys: Mapping[str, StateKey]
) -> RunsNode:
    """Run a node whose own question was answered: with the decision, and with what that has changed.

    Where the state was edited, it is not known whether the question has changed: then the node is asked for
    it first.

    Args:
        run: The run.
        review: The question, with its decision.
        since: The last row about it.
        begun: The visit as far as the gate before its node.
        node: The node.
        keys: The declared keys of the state.

    Raises:
        StateError: The state cannot hold what the decision has changed.
    """
    edited = run.store.rows(run.id, after=since, kinds=("edit",))
    by_hand = {name for row in edited for name in row.updates or ()}
    edits = begun.edits | {name: value for name, value in review.edits.items() if name not in by_hand}
    values = begun.values | edits
    begun = replace(begun, values=values, edits=edits)
    decision = review.decision
    if decision is None or not questions.is_about(review, review.request, values):
        return begun
    if not is_same_work(run, review):
        return begun
    changes = decision.apply_to(values) if review.request.is_merged else {}
    for name, value in changes.items():
        check_whole(keys.get(name), name, value)
    if not edited:
        return replace(begun, values=values | changes, edits=edits | changes, decision=decision)

    def ask_first(view: Visit) -> Any:
        result = node.execute(view)
        request = questions.review_request(result, node.terms)
        if request is None or not questions.is_about(review, request, values):
            return result
        values.update(changes)  # the view and the merge of the result have these very tables
        edits.update(changes)
        return node.execute(view.with_decision(decision))

    return replace(begun, execute=ask_first)


def add_edits(
    row: Row, edits: Mapping[str, Json], merged: Mapping[str, Json], append_keys: frozenset[str]
) -> None:
    """Write what a reviewer changed before the node into the row of its step, below what the node changed.

    Args:
        row: The row, with the node's updates; they are changed.
        edits: The changed keys, whole.
        merged: The state after both.
        append_keys: The keys whose reducer is ``append``.
    """
    own, own_ops = row.updates or {}, row.ops or {}
    if row.output is None:
        row.output = dumps(own)
    updates = dict(edits)
    ops = {name: op for name, op in own_ops.items() if name not in edits or op == "remove"}
    ops |= dict.fromkeys(append_keys & edits.keys() - ops.keys(), "set")
    for name, value in own.items():
        updates[name] = merged[name] if name in edits and name in merged else value
    row.updates, row.ops = updates, ops or None
    row.data = {**(row.data or {}), "edits": dict(edits)}


def is_same_work(run: Run, review: Review) -> bool:
    """Compare what would run now with what a review was about, where the run has adopted another graph since.

    An approval is for a node as it was declared, and for the tools that it calls: with another handler,
    command or setting it is another one. Python objects, and the code of modules, are not compared.
    """
    asked = run.store.review(review.id)
    adoptions = run.store.rows(run.id, after=asked.rows[0].seq, kinds=("adopt",)) if asked else ()
    since = adoptions[0] if adoptions else None
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
    """Remove from a definition the tables of a node, and of tools, wherever they are declared.

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
    """Find the definition that a node is in, and its name there."""
    for name, table in document.get("nodes", {}).items():
        if node.startswith(f"{name}/") and isinstance(table.get("definition"), dict):
            return _innermost(table["definition"], node.removeprefix(f"{name}/"))
    return document, node
