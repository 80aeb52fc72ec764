"""The keys, each declared once; bindings, footer, help, palette and README are made from this table."""

from __future__ import annotations

from .command import Command, Context, bindings
from .debug import DEBUG
from .dialogs import APPROVAL, CONFIRM, FIND, FORM, HOME, LIST
from .everywhere import APP, WORKBENCH
from .graph import GRAPH
from .panes import LOG, NODE, PROBLEMS, STATE, TRACE, WHY

__all__ = [
    "APP",
    "APPROVAL",
    "COMMANDS",
    "CONFIRM",
    "DEBUG",
    "FIND",
    "FORM",
    "GRAPH",
    "HOME",
    "LIST",
    "LOG",
    "NODE",
    "PROBLEMS",
    "STATE",
    "TRACE",
    "WHY",
    "WORKBENCH",
    "Command",
    "Context",
    "bindings",
]

COMMANDS: dict[str, Command] = {
    command.id: command
    for commands in (
        APP, WORKBENCH, DEBUG, GRAPH, STATE, WHY, NODE, TRACE, PROBLEMS, LOG, APPROVAL, HOME, FORM, LIST,
        FIND, CONFIRM,
    )
    for command in commands
}  # fmt: skip
"""All commands by their ids."""
