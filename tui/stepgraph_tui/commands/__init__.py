"""The keys, each declared once in ``table.toml``, the source of help, footer, menus and palette."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.binding import BindingType

from .command import THEN, UNBOUND, Command, Context

__all__ = [
    "COMMANDS",
    "CONTEXTS",
    "PREFIXES",
    "Command",
    "Context",
    "bindings",
    "dialog_bindings",
    "of_the_app",
]

_LISTED = {
    "down": ("j,down", "to('next')", "Down", "Go to the next {}"),
    "up": ("k,up", "to('previous')", "Up", "Go to the previous {}"),
    "page_down": ("pagedown", "to('page_down')", "Page down", "Go down a page"),
    "page_up": ("pageup", "to('page_up')", "Page up", "Go up a page"),
    "half_down": ("ctrl+d", "to('half_down')", "Half down", "Go down half a page"),
    "half_up": ("ctrl+u", "to('half_up')", "Half up", "Go up half a page"),
    "first": ("g g,home", "to('first')", "First", "Go to the first {}"),
    "last": ("G,end", "to('last')", "Last", "Go to the last {}"),
}
_SCROLLED = {
    "down": ("j,down", "scroll('down')", "Down", "Scroll down"),
    "up": ("k,up", "scroll('up')", "Up", "Scroll up"),
    "page_down": ("pagedown", "scroll('page_down')", "Page down", "Scroll a page down"),
    "page_up": ("pageup", "scroll('page_up')", "Page up", "Scroll a page up"),
    "half_down": ("ctrl+d", "scroll('half_down')", "Half down", "Scroll half a page down"),
    "half_up": ("ctrl+u", "scroll('half_up')", "Half up", "Scroll half a page up"),
    "top": ("g g,home", "scroll('top')", "Top", "Scroll to the top"),
    "bottom": ("G,end", "scroll('bottom')", "Bottom", "Scroll to the bottom"),
}


def _context(name: str, table: Mapping[str, Any]) -> Context:
    both = (tuple(_commands(name, table.get(key, ()))) for key in ("commands", "sometimes"))
    return Context(name, table["heading"], table.get("help", "This pane"), *both)


def _commands(context: str, rows: Iterable[str | list[Any]]) -> Iterator[Command]:
    """Read the rows of a context; a text stands for the keys of a list, or for those that scroll."""
    for row in rows:
        if isinstance(row, list):
            name, keys, action, label, tooltip, *more = row
            yield Command(
                f"{context}.{name}",
                keys.replace(" ", THEN) or f"{UNBOUND}{label}",
                action,
                label,
                tooltip,
                footer=next((each for each in more if isinstance(each, int)), 0),
                palette="hidden" not in more and "moves" not in more,
                priority="priority" in more,
                moves="moves" in more,
            )
            continue
        kind, *words = row.split()
        ways, noun = (_LISTED, words.pop(0)) if kind == "list" else (_SCROLLED, "")
        for name in words or ways:
            keys, action, label, tooltip = ways[name]
            keys, named = keys.replace(" ", THEN), tooltip.format(noun)
            yield Command(f"{context}.{name}", keys, action, label, named, palette=False, moves=True)


_TABLE = tomllib.loads(Path(__file__).with_name("table.toml").read_text(encoding="utf-8"))

CONTEXTS: dict[str, Context] = {name: _context(name, table) for name, table in _TABLE.items()}
"""All contexts by their names, in the order in which help lists them."""

COMMANDS: dict[str, Command] = {
    command.id: command
    for context in CONTEXTS.values()
    for command in (*context.commands, *context.sometimes)
}
"""All commands by their ids."""

PREFIXES = {command.keys: command for command in CONTEXTS["app"] if command.action.startswith("begin(")}
"""What first keys of two lead to, by these keys, as Textual names them."""


def bindings(*parts: str | Command) -> list[BindingType]:
    """Build the ``BINDINGS`` of a widget or screen.

    Args:
        *parts: Its commands: names of contexts, such as ``debug``, ids such as ``form.editor``, commands.
    """
    return [command.binding() for part in parts for command in _of(part)]


def dialog_bindings(*parts: str | Command) -> list[BindingType]:
    """Build the ``BINDINGS`` of a dialog: its own commands, and the app's, which Textual keeps from it.

    These are the help, and the first keys of what takes two keys.
    """
    own = [command for part in parts for command in _of(part)]
    begun = {first for command in own for first in command.prefixes}
    outer = [COMMANDS["app.help"], *(PREFIXES[key] for key in PREFIXES if key in begun)]
    return bindings(*own, *map(of_the_app, outer))


def of_the_app(command: Command) -> Command:
    """Prefix a command of the app, wherever it is bound."""
    return replace(command, action=f"app.{command.action}")


def _of(part: str | Command) -> Iterable[Command]:
    if isinstance(part, Command):
        return (part,)
    return (COMMANDS[part],) if "." in part else CONTEXTS[part].commands
