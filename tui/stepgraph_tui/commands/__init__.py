"""The keys, each declared once; bindings, footer, help, palette and README are made from this table."""

from __future__ import annotations

from .command import Command, Context, bindings
from .debug import DEBUG
from .design import DESIGN, EDIT
from .dialogs import (
    APPROVAL,
    CHOICE,
    CONFIRM,
    CONFLICT,
    DECLARED,
    DRAFT,
    FIND,
    FORM,
    FORM_TEXT,
    HOME,
    LIST,
    PICK,
    PICK_PATH,
    TRIED,
    UNSAVED,
)
from .everywhere import APP, WORKBENCH
from .graph import GRAPH
from .panes import LOG, NODE, PROBLEMS, STATE, TRACE, WHY

__all__ = [
    "APP",
    "APPROVAL",
    "CHOICE",
    "COMMANDS",
    "CONFIRM",
    "CONFLICT",
    "DEBUG",
    "DECLARED",
    "DESIGN",
    "DRAFT",
    "EDIT",
    "FIND",
    "FORM",
    "FORM_TEXT",
    "GRAPH",
    "HOME",
    "LIST",
    "LOG",
    "NODE",
    "PICK",
    "PICK_PATH",
    "PROBLEMS",
    "STATE",
    "TRACE",
    "TRIED",
    "UNSAVED",
    "WHY",
    "WORKBENCH",
    "Command",
    "Context",
    "bindings",
]

COMMANDS: dict[str, Command] = {
    command.id: command
    for commands in (
        APP, WORKBENCH, DEBUG, DESIGN, EDIT, GRAPH, STATE, WHY, NODE, TRACE, PROBLEMS, LOG, APPROVAL, HOME,
        FORM, FORM_TEXT, CHOICE, DECLARED, LIST, PICK, PICK_PATH, FIND, CONFIRM, CONFLICT, DRAFT, UNSAVED,
        TRIED,
    )
    for command in commands
}  # fmt: skip
"""All commands by their ids."""
