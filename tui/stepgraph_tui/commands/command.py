"""A command: what binds its key, and what footer, help, palette and KEYS.md say of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from textual.actions import parse
from textual.binding import Binding
from textual.keys import REPLACED_KEYS, key_to_character

_NAMED = {
    "backspace": "Backspace",
    "delete": "Del",
    "down": "↓",
    "end": "End",
    "enter": "Enter",
    "escape": "Esc",
    "home": "Home",
    "insert": "Ins",
    "left": "←",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "right": "→",
    "space": "Space",
    "tab": "Tab",
    "up": "↑",
}


THEN = ">"
"""Stands between two keys that are pressed one after the other: ``g>i`` is one key to Textual's bindings. No
terminal sends it: the app makes it of the two."""
UNBOUND = f"palette{THEN}"
"""What the key of a command begins with that the palette alone has; its label follows."""


@cache
def key_name(key: str) -> str:
    """Name one key, given as Textual names it (``left_square_bracket``), or two (``g>i``: ``gi``)."""
    if key.startswith(UNBOUND):
        return f":{key.removeprefix(UNBOUND)}"
    if THEN in key:
        names = list(map(key_name, key.split(THEN)))
        return ("" if all(len(name) == 1 for name in names) else " ").join(names)
    modifiers, plus, bare = key.rpartition("+")
    if plus:
        return f"{modifiers}+{bare if bare in _NAMED and bare.isalpha() else _bare(bare)}"
    return _bare(key)


def _bare(key: str) -> str:
    if key in _NAMED:
        return _NAMED[key]
    if key[0] == "f" and key[1:].isdigit():
        return key.upper()
    return character_of(key) or key


@cache
def character_of(key: str) -> str | None:
    """Return what a key, or the first of two, types into a text field; None for keys that type nothing."""
    key = key.partition(THEN)[0]
    return key_to_character(REPLACED_KEYS.get(key, key))


def key_names(keys: str) -> list[str]:
    """Name several keys, given with commas between them as in the table."""
    return [key_name(key.strip()) for key in keys.split(",")]


FIRST = -1
"""The rank of the key that the moment asks for: it is first in the footer, however narrow that is."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a command does: in a word or two, and in a sentence."""

    label: str
    tooltip: str
    footer: int | None = None
    """Its rank in the footer, where that is another one than usually; below 0 for what comes before all."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a key does."""

    id: str
    """Stable: settings re-map keys by it. Its context, a dot and a name."""
    keys: str
    """Keys as Textual names them, with commas between; the first is the one that people see."""
    action: str
    """The action of the widget or screen that binds it; ``run.step`` is that of a controller of the screen,
    which Textual gets as ``do('run.step')``, and ``app.help`` that of the app."""
    label: str
    """One or two words, for the footer."""
    tooltip: str
    """One sentence without a full stop, for help, palette and the docs."""
    footer: int = 0
    """Its rank in the footer, from 1; 0 for a key that is not named there."""
    palette: bool = True
    """Whether the palette offers it."""
    priority: bool = False
    """Whether it holds before anything that has the focus: quit and the palette alone."""
    moves: bool = False
    """Whether it only moves, in the same way as everywhere: help lists that once."""

    @property
    def prefixes(self) -> set[str]:
        """The first keys of its keys that are two."""
        return {key.partition(THEN)[0] for key in self.keys.split(",") if THEN in key}

    @property
    def context(self) -> str:
        """Where it holds: the name of a context."""
        return self.id.partition(".")[0]

    @property
    def key(self) -> str:
        """The key that people see, as they write it."""
        return key_names(self.keys)[0]

    @property
    def wording(self) -> Wording:
        """What it is mostly called."""
        return Wording(self.label, self.tooltip)

    def renamed(self, label: str) -> Wording:
        """Return the same under another name."""
        return Wording(label, self.tooltip)

    def first(self, label: str = "") -> Wording:
        """Return what the moment asks for: first in the footer, perhaps under another name."""
        return Wording(label or self.label, self.tooltip, FIRST)

    def binding(self) -> Binding:
        """Convert it to Textual's Binding; the keys can be re-mapped by the command's id."""
        return Binding(
            self.keys,
            self.action if parse(self.action)[0] in ("", "app") else f"do({self.action!r})",
            self.label,
            show=self.footer > 0,
            tooltip=self.tooltip,
            id=self.id,
            priority=self.priority,
        )


@dataclass(frozen=True, slots=True)
class Context:
    """A place where commands hold: a pane, a mode, a kind of dialog. Iterating gives its commands."""

    name: str
    """What the ids of its commands begin with."""
    heading: str
    """What KEYS.md calls it."""
    help: str
    """What the help calls it."""
    commands: tuple[Command, ...]
    sometimes: tuple[Command, ...]
    """More commands, which only some widgets of this kind have."""

    def __iter__(self) -> Iterator[Command]:
        return iter(self.commands)
