"""``stepgraph approvals``: what waits for a person, what it asks, and deciding it.

Deciding needs the store alone: no graph file, no trust, no user code. ``--continue`` then resumes the run.
"""

from __future__ import annotations

import time
from argparse import Namespace
from contextlib import suppress
from typing import TYPE_CHECKING

from stepgraph.reviews.inbox import Reviews
from stepgraph.reviews.model import Decision, Review, Verb
from stepgraph.reviews.voters import missing_text, refusal
from stepgraph.runs.masks import mask_of
from stepgraph.runs.views import open_run
from stepgraph.values.errors import NotAllowed, StepgraphError
from stepgraph_tui.text.plain import visible
from stepgraph_tui.text.reviews import EditedQuestion, action_text, changes_text, review_json
from stepgraph_tui.view.reviews import RunMasks, decision_of, request_of

from .acting import acting_name, add_name
from .asking import can_ask, says_yes
from .audit_log import log_options
from .exits import Exit
from .graphs import add_trust
from .inbox import list_options
from .inputs import read_changes
from .stored import note_if_changed, opened, workers_go_on
from .usage import Parser, add_command

if TYPE_CHECKING:
    from stepgraph.stores.base import StateStore
    from stepgraph_tui.view.reviews import SafeReview

    from .output import Output

_DECIDE = """\
stepgraph approvals decide ID [ID ...]
       (--approve | --edit | --reject | --respond TEXT) [--set KEY=VALUE]
       [--comment TEXT] [--as NAME] [--expect-hash HASH] [--continue [--trust]] [--store URL] [--json]"""


_RESPOND = (
    "answer the question; what a LangGraph interrupt() asked takes JSON: null, 42, '[1]', '\"42\"' for a text"
)


def show_approval(args: Namespace, output: Output) -> Exit:
    """Tell all about one review."""
    from .review_page import show

    with opened(output) as store:
        show(output, store, args.review)
    return Exit.DONE


def decide(args: Namespace, output: Output) -> Exit:
    """Record a decision, the first of which wins, and continue the run where that is asked for."""
    if args.trust and not args.go_on:
        output.error("--trust is for --continue: a decision runs no code", "add --continue, or leave it out")
        return Exit.USAGE
    with opened(output) as store:
        if len(args.review) > 1:
            from .bulk import decide_all

            end, ready = decide_all(args, output, store)
        else:
            end, ready = Exit.DONE, _decide_one(args, output, store)
    if not ready:
        return end
    from .continuing import as_resumed, continue_runs

    went = continue_runs(as_resumed(trust=args.trust), output, ready)
    return went if end is Exit.DONE else end


def _decide_one(args: Namespace, output: Output, store: StateStore) -> list[str]:
    """Record the decision of one review; return its run where it is to be continued here."""
    reviews = Reviews(store)
    review = reviews.get(args.review[0])
    decision = _decision(args, review)
    edited = _edited(store, review, decision)
    if decision.verb in ("approve", "edit") and review.status == "pending":
        if refused := refusal(review, review.checked(decision), time.time()):
            raise refused
        looked = args.expect_hash is not None
        _tell_what(output, RunMasks(store).masked(review), edited, looked=looked)
    seen = args.expect_hash if args.expect_hash is not None else review.hash
    decided = reviews.decide(review.id, decision, expect_hash=seen)
    shown = RunMasks(store).masked(decided)
    with suppress(StepgraphError):  # it is decided, also where the graph cannot be read any more
        note_if_changed(output, open_run(store, decided.run_id).plan)
    if output.as_json:
        edited_action = {"edited_action": edited.action or None} if edited is not None else {}
        output.data(review_json(shown) | edited_action)
    recorded = decision_of(shown)
    if recorded is None:
        said = f"recorded: {shown.votes[-1].by} approves review {review.id}"
        output.narrate(f"{visible(said)}; {visible(missing_text(decided, time.time()))}")
        return []
    changes = changes_text(recorded)
    changed = f", {changes}" if changes else ""
    said = f"recorded: {recorded.verb} of review {review.id} by {recorded.by}{changed}"
    if workers_go_on(store, review.run_id):
        output.narrate(f"{visible(said)}; workers go on with the run; see how it goes with:")
        output.suggest("runs", "show", review.run_id)
        return []
    if args.go_on:
        output.narrate(f"{visible(said)}; continuing run {visible(review.run_id)}")
        return [review.run_id]
    output.narrate(f"{visible(said)}; go on with:")
    output.suggest("resume", review.run_id)
    return []


def _tell_what(output: Output, review: SafeReview, edited: EditedQuestion | None, *, looked: bool) -> None:
    """Tell all of what is approved to who did not say which hash they looked at, and ask where one can.

    Raises:
        NotAllowed: It was not meant.
    """
    action = action_text(request_of(review)) or "no action is named"
    if not looked:
        output.narrate(f"asks:    {visible(review.request.prompt)}")
    if edited is not None:
        output.narrate(f"asked:   {action}")
        output.narrate(f"edited:  {edited.action or edited.unknown or 'no action is named'}")
    elif not looked:
        output.narrate(f"action:  {action}")
    if not looked and can_ask() and not output.as_json and not says_yes(output, "Approve it?"):
        raise NotAllowed("nothing was decided", hint="the review still waits")


def _edited(store: StateStore, review: Review, decision: Decision) -> EditedQuestion | None:
    """Write what is asked with an edit made; None for other decisions, and for what will be refused."""
    if decision.verb != "edit" or review.status != "pending":
        return None
    try:
        run = open_run(store, review.run_id)
        return EditedQuestion.of(run.plan, run, review, decision, mask_of(run.plan, store, run.id))
    except StepgraphError:  # deciding tells why, or does not need what could not be read
        return None


def _decision(args: Namespace, review: Review) -> Decision:
    verb: Verb = "respond" if args.respond is not None else args.verb
    values = read_changes(args.set, review.request.editable)
    if values and verb == "approve":
        verb = "edit"
    if values and verb != "edit":
        raise NotAllowed(f"--set does not go with --{verb}", hint="use it with --edit or --approve")
    by = acting_name(args.name)
    text = args.respond or ""
    return Decision(verb, values, text=text, by=by, comment=args.comment, source="cli")


def approvals_options(parser: Parser) -> None:
    """Declare what ``approvals`` and its verbs take."""
    list_options(parser)
    verbs = parser.add_subparsers(metavar="VERB", parser_class=Parser)
    add_command(verbs, "show", _show_options, "show what a review asks and where each answer leads")
    add_command(verbs, "decide", _decide_options, "decide a review, and continue its run when asked to")
    add_command(verbs, "log", log_options, "list who decided what, from where and when")


def _show_options(parser: Parser) -> None:
    parser.add_argument("review", metavar="ID")
    parser.set_defaults(command=show_approval)


def _decide_options(parser: Parser) -> None:
    parser.usage = _DECIDE
    several = "several can be rejected together, or approved where they ask the same"
    parser.add_argument("review", metavar="ID", nargs="+", help=several)
    verb = parser.add_mutually_exclusive_group(required=True)
    verb.add_argument("--approve", dest="verb", action="store_const", const="approve", help="go on")
    verb.add_argument("--reject", dest="verb", action="store_const", const="reject", help="refuse it")
    edit_help = "approve with the changes of --set"
    verb.add_argument("--edit", dest="verb", action="store_const", const="edit", help=edit_help)
    verb.add_argument("--respond", metavar="TEXT", help=_RESPOND)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an edited value")
    parser.add_argument("--comment", default="", metavar="TEXT", help="why; kept with the decision")
    add_name(parser, "who decides")
    parser.add_argument("--expect-hash", metavar="HASH", help="refuse if the review is not the one you saw")
    goes_on = "then continue the run here, to its end or the next pause"
    parser.add_argument("--continue", dest="go_on", action="store_true", help=goes_on)
    add_trust(parser)
    parser.set_defaults(command=decide)
