"""The codes of errors around runs: of reading and trusting graphs, of stores, and of reviews."""

from __future__ import annotations

from .code import Code

CODES: dict[str, Code] = {
    "E000": Code(
        "Something that was asked for cannot be done",
        "The error has no family of its own; its message says what happened and its hint what to do next.",
    ),
    "E001": Code(
        "A condition does not parse",
        "The text of a condition uses what conditions do not have; the caret points to it. In a graph it is "
        "reported as G016.",
        "when = 'category == \"billing\"'",
    ),
    "E002": Code(
        "The graph has errors",
        "compile() found problems, and lists every one of them with a code of its own.",
        "stepgraph check FILE",
    ),
    "E003": Code(
        "The graph file cannot be read or written",
        "It is missing, unreadable, beyond a limit or not TOML; its problems, with codes from F001, say "
        "where.",
        "stepgraph check FILE",
    ),
    "E004": Code(
        "The graph names Python code that nobody has trusted",
        "Running a graph runs the Python code that it names. Look at the files in the message; then trust "
        "them once. A change of the graph or of these files asks again.",
        "stepgraph run FILE --trust",
    ),
    "E005": Code(
        "A condition does not fit the state",
        "While the edges of a node were tried, a condition met a value that it cannot work with: a key that "
        "is not there, a number compared with text. The run keeps its step; after a repair `retry` tries the "
        "edges again.",
        "when = 'category is not None and category == \"billing\"'",
    ),
    "E006": Code(
        "A handler cannot be imported or called",
        "The module or the function that the graph names is not there, or importing it fails.",
        'handler = "refund_tools:lookup_order"   # refund_tools.py beside the graph file',
    ),
    "S001": Code(
        "The store cannot be used",
        "The database of runs cannot be opened, read or written: permissions, a full disk, a damaged file, "
        "or one of a newer version.",
        "stepgraph doctor",
    ),
    "S002": Code(
        "Another process has moved the run on",
        "Two processes drove the same run and the other one was first; nothing was changed here. Load the "
        "run anew to see where it is.",
        "stepgraph runs show RUN",
    ),
    "S003": Code("There is no such run", "The store has no run of that id.", "stepgraph runs"),
    "S004": Code(
        "There is a run of that id already",
        "An id names one run for ever. Choose another, or leave it out and get a new one.",
        "stepgraph run FILE",
    ),
    "V000": Code(
        "A decision was refused",
        "The decision does not fit the review, and nothing was recorded; the message says why.",
        "stepgraph approvals show ID",
    ),
    "V001": Code(
        "The review was decided before",
        "A review is decided once. The message says who decided, when, and what.",
        "stepgraph approvals show ID",
    ),
    "V002": Code(
        "There is no such review",
        "No review has that id, or the run never asked for one.",
        "stepgraph approvals",
    ),
    "V003": Code(
        "The review is not the one that was looked at",
        "What is asked has changed since it was shown, so the decision was not recorded. Look again and "
        "decide anew.",
        "stepgraph approvals show ID",
    ),
    "V004": Code(
        "The review does not offer that",
        "Each review lists what may be decided and which values may be edited, with their types.",
        "stepgraph approvals show ID",
    ),
}
