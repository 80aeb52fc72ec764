"""``stepgraph approvals``: the lists of the inbox, filtered, sorted, grouped."""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import TYPE_CHECKING, Any

from stepgraph.reviews import ORDERS, POSSIBLE, InboxFilter, ReviewGroup, deadline_of, grouped
from stepgraph_tui.text.inbox import (
    MOST_PAST,
    STATES,
    BrokenReview,
    InboxLists,
    InboxReader,
    act_text,
    deadline_text,
    due_text,
    outcome_text,
)
from stepgraph_tui.text.plain import since
from stepgraph_tui.text.reviews import clock_text, review_json
from stepgraph_tui.text.run_list import DAMAGED
from stepgraph_tui.view.reviews import in_list

from .acting import acting_name, add_name
from .exits import Exit
from .parser import Parser
from .runs import damage_json, tell_damages
from .stored import command_store, workers_go_on

if TYPE_CHECKING:
    from stepgraph.reviews import Review
    from stepgraph.stores import StateStore

    from .output import Output
    from .tables import Fit

_TOLD = 5
"""Groups whose reviews are all named below the list."""


def list_approvals(args: Namespace, output: Output) -> Exit:
    """List what waits, or what does no more: as the inbox of the app does."""
    asked = InboxFilter.parse(args.filter)
    with command_store(output) as store:
        lists = InboxReader(store).read(past=args.state != "pending")
        tell_due(output, store, lists.due)
    if args.state == "broken":
        return _list_broken(output, lists.broken)
    found = asked.choose(lists.of(args.state), time.time(), acting_name(args.name))
    if args.state == "pending":
        order = next(order for order in ORDERS if order.name == args.sort)
        found.sort(key=lambda listed: order.key(listed.review))
    groups = grouped(found) if args.state == "pending" else [(listed,) for listed in found]
    damages = [broken.damage for broken in lists.broken if broken.damage is not None]
    if output.as_json:
        output.data([*_data(groups), *(damage_json(damage, "run", store.url) for damage in damages)])
        return tell_damages(output, damages, store.url)
    _print(args, output, lists, groups)
    if remark := next(filter(None, (clock_text(listed.review, time.time()) for listed in found)), ""):
        output.narrate(f"note: {remark}")
    return tell_damages(output, damages, store.url) if args.state == "pending" else Exit.DONE


def tell_due(output: Output, store: StateStore, due: Iterable[Review]) -> None:
    """Print the reviews that deadlines have ended at this look, and how to go on with their runs."""
    for review in due:
        if workers_go_on(store, review.run_id):
            output.narrate(f"{due_text(review)}; workers continue with it")
        else:
            output.narrate(f"{due_text(review)}; continue with:")
            output.suggest("retry" if review.terms.on_timeout == "fail" else "resume", review.run_id)


def _print(args: Namespace, output: Output, lists: InboxLists, groups: Sequence[ReviewGroup]) -> None:
    from .tables import listing

    pending = args.state == "pending"
    damaged = [broken for broken in lists.broken if broken.damage is not None and pending]
    if not groups and not damaged:
        nothing = "nothing waits for you" if pending else f"nothing {args.state} yet"
        output.narrate(f"nothing matches {args.filter}" if args.filter else nothing)
    else:
        late = pending and any(deadline_of(group[0].review) != inf for group in groups)
        columns = _columns(pending=pending, late=late)
        rows = [*(_damaged_cells(broken, len(columns)) for broken in damaged), *_rows(groups, columns)]
        output.table(listing(columns, rows, output.data_stream.columns))
    if not pending and len(lists.of(args.state)) >= MOST_PAST:
        output.narrate(f"only the latest {MOST_PAST} are looked through")
    gone = sum(broken.damage is None for broken in lists.broken)
    if pending and gone:
        output.narrate(f"{gone:,} cannot go on, and {'is' if gone == 1 else 'are'} not listed; see why with:")
        output.suggest("approvals", "--state", "broken")
    _tell_ways_on(output, groups)


def _tell_ways_on(output: Output, groups: Sequence[ReviewGroup]) -> None:
    if not groups:
        return
    output.narrate("see one with:")
    output.suggest("approvals", "show", groups[0][0].review.id)
    for group in [group for group in groups if len(group) > 1][:_TOLD]:
        output.narrate(f"{len(group)} identical reviews; reject them all with:")
        ids = [listed.review.id for listed in group]
        output.suggest("approvals", "decide", *ids, "--reject", "--comment", "WHY")


def _data(groups: Sequence[ReviewGroup]) -> Iterator[dict[str, Any]]:
    """Write each review as JSON, with how many of those that are listed ask the very same."""
    for group in groups:
        for listed in group:
            yield review_json(in_list(listed)) | {"identical": len(group)}


def _columns(*, pending: bool, late: bool) -> list[tuple[str, Fit]]:
    """Name the columns: when it is too late, where any has a deadline; who decided what, of the past."""
    when: list[tuple[str, Fit]] = [("WAITING" if pending else "AGO", "keep")]
    if late:
        when.append(("DEADLINE", "keep"))
    if not pending:
        when += [("OUTCOME", "keep"), ("BY", "cut")]
    asked: list[tuple[str, Fit]] = [("NODE", "cut"), ("ASKS", "cut"), ("GRAPH", "cut"), ("RUN", "keep")]
    return [("REVIEW", "keep"), ("RISK", "keep"), *when, *asked]


def _rows(groups: Sequence[ReviewGroup], columns: Sequence[tuple[str, Fit]]) -> Iterator[list[str]]:
    now = time.time()
    for group in groups:
        reviews = [listed.review for listed in group]
        review, count = reviews[0], len(group)
        decision = review.decision
        cells = {
            "REVIEW": review.id,
            "RISK": review.request.risk,
            "WAITING": since(min(each.asked_at for each in reviews)),
            "AGO": since(decision.at if decision is not None else review.asked_at),
            "DEADLINE": deadline_text(reviews, now),
            "OUTCOME": outcome_text(review),
            "BY": decision.by if decision is not None else "",
            "NODE": review.node,
            "ASKS": f"x{count} {act_text(review)}" if count > 1 else act_text(review),
            "GRAPH": review.graph,
            "RUN": review.run_id if count == 1 else f"{count} runs",
        }
        yield [cells[title] for title, _ in columns]


def _damaged_cells(broken: BrokenReview, columns: int) -> list[str]:
    return [DAMAGED, *[""] * (columns - 4), broken.why, "", broken.run_id]


def _list_broken(output: Output, broken: Sequence[BrokenReview]) -> Exit:
    """List what cannot be decided, or could not go on, with why and what to do."""
    if output.as_json:
        output.data([_broken_json(output, each) for each in broken])
    elif not broken:
        output.narrate("nothing is broken")
    else:
        output.page([(each.run_id, each.why) for each in broken])
        for each in broken[:_TOLD]:
            output.narrate(f"{each.run_id}: {each.ways_on(output.command)}")
    return Exit.FAILED if broken else Exit.DONE


def _broken_json(output: Output, broken: BrokenReview) -> dict[str, Any]:
    listed = broken.review
    return {
        "run": broken.run_id,
        "status": "broken",
        "why": broken.why,
        "hint": broken.ways_on(output.command),
        "review": review_json(in_list(listed)) if listed is not None else None,
    }


def list_options(parser: Parser) -> None:
    """Declare what the list takes."""
    parser.set_defaults(command=list_approvals)
    parser.add_argument("--filter", default="", metavar="TEXT", help=POSSIBLE)
    orders = [order.name for order in ORDERS]
    parser.add_argument("--sort", choices=orders, default=orders[0], help="the order of what waits")
    parser.add_argument("--state", choices=STATES, default="pending", help="the status of the reviews")
    add_name(parser, "whom mine in a filter means")
