"""``stepgraph approvals``: what waits for a person, what it asks, and deciding it.

Deciding needs the store alone: no graph file, no trust, no user code. ``--continue`` then resumes the run.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from stepgraph.reviews import Decision, Review, Reviews, Verb, missing_text, refusal
from stepgraph.runs import MASK, open_run
from stepgraph.stores import broken_links
from stepgraph.values import NotAllowed, StepgraphError, StoreError, UnknownRun

from ..text.characters import visible
from ..text.plain import clock
from ..text.reviews import EditedQuestion, action_text, changes_text, review_json
from ..view.reviews import ReviewStory, RunMasks, decision_of, request_of
from .acting import acting_name, add_name
from .exits import Exit
from .graphs import add_trust
from .inbox import list_options
from .inputs import read_changes
from .output import Each, can_ask, says_yes
from .parser import Parser, add_command, whole_number
from .reports import narrate_call
from .stored import command_store, note_if_changed, workers_go_on

if TYPE_CHECKING:
    from stepgraph.stores import AuditEntry, StateStore

    from ..view.reviews import SafeReview
    from .output import Output
    from .tables import Fit


_MOST = 200  # of the listing, unless more are asked for
_COLUMNS: tuple[tuple[str, Fit], ...] = (
    ("NO", "keep"),
    ("WHEN", "keep"),
    ("WHO", "cut"),
    ("FROM", "keep"),
    ("DID", "keep"),
    ("REVIEW", "keep"),
    ("COMMENT", "fold"),
    ("RUN", "keep"),
    ("NODE", "cut"),
    ("GRAPH", "cut"),
)


_WITHDRAWN = {
    "edit": "the state was edited",
    "stop": "the run was stopped",
    "delete": "the run was deleted",
}
"""What has withdrawn a review, in words."""


def show_log(args: Namespace, output: Output) -> Exit:
    """List the entries of the audit, the latest last; a chain that is broken gives exit 1."""
    if args.last is not None and args.last < 1:
        output.error(f"--last {args.last} lists nothing", "give a number from 1 on")
        return Exit.USAGE
    with command_store(output) as store:
        end = store.audit_end()
        links = store.audit()
        broken = broken_links(links, max(end, links[-1].number if links else 0))
        found = [link for link in links if args.run in (None, link.entry.get("run"))]
        if args.run is not None and not found:
            store.load(args.run)  # says when there is no such run
        most = args.last if args.last is not None else None if output.as_json else _MOST
        shown = found if most is None else found[max(0, len(found) - most) :]
        comments = _Comments(store)
        if output.as_json:
            output.data(Each(map(comments.json, shown)))
        elif shown:
            from .tables import listing

            output.table(listing(_COLUMNS, map(comments.cells, shown), output.data_stream.columns))
    if not shown and not output.as_json:
        output.narrate("nothing was decided yet" + (f" in run {args.run}" if args.run else ""))
    if len(shown) < len(found) and args.last is None:
        output.narrate(f"these are the last {_MOST} of {len(found):,} entries; --last N lists more")
    return _warned(output, [str(damage) for damage in broken])


def _warned(output: Output, broken: Sequence[str]) -> Exit:
    """Warn in one line where the chain is broken."""
    if not broken:
        return Exit.DONE
    more = f", and {len(broken) - 1:,} more" if len(broken) > 1 else ""
    output.narrate(f"warning: the audit is broken: {broken[0]}{more}; see `stepgraph doctor`")
    return Exit.FAILED


class _Comments:
    """Writes entries with their comments; what was declared secret since is hidden in it as well.

    Args:
        store: Where the runs are.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._masks = RunMasks(store)
        self._hiding: dict[tuple[str, bool], Callable[[str], str]] = {}

    def json(self, link: AuditEntry) -> dict[str, Any]:
        """Write an entry as JSON, in the parts that its hash is made of."""
        entry = {**link.entry}
        if entry.get("comment"):
            entry["comment"] = self._comment(link)
        return {"number": link.number, "entry": entry, "previous": link.previous, "hash": link.hash}

    def cells(self, link: AuditEntry) -> tuple[str, ...]:
        """Write an entry as a row of the table."""
        entry = link.entry
        at, verb, what = entry.get("at"), _text(entry.get("verb")), _text(entry.get("what"))
        names = (_text(entry.get(part)) for part in ("run", "node", "graph"))
        return (
            str(link.number),
            clock(at, zone=False) if isinstance(at, float) else "",
            _text(entry.get("by")),
            _text(entry.get("source")),
            _did(what, verb),
            _text(entry.get("review")),
            "; ".join(self._comment_lines(link)),
            *names,
        )

    def _comment_lines(self, link: AuditEntry) -> Iterator[str]:
        entry = link.entry
        if not entry or "unreadable" in entry:
            yield "it cannot be read"
        if _text(entry.get("what")) == "withdrawn":
            yield _WITHDRAWN.get(_text(entry.get("verb")), "")
        if edited := _texts(entry.get("edited")):
            yield f"changes {', '.join(edited)}"
        if runs := _texts(entry.get("runs")):
            yield f"the store was repaired, and lacks later rows of {', '.join(runs)}"
        if entry.get("comment"):
            yield self._comment(link)
        if entry.get("carried"):
            yield "(from before the audit)"

    def _comment(self, link: AuditEntry) -> str:
        run, is_carried = _text(link.entry.get("run")), bool(link.entry.get("carried"))
        if (run, is_carried) not in self._hiding:
            self._hiding[run, is_carried] = self._hider(run, is_carried)
        return self._hiding[run, is_carried](_text(link.entry.get("comment")))

    def _hider(self, run: str, is_carried: bool) -> Callable[[str], str]:
        try:
            return self._masks.of(self._store.load(run)).text
        except UnknownRun:  # its secrets were hidden when the entry was made, unless it is from before
            return (lambda _: MASK) if is_carried else str
        except StoreError:  # nobody knows what is secret in it
            return lambda _: MASK


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def log_options(parser: Parser) -> None:
    """Declare what ``approvals log`` takes."""
    parser.add_argument("--run", metavar="RUN", help="only what was decided in this run, deleted or not")
    parser.add_argument("--last", metavar="N", type=whole_number, help="only the last N entries")
    parser.set_defaults(command=show_log)


def _did(what: str, verb: str) -> str:
    if (what, verb) == ("timeout", "approve"):
        return "APPROVED UNSEEN"
    return verb if what == "decision" else what


_DECIDE = """\
stepgraph approvals decide ID [ID ...]
       (--approve | --edit | --reject | --respond TEXT) [--set KEY=VALUE]
       [--comment TEXT] [--as NAME] [--expect-hash HASH] [--continue [--trust]] [--store URL] [--json]"""


_RESPOND = (
    "answer the question; what a LangGraph interrupt() asked takes JSON: null, 42, '[1]', '\"42\"' for a text"
)


def show_approval(args: Namespace, output: Output) -> Exit:
    """Print everything about one review."""
    from .review_page import show

    with command_store(output) as store:
        show(output, store, args.review)
    return Exit.DONE


def decide(args: Namespace, output: Output) -> Exit:
    """Record a decision, the first of which wins, and continue the run where that is asked for."""
    if args.trust and not args.go_on:
        output.error("--trust is for --continue: a decision runs no code", "add --continue, or leave it out")
        return Exit.USAGE
    with command_store(output) as store:
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
        text = f"recorded: {shown.votes[-1].by} approves review {review.id}"
        output.narrate(f"{text}; {missing_text(decided, time.time())}")
        return []
    changes = changes_text(recorded)
    changed = f", {changes}" if changes else ""
    text = f"recorded: {recorded.verb} of review {review.id} by {recorded.by}{changed}"
    if workers_go_on(store, review.run_id):
        output.narrate(f"{text}; workers continue the run; see how it goes with:")
        output.suggest("runs", "show", review.run_id)
        return []
    if args.go_on:
        output.narrate(f"{text}; continuing run {review.run_id}")
        return [review.run_id]
    output.narrate(f"{text}; continue with:")
    output.suggest("resume", review.run_id)
    return []


def _tell_what(output: Output, review: SafeReview, edited: EditedQuestion | None, *, looked: bool) -> None:
    """Print in full what is approved when no hash was given, and ask for confirmation on a terminal.

    Raises:
        NotAllowed: It was not meant.
    """
    action = action_text(request_of(review)) or "no action is named"
    if not looked:
        output.narrate(f"asks:    {visible(review.request.prompt)}")
    if edited is not None:
        narrate_call(output, "asked:   ", action)
        narrate_call(output, "edited:  ", edited.action or edited.unknown or "no action is named")
    elif not looked:
        narrate_call(output, "action:  ", action)
    if not looked and can_ask() and not output.as_json and not says_yes(output, "Approve it?"):
        raise NotAllowed("nothing was decided", hint="the review still waits")


def _edited(store: StateStore, review: Review, decision: Decision) -> EditedQuestion | None:
    """Write what is asked with an edit made; None for other decisions, and for what will be refused."""
    if decision.verb != "edit" or review.status != "pending":
        return None
    try:
        run = open_run(store, review.run_id)
        return EditedQuestion.of(ReviewStory.of(review, run), decision)
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
