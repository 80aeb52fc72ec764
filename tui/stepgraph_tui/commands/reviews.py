"""The keys of the dialogs that decide reviews: one, or several at once."""

from __future__ import annotations

from .command import ENDS, LINES, PAGES, Command, context, scrolling

APPROVAL = context(
    "approval",
    "Approval",
    Command("approval.approve", "y", "decide('approve')", "Approve", "Approve, then confirm", footer=1),
    Command(
        "approval.edit",
        "e",
        "decide('edit')",
        "Edit & approve",
        "Change the editable values, then approve",
        footer=2,
    ),
    Command(
        "approval.reject", "n", "decide('reject')", "Reject", "Reject, with a comment that says why", footer=3
    ),
    Command(
        "approval.respond",
        "r",
        "decide('respond')",
        "Respond",
        "Answer the question in your own words",
        footer=4,
    ),
    Command("approval.comment", "c", "decide('comment')", "Comment", "Write a comment", footer=5),
    Command(
        "approval.details",
        "d",
        "turn_page('details')",
        "Details",
        "Show every argument and text in full",
        footer=6,
    ),
    Command(
        "approval.difference",
        "equals_sign",
        "turn_page('difference')",
        "Diff",
        "Show what changed since you last looked",
        footer=7,
    ),
    Command(
        "approval.earlier",
        "left_square_bracket",
        "walk(-1)",
        "Earlier",
        "In the diff: show what the previous step changed",
        footer=7,
        palette=False,
    ),
    Command(
        "approval.later_step",
        "right_square_bracket",
        "walk(1)",
        "Later",
        "In the diff: show what the next step changed",
        footer=7,
        palette=False,
    ),
    *scrolling("approval", *LINES, *PAGES, *ENDS),
    Command(
        "approval.previous",
        "less_than_sign",
        "turn_to(-1)",
        "Previous",
        "Go to the previous waiting review",
    ),
    Command("approval.next", "greater_than_sign", "turn_to(1)", "Next", "Go to the next waiting review"),
    Command(
        "approval.inbox", "A", "inbox", "Inbox", "Close, and list the reviews of all runs", palette=False
    ),
    Command(
        "approval.later", "escape,q,ctrl+c", "later", "Later", "Close, and leave the review waiting", footer=8
    ),
    help="This review",
)

BULK = context(
    "bulk",
    "Several reviews at once",
    Command(
        "bulk.approve", "y", "decide('approve')", "Approve all", "Approve all of them, then confirm", footer=1
    ),
    Command(
        "bulk.reject", "n", "decide('reject')", "Reject all", "Reject all of them, with one reason", footer=2
    ),
    *scrolling("bulk", *LINES, *PAGES, *ENDS),
    Command(
        "bulk.later", "escape,q,ctrl+c", "later", "Later", "Close, and leave all of them waiting", footer=3
    ),
    help="This dialog",
)
"""Reviews that are decided together."""
