"""``stepgraph approvals decide`` of several reviews: one verb and one comment for all of them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepgraph.reviews import Decision, Reviews, refuse_together
from stepgraph.values import NotAllowed, StepgraphError
from stepgraph_tui.text.inbox import act_text, place_text
from stepgraph_tui.text.plain import plural
from stepgraph_tui.text.reviews import review_json
from stepgraph_tui.view.reviews import RunMasks

from .acting import acting_name
from .exits import Exit, tell
from .output import can_ask, says_yes
from .stored import workers_go_on

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.stores import StateStore

    from .output import Output

_TOLD = 5
"""Runs for which the command that goes on with them is spelled."""


def decide_all(args: Namespace, output: Output, store: StateStore) -> tuple[Exit, list[str]]:
    """Record one decision for several reviews, or none where one of them cannot be decided so.

    The reasons are printed for each of those that cannot; how the command ends is the first of these reasons.

    Returns:
        How it ends, and the runs that are to be continued here.

    Raises:
        NotAllowed: They cannot be decided together, or it was not meant; nothing was decided.
    """
    if args.verb not in ("approve", "reject") or args.set:
        raise NotAllowed(
            "nothing was decided: several reviews can only be approved or rejected together",
            hint="edit or answer them one by one, by their ids",
        )
    reviews, masks = Reviews(store), RunMasks(store)
    decision = Decision(args.verb, by=acting_name(args.name), comment=args.comment, source="cli")
    found, refusals = _checked(reviews, args.review, decision, args.expect_hash)
    apart = refuse_together(found, decision.verb)
    if refusals:
        return _tell_refused(args, output, found, refusals, apart), []
    if apart:
        raise NotAllowed(f"nothing was decided: {apart}", hint="decide them one by one, by their ids")
    for review in found:
        shown = masks.masked(review)
        place = f"{shown.id}  {shown.request.risk} risk  {place_text(shown)}  run {shown.run_id}"
        output.narrate(place)
        output.narrate(f"  {act_text(shown)}")
    question = f"{decision.verb.capitalize()} {plural(len(found), 'review')}?"
    if can_ask() and not output.as_json and not says_yes(output, question):
        raise NotAllowed("nothing was decided", hint="the reviews still wait")
    return _record(output, store, found, decision, masks, go_on=args.go_on)


def _checked(
    reviews: Reviews, ids: Sequence[str], decision: Decision, expect_hash: str | None
) -> tuple[list[Review], list[StepgraphError]]:
    """Find the reviews that can be decided so, and why the others cannot."""
    found, refusals = [], []
    for review_id in dict.fromkeys(ids):
        try:
            found.append(reviews.check(review_id, decision, expect_hash=expect_hash))
        except StepgraphError as error:
            refusals.append(error)
    return found, refusals


def _tell_refused(
    args: Namespace,
    output: Output,
    found: Sequence[Review],
    refusals: Sequence[StepgraphError],
    apart: str,
) -> Exit:
    """Print why reviews cannot be decided, and how to decide the others."""
    ends = [tell(output, error) for error in refusals]
    total = len(refusals) + len(found)
    output.narrate(f"nothing was decided: {len(refusals)} of {total} cannot be decided so")
    if apart:
        output.narrate(f"of the others: {apart}")
    elif found:
        named = ["--as", args.name] if args.name is not None else []
        why = ["--comment", args.comment] if args.comment else []
        output.narrate("decide the other one with:" if len(found) == 1 else "decide the others with:")
        ids = [review.id for review in found]
        output.suggest("approvals", "decide", *ids, f"--{args.verb}", *why, *named)
    return ends[0]


def _record(
    output: Output,
    store: StateStore,
    found: Sequence[Review],
    decision: Decision,
    masks: RunMasks,
    *,
    go_on: bool,
) -> tuple[Exit, list[str]]:
    """Record the decision of each, bound to what was shown of it.

    One that somebody else has decided meanwhile keeps no other one from it.
    """
    reviews, done, ends = Reviews(store), [], []
    for review in found:
        try:
            done.append(reviews.decide(review.id, decision, expect_hash=review.hash))
        except StepgraphError as error:
            ends.append(tell(output, error))
    if output.as_json:
        output.data([review_json(masks.masked(each)) for each in done])
    output.narrate(f"recorded: {decision.verb} of {plural(len(done), 'review')} by {decision.by}")
    runs = [review.run_id for review in done if review.decision is not None]
    left = [run for run in runs if not workers_go_on(store, run)]
    _tell_ways_on(output, len(runs) - len(left), [] if go_on else left)
    votes = sum(review.decision is None for review in done)
    if votes:
        output.narrate(
            f"{plural(votes, 'review')} still {'waits' if votes == 1 else 'wait'} for more approvals"
        )
    return ends[0] if ends else Exit.DONE, left if go_on else []


def _tell_ways_on(output: Output, theirs: int, left: Sequence[str]) -> None:
    """Print who continues: how many runs workers take, and the commands for the others."""
    if theirs:
        output.narrate(f"workers continue with {plural(theirs, 'run')}; see how it goes with:")
        output.suggest("runs")
    if left:
        output.narrate("continue with:")
        for run in left[:_TOLD]:
            output.suggest("resume", run)
        if len(left) > _TOLD:
            output.narrate(f"and so with {len(left) - _TOLD} more")
