"""``stepgraph approvals decide`` of several reviews: one verb and one comment for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.waiting import refuse_together
from stepgraph.values.errors import NotAllowed, StepgraphError
from stepgraph_tui.text.inbox import act_text, place_text
from stepgraph_tui.text.plain import plural, visible
from stepgraph_tui.text.reviews import RunMasks, masked, review_json

from .asking import can_ask, says_yes
from .exits import Exit
from .failures import tell

if TYPE_CHECKING:
    from stepgraph.reviews.model import Decision, Review
    from stepgraph.stores.base import StateStore

    from .output import Output


def decide_all(
    output: Output, store: StateStore, ids: Sequence[str], decision: Decision, expect_hash: str | None
) -> Exit:
    """Record one decision for several reviews: all of them are told before, and what became of each after.

    One that cannot be recorded keeps no other one from it; how the command ends is the first such failure.

    Raises:
        UnknownReview: There is none of one of the ids; nothing was decided.
        NotAllowed: They cannot be decided together, or it was not meant; nothing was decided.
    """
    reviews, masks = Reviews(store), RunMasks(store)
    found = [reviews.get(review_id) for review_id in dict.fromkeys(ids)]
    waiting = [review for review in found if review.status == "pending"]
    refused = refuse_together(waiting, decision.verb)
    if refused:
        raise NotAllowed(f"nothing was decided: {refused}", hint="decide them one by one, by their ids")
    for review in waiting:
        review.checked(decision)
    shown = {review.id: masked(review, masks.of_review(review)) for review in waiting}
    for review in shown.values():
        output.narrate(
            visible(f"{review.id}  {review.request.risk} risk  {place_text(review)}  run {review.run_id}")
        )
        output.narrate(f"  {act_text(review)}")
    question = f"{decision.verb.capitalize()} {plural(len(waiting), 'review')}?"
    if waiting and can_ask() and not output.as_json and not says_yes(output, question):
        raise NotAllowed("nothing was decided", hint="the reviews still wait")
    return _record(output, reviews, found, decision, expect_hash, masks)


def _record(
    output: Output,
    reviews: Reviews,
    found: Sequence[Review],
    decision: Decision,
    expect_hash: str | None,
    masks: RunMasks,
) -> Exit:
    """Record the decision of each, bound to what was told of it."""
    done, ends = [], []
    for review in found:
        try:
            seen = expect_hash if expect_hash is not None else review.hash
            done.append(reviews.decide(review.id, decision, expect_hash=seen))
        except StepgraphError as error:
            ends.append(tell(output, error))
    if output.as_json:
        output.data([review_json(masked(each, masks.of_review(each))) for each in done])
    output.narrate(f"recorded: {decision.verb} of {plural(len(done), 'review')} by {visible(decision.by)}")
    return ends[0] if ends else Exit.DONE
