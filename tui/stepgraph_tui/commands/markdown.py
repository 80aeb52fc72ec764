"""The keys as a page of Markdown, for the README."""

from __future__ import annotations

from collections.abc import Iterator

from . import COMMANDS
from .command import Command
from .names import key_names

HEADINGS = {
    "home": "Home",
    "debug": "Debug, in every pane",
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
    "form": "Forms",
    "list": "Dialogs that show something",
    "app": "Everywhere",
}
"""The contexts in the order in which they are told."""


def keys_as_markdown() -> str:
    """A table for each context."""
    return "\n".join(line for context in HEADINGS for line in _table(context))


def _table(context: str) -> Iterator[str]:
    yield from (f"**{HEADINGS[context]}**", "", "| Key | What it does |", "| :-- | :-- |")
    for command in COMMANDS.values():
        if command.context == context:
            yield f"| {_keys(command)} | {command.tooltip} |"
    yield ""


def _keys(command: Command) -> str:
    return " ".join(f"`{key}`" for key in key_names(command.keys))
