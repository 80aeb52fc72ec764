"""The keys, each declared once; bindings, footer, help, palette, KEYS.md and hints are made from this table.

A context is declared in one of the modules that ``CONTEXTS`` names, and nowhere else: it can be imported from
here, and is in ``CONTEXTS``, by being declared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from textual.binding import BindingType

from . import command, dialogs, panes, reviews, screens, workbench
from .command import *  # noqa: F403 - as below
from .command import Command, Context, bindings
from .dialogs import *  # noqa: F403 - a list of all contexts would be a second place to declare them
from .panes import *  # noqa: F403 - as above
from .reviews import *  # noqa: F403 - as above
from .screens import *  # noqa: F403 - as above
from .workbench import *  # noqa: F403 - as above

__all__ = ["COMMANDS", "CONTEXTS", "Command", "Context", "bindings", "dialog_bindings"]  # and the contexts

CONTEXTS: dict[str, Context] = {
    context.name: context
    for module in (screens, workbench, panes, reviews, dialogs, command)
    for context in vars(module).values()
    if isinstance(context, Context)
}
"""All contexts by their names, in the order in which people are told of them."""

COMMANDS: dict[str, Command] = {
    command.id: command
    for context in CONTEXTS.values()
    for command in (*context.commands, *context.sometimes)
}
"""All commands by their ids."""


def dialog_bindings(commands: Iterable[Command]) -> list[BindingType]:
    """Make the ``BINDINGS`` of a dialog: its own commands, and the help, which Textual keeps from dialogs."""
    help_ = COMMANDS["app.help"]
    return bindings((*commands, replace(help_, action=f"app.{help_.action}")))
