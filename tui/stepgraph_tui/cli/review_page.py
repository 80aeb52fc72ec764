"""All that a person should know before deciding a review, in the order in which they need it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from stepgraph.reviews import Reviews
from stepgraph.runs import DecisionPreview, view_run
from stepgraph_tui.text.plain import WHOLE, by_lines, clock, key_text, since, value_text
from stepgraph_tui.text.reviews import (
    action_text,
    conversation_json,
    decision_text,
    last_look,
    preview_text,
    result_lines,
    review_json,
    risk_text,
    shown_label,
    so_far,
    still_missing,
    term_rows,
)
from stepgraph_tui.text.state_diff import difference_lines
from stepgraph_tui.text.state_rows import text_rows
from stepgraph_tui.view.reviews import ReviewStory, decision_of, request_of

from .inbox import tell_due
from .reports import deciding

if TYPE_CHECKING:
    from stepgraph.runs import Run
    from stepgraph.stores import StateStore
    from stepgraph_tui.view.reviews import SafeReview

    from .output import Output


def show(output: Output, store: StateStore, review_id: str) -> None:
    """Print a review."""
    reviews = Reviews(store)
    reviews.get(review_id)  # which applies what is overdue
    review, found = reviews.read(review_id)
    run, asked = view_run(store, found.run), found.rows[0].seq
    story = ReviewStory.of(review, run)
    mask, shown = story.mask, story.safe
    seq, since_when = last_look(store, run.id, asked)
    changed = difference_lines(
        mask.values(store.values(run.id, seq)), mask.values(store.values(run.id, asked))
    )
    would = result_lines(story)
    if output.as_json:
        data = review_json(shown)
        data["consequences"] = [_consequence_json(story, lead) for lead in story.leads]
        data["changed"] = {"since": since_when, "differences": changed}
        data["result"] = would
        data["definition"] = run.definition
        data["conversation"] = conversation_json(story)
        output.data(data)
        return
    waiting = reviews.pending()
    tell_due(output, store, waiting.due)
    rows = [*_identity(shown, run, run.definition, len(waiting)), *_question(story)]
    rows += [("" if number else "result", line) for number, line in enumerate(would)]
    rows += [("changed", f"since {since_when}:" if changed else f"nothing since {since_when}")]
    rows += [("", line) for line in changed]
    output.page([*rows, *_ways_on(story)])
    if story.pending:
        output.lines(["", "decide it with one of:"])
        output.picture(f"  {output.command(*deciding(review, verb))}" for verb in review.request.verbs)


def review_rows(story: ReviewStory) -> list[tuple[str, str]]:
    """List what is asked and what each answer leads to, without who and when."""
    return [*_question(story), *_ways_on(story)]


def _identity(review: SafeReview, run: Run, definition: str, waiting: int) -> Iterator[tuple[str, str]]:
    state: str = review.status
    if review.status == "pending":
        more = f", {waiting - 1} more wait" if waiting > 1 else ""
        state = f"waiting {since(review.asked_at)}{more}"
    yield "approval", f"{review.id}, {state}"
    by = f", started by {review.started_by}" if review.started_by else ""
    yield "run", f"{run.id}, graph {review.graph}@{definition[:8]}{by}"
    node = f"{review.node}, step {review.step:,} of {run.max_steps:,}, visit {review.visit}"
    before = run.history[review.step - 2].node if 2 <= review.step <= len(run.history) + 1 else None
    yield "node", node + (f", after {before}" if before is not None else "")
    yield "asked", clock(review.asked_at)
    yield "hash", review.hash
    yield from term_rows(review, time.time())


def _question(story: ReviewStory) -> Iterator[tuple[str, str]]:
    review = story.safe
    request = request_of(review)
    yield "risk", "".join(risk_text(review, story.leads))
    yield from text_rows("asks", request.prompt)
    for number, message in enumerate(so_far(story)):
        yield from text_rows("" if number else "so far", f"{message.role}: {message.whole}", hang="  ")
    action = action_text(request)
    if action:
        by_line = by_lines(action)
        yield from text_rows("action", by_line) if "\n" in by_line else [("action", action)]
    for path, value in review.values.items():
        editable = request.editable.get(path)
        note = f"   (editable: {editable})" if editable else ""
        yield shown_label(review).lower(), f"{key_text(path)} = {value_text(value, WHOLE)}{note}"
    for path, type_ in request.editable.items():
        if path not in review.values:
            unset = "" if path in review.proposed else ", not set yet"
            yield "editable", f"{key_text(path)} ({type_}){unset}"


def _ways_on(story: ReviewStory) -> Iterator[tuple[str, str]]:
    review, leads = story.safe, story.leads
    decision = decision_of(review)
    if decision is not None:
        yield "decided", decision_text(decision)
    for number, lead in enumerate(leads):
        once = still_missing(review, lead.verb)
        leads_to = f"{lead.verb:<7} -> {story.mask.text(preview_text(lead))}"
        yield "" if number else "then", leads_to + (f"   ({once})" if once else "")
    if any(lead.side_effects for lead in leads):
        yield "", "! has side effects"


def _consequence_json(story: ReviewStory, lead: DecisionPreview) -> dict[str, Any]:
    return {
        "verb": lead.verb,
        "kind": lead.kind,
        "reason": story.mask.text(lead.reason),
        "edge": lead.position or None,
        "label": lead.edge.describe() if lead.edge is not None else None,
        "path": [{"node": way.node, "side_effects": way.side_effects, "asks": way.asks} for way in lead.path],
        "capped": lead.capped,
        "depends_on": list(lead.depends_on),
    }
