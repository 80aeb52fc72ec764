"""All that a person should know before deciding a review, in the order in which they need it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from stepgraph import lifecycle
from stepgraph.consequences import Consequence, Waypoint, consequences
from stepgraph.errors import UnknownReview
from stepgraph.reviews import Reviews

from .masks import Mask, mask_of
from .reports import deciding, decision_text, review_json
from .state_diff import difference_lines
from .stored import showable
from .tables import page
from .text import call_text, clock, place, since, value_text, visible, visible_lines

if TYPE_CHECKING:
    from stepgraph.review import Review
    from stepgraph.run import Run
    from stepgraph.stores.base import StateStore

    from .output import Output


def show(output: Output, store: StateStore, review: Review) -> None:
    """Print a review."""
    stored = store.load(review.run_id)
    app = showable(store, stored)
    run = lifecycle.load(app, store, review.run_id)
    mask = mask_of(app, store, run.id)
    pending = review.status == "pending"
    leads = consequences(app, run, review) if pending else []
    seq, since_when = _last_look(store, review)
    changed = difference_lines(mask.values(store.values(run.id, seq)), mask.values(_then(store, review)))
    if output.as_json:
        data = review_json(review, mask)
        data["consequences"] = [_consequence_json(lead, mask) for lead in leads]
        data["changed"] = {"since": since_when, "differences": changed}
        data["definition"] = stored.pointer.definition
        output.data(data)
        return
    waiting = len(Reviews(store).pending())
    rows = [*_identity(review, run, stored.pointer.definition, waiting), *_question(review, mask, leads)]
    rows += [("changed", f"since {since_when}:" if changed else f"nothing since {since_when}")]
    rows += [("", line) for line in changed]
    output.show(page([*rows, *_ways_on(review, mask, leads)]))
    if pending:
        output.lines(["", "decide it with one of:"])
        output.lines(f"  {visible(output.command(*deciding(review, verb)))}" for verb in review.request.verbs)


def review_rows(review: Review, mask: Mask, leads: list[Consequence]) -> list[tuple[str, str]]:
    """What is asked and what each answer leads to, without who and when."""
    return [*_question(review, mask, leads), *_ways_on(review, mask, leads)]


def _identity(review: Review, run: Run, definition: str, waiting: int) -> Iterator[tuple[str, str]]:
    state: str = review.status
    if review.status == "pending":
        more = f", {waiting - 1} more wait" if waiting > 1 else ""
        state = f"waiting {since(review.asked_at)}{more}"
    yield "approval", f"{review.id}, {state}"
    yield "run", f"{visible(run.id)}, graph {visible(review.graph)}@{definition[:8]}"
    node = f"{visible(review.node)}, step {review.step} of {run.max_steps}, visit {review.visit}"
    before = run.history[review.step - 2].node if 2 <= review.step <= len(run.history) + 1 else None
    yield "node", node + (f", after {visible(before)}" if before is not None else "")
    yield "asked", clock(review.asked_at)
    yield "hash", review.hash


def _question(review: Review, mask: Mask, leads: list[Consequence]) -> Iterator[tuple[str, str]]:
    request = review.request
    yield "risk", f"{request.risk}: {'; '.join(_risk_reasons(review, mask, leads))}"
    for number, line in enumerate(visible_lines(mask.text(request.prompt))):
        yield "" if number else "asks", f"| {line}"
    if request.action or request.arguments:
        yield "action", call_text(mask.text(request.action), mask.values(request.arguments))
    for path, value in review.values.items():
        editable = request.editable.get(path)
        note = f"   (editable: {editable})" if editable else ""
        yield "shown", f"{visible(path)} = {value_text(mask.value(path, value), 10**9)}{note}"
    for path, type_ in request.editable.items():
        if path not in review.values:
            yield "editable", f"{visible(path)} ({type_}), not there yet"


def _risk_reasons(review: Review, mask: Mask, leads: list[Consequence]) -> Iterator[str]:
    request = review.request
    if request.risk_reason:
        yield visible(mask.text(request.risk_reason))
    elif request.risk == "unknown":
        yield "the node does not say"
    else:
        yield "the node says so"
    acting = dict.fromkeys(node for lead in leads if lead.verb == "approve" for node in lead.side_effects)
    if acting:
        yield f"approving leads to side effects: {', '.join(map(visible, acting))}"


def _ways_on(review: Review, mask: Mask, leads: list[Consequence]) -> Iterator[tuple[str, str]]:
    if review.decision is not None:
        yield "decided", decision_text(review.decision, mask)
    for number, lead in enumerate(leads):
        yield "" if number else "then", f"{lead.verb:<7} -> {mask.text(consequence_text(lead))}"
    if any(lead.side_effects for lead in leads):
        yield "", "! has side effects"


def consequence_text(lead: Consequence) -> str:
    """What a verb leads to, in one line."""
    if lead.edge is None:
        return {"unknown": "cannot be known: "}.get(lead.kind, "") + visible(lead.reason)
    if lead.capped:
        return f"the run is stopped at its cap before {place(lead.edge.target)} (edge {lead.position})"
    ways = " -> ".join(map(_way, lead.path))
    if lead.path and lead.path[-1].node != "__END__":
        ways += " asks a person" if lead.path[-1].asks else " -> depends on what it does"
    text = f"{ways}   (edge {lead.position}: {visible(lead.edge.describe())})"
    if lead.depends_on:
        text += f", as long as {', '.join(map(visible, lead.depends_on))} does not change that"
    return text


def _way(way: Waypoint) -> str:
    return place(way.node) + (" !" if way.side_effects else "")


def _consequence_json(lead: Consequence, mask: Mask) -> dict[str, Any]:
    return {
        "verb": lead.verb,
        "kind": lead.kind,
        "reason": mask.text(lead.reason),
        "edge": lead.position or None,
        "label": lead.edge.describe() if lead.edge is not None else None,
        "path": [{"node": way.node, "side_effects": way.side_effects, "asks": way.asks} for way in lead.path],
        "capped": lead.capped,
        "depends_on": list(lead.depends_on),
    }


def _last_look(store: StateStore, review: Review) -> tuple[int, str]:
    """The row after which a person last decided something in this run, or its start."""
    asked = _asked_at(store, review)
    looks = store.rows(review.run_id, upto=asked, kinds=("decision",))
    return (looks[-1].seq, f"the last decision (step {looks[-1].step})") if looks else (1, "the start")


def _then(store: StateStore, review: Review) -> dict[str, Any]:
    """The state that the reviewer is asked about: the one at the time of the question."""
    return dict(store.values(review.run_id, _asked_at(store, review)))


def _asked_at(store: StateStore, review: Review) -> int:
    for row in store.rows(review.run_id, kinds=("review",)):
        if row.review == review.id:
            return row.seq
    raise UnknownReview(f"review {review.id} is not in the ledger of run {review.run_id}")
