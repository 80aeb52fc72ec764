"""The keys of the screens that list something: home, the runs, the inbox."""

from __future__ import annotations

from .command import Command, context, in_list

HOME = context(
    "home",
    "Home",
    *in_list("home", "entry"),
    Command("home.enter", "enter,ctrl+j", "choose", "Open", "Open the graph or the run", footer=1),
    Command("home.new", "a", "new", "New", "Make a new graph file", footer=2),
    Command("home.open", "o,ctrl+o", "open_path", "Open path", "Open a graph file by its path", footer=3),
    Command(
        "home.continue",
        "c",
        "continue",
        "Continue",
        "Continue all decided runs in the background; lists them first",
        footer=2,
    ),
    Command("home.runs", "R", "app.runs", "Runs", "List all runs of the store", footer=4),
    Command(
        "home.forget", "x", "forget", "Forget", "Remove the graph from this list; its file stays", footer=4
    ),
    Command(
        "home.filter", "slash", "filter", "Filter", "Show only the entries that contain a text", footer=5
    ),
    Command("home.back", "escape", "back", "Back", "Show all entries again", palette=False),
    Command("home.quit", "q", "quit", "Quit", "Leave Stepgraph", footer=6),
    help="Home",
)

RUNS = context(
    "runs",
    "Runs",
    *in_list("runs", "run"),
    Command("runs.fold", "h,left", "fold", "Fold", "Fold the forks, or go to the origin", palette=False),
    Command(
        "runs.unfold", "l,right", "unfold", "Unfold", "Unfold the forks, or go to the first", palette=False
    ),
    Command("runs.open", "enter,ctrl+j", "open", "Open", "Open the run in Debug", footer=1),
    Command("runs.mark", "space", "mark", "Mark", "Mark the run, or take its mark away", footer=6),
    Command(
        "runs.compare",
        "equals_sign",
        "run.compare",
        "Compare",
        "Show where two marked runs part; with one mark, that run and this one",
        footer=5,
    ),
    Command(
        "runs.resume", "c,f5", "run.resume", "Continue", "Continue the run in Debug; asks first", footer=2
    ),
    Command(
        "runs.retry", "r", "run.retry", "Retry", "Try what has failed again, in Debug; asks first", footer=2
    ),
    Command("runs.fork", "f", "run.fork", "Fork", "Make a new run from a step of this one", footer=7),
    Command("runs.stop", "X", "run.stop", "End run", "End the run where it stands; asks first", footer=9),
    Command(
        "runs.delete",
        "d,delete",
        "run.delete",
        "Delete",
        "Delete the run; asks first",
        footer=8,
    ),
    Command("runs.sort", "s", "sort", "Sort", "Sort by something else", footer=4),
    Command(
        "runs.filter",
        "slash",
        "filter",
        "Filter",
        "Show only runs that contain a text; also status:, graph: and node:",
        footer=3,
    ),
    Command("runs.export", "f3", "run.export", "Export", "Write the run in other formats"),
    Command("runs.copy", "y", "run.copy", "Copy", "Copy the id of the run"),
    Command(
        "runs.copy_command", "Y", "run.copy_command", "Copy command", "Copy the command that shows the run"
    ),
    Command(
        "runs.back",
        "escape",
        "back",
        "Back",
        "Leave the filter, show all runs, take the marks away",
        palette=False,
    ),
    Command("runs.close", "q", "close", "Close", "Close the list of runs", footer=10),
    help="Runs",
)

INBOX = context(
    "inbox",
    "Inbox",
    *in_list("inbox", "review"),
    Command("inbox.fold", "h,left", "fold(True)", "Fold", "Fold reviews that ask the same", palette=False),
    Command(
        "inbox.unfold",
        "l,right",
        "fold(False)",
        "Unfold",
        "Show each of the reviews that ask the same",
        palette=False,
    ),
    Command(
        "inbox.open",
        "enter,ctrl+j",
        "open",
        "Open",
        "Open the review, unfold a group; with marks: decide the marked ones together",
        footer=1,
    ),
    Command("inbox.mark", "space", "mark", "Mark", "Mark the review, or take its mark away", footer=2),
    Command(
        "inbox.mark_all", "asterisk", "mark_all", "Mark all", "Mark all that is listed, or nothing", footer=7
    ),
    Command("inbox.pending", "1", "turn('pending')", "Pending", "List the reviews that wait"),
    Command("inbox.decided", "2", "turn('decided')", "Decided", "List the reviews that were decided"),
    Command(
        "inbox.expired", "3", "turn('expired')", "Expired", "List the reviews that nobody decided in time"
    ),
    Command(
        "inbox.broken", "4", "turn('broken')", "Broken", "List the reviews that cannot be decided, and why"
    ),
    Command(
        "inbox.continue",
        "c",
        "continue",
        "Continue",
        "Continue all decided runs in the background; lists them first",
        footer=2,
    ),
    Command(
        "inbox.resume",
        "f5",
        "resume",
        "In Debug",
        "Continue the run of a decided review in Debug; asks first",
        footer=6,
    ),
    Command(
        "inbox.runs",
        "R",
        "app.runs",
        "Runs",
        "List all runs, with the cursor on the run of the review",
        footer=9,
    ),
    Command("inbox.sort", "s", "sort", "Sort", "Sort by deadline, risk or age", footer=4),
    Command(
        "inbox.filter",
        "slash",
        "filter",
        "Filter",
        "Show only reviews with a text; also graph: node: run: risk: age: and mine",
        footer=3,
    ),
    Command("inbox.copy", "y", "copy", "Copy", "Copy the id of the review", footer=8),
    Command(
        "inbox.copy_command", "Y", "copy_command", "Copy command", "Copy the command that shows the review"
    ),
    Command(
        "inbox.back",
        "escape",
        "back",
        "Back",
        "Leave the filter, show all reviews, take the marks away, close the inbox",
        palette=False,
    ),
    Command("inbox.close", "q", "close", "Close", "Close the inbox", footer=5),
    help="Inbox",
)
"""The reviews of all runs. No key here decides anything."""
