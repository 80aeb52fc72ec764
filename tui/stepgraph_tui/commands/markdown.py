"""The keys as Markdown: the page KEYS.md, and single tables for the README."""

from __future__ import annotations

from collections.abc import Iterator

from . import COMMANDS
from .command import Command
from .names import key_names

HEADINGS = {
    "home": "Home",
    "debug": "Debug, in every pane",
    "design": "Design, in every pane",
    "edit": "Design, in the graph",
    "workbench": "Workbench, in every pane",
    "graph": "Graph",
    "state": "State",
    "why": "Why",
    "node": "Node",
    "trace": "Trace",
    "problems": "Problems",
    "log": "Log",
    "approval": "Approval",
    "find": "Search field",
    "confirm": "Questions",
    "conflict": "A file that changed on disk",
    "draft": "A draft that was left",
    "unsaved": "Closing with edits",
    "form": "Forms",
    "choice": "Forms, where some words can be chosen",
    "declared": "Lists of state keys and tools",
    "pick": "Lists to pick from",
    "list": "Dialogs that show something",
    "tried": "What came of trying a node",
    "app": "Everywhere",
}
"""The contexts in the order in which they are told."""


_PREFACE = """\
# The keys

Each key is declared once in the app, and this page, the footer, the help (`?`) and the command palette (`:`)
are made from that. The settings file gives commands other keys by their ids; `stepgraph doctor` says where
it is.
"""


def keys_as_markdown() -> str:
    """The whole page: a table for each context."""
    tables = (f"## {HEADINGS[context]}\n\n{table(context)}" for context in HEADINGS)
    return "\n".join((_PREFACE, *tables))


def table(context: str) -> str:
    """The keys of one context."""
    return "".join(f"{line}\n" for line in _lines(context))


def _lines(context: str) -> Iterator[str]:
    yield from ("| Key | What it does | Id |", "| :-- | :-- | :-- |")
    for command in COMMANDS.values():
        if command.context == context:
            yield f"| {_keys(command)} | {command.tooltip} | `{command.id}` |"


def _keys(command: Command) -> str:
    return " ".join(f"`{key}`" for key in key_names(command.keys))
