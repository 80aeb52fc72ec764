"""One declaration for a key: what binds it, and what footer, help, palette and KEYS.md say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from textual.actions import parse
from textual.binding import Binding, BindingType
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


def key_name(key: str) -> str:
    """Name one key, given as Textual names it (``left_square_bracket``)."""
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


def character_of(key: str) -> str | None:
    """Return what a key types into a text field; None for keys that type nothing."""
    return key_to_character(REPLACED_KEYS.get(key, key))


def key_names(keys: str) -> list[str]:
    """Name several keys, given with commas between them as in the table."""
    return [key_name(key.strip()) for key in keys.split(",")]


HelpHeading = Literal[
    "Debug", "This pane", "This search", "This question", "This review", "This form", "This dialog",
    "Home", "Runs", "Inbox", "Workbench", "Everywhere",
]  # fmt: skip
"""The groups of the help, in their order: the keys of a mode are what somebody asks for first."""


FIRST = -1
"""The rank of the key that the moment asks for: it stands first in the footer, however narrow that is."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a command does: in a word or two, and in a sentence."""

    label: str
    tooltip: str
    footer: int | None = None
    """Its rank in the footer, where that is another one than usually; FIRST for what the moment asks for."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a key does."""

    id: str
    """Stable: settings re-map keys by it. Its context, a dot and a name."""
    keys: str
    """Keys as Textual names them, with commas between; the first is the one that people are told."""
    action: str
    """The action of the widget or screen that binds it; ``run.step`` is that of a controller of the screen,
    which Textual is told as ``do('run.step')``, and ``app.help`` that of the app."""
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

    @property
    def context(self) -> str:
        """Where it holds: the name of a context."""
        return self.id.partition(".")[0]

    @property
    def key(self) -> str:
        """The key that people are told, as they write it."""
        return key_names(self.keys)[0]

    @property
    def wording(self) -> Wording:
        """What it is mostly called."""
        return Wording(self.label, self.tooltip)

    def now(self, *, wanted: bool, label: str = "") -> Wording:
        """Return what it is called now: first in the footer, perhaps by another name, where it is wanted."""
        return Wording(label or self.label, self.tooltip, FIRST) if wanted else self.wording

    def binding(self) -> Binding:
        """Make what Textual is told; the keys can be re-mapped by the command's id."""
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
    commands: tuple[Command, ...]
    sometimes: tuple[Command, ...]
    """More commands, which only some widgets of this kind have."""
    help: HelpHeading
    """What the help calls it."""

    def __iter__(self) -> Iterator[Command]:
        return iter(self.commands)


def context(
    name: str,
    heading: str,
    *commands: Command,
    sometimes: tuple[Command, ...] = (),
    help: HelpHeading = "This pane",
) -> Context:
    """Declare a context; ``sometimes`` are commands that only some widgets of its kind have."""
    return Context(name, heading, commands, sometimes, help)


def bindings(commands: Iterable[Command]) -> list[BindingType]:
    """Make the ``BINDINGS`` of the widget or screen that has these commands."""
    return [command.binding() for command in commands]


APP = context(
    "app",
    "Everywhere",
    Command("app.help", "question_mark,f1", "help", "Keys", "Show the keys that work here", palette=True),
    Command("app.palette", "colon", "command_palette", "All", "Find any command by name", palette=False),
    Command(
        "app.palette_always",
        "ctrl+p",
        "command_palette",
        "All",
        "Find any command by name, even from a text field",
        palette=False,
        priority=True,
    ),
    Command("app.inbox", "A", "inbox", "Inbox", "List the reviews of all runs that wait for a person"),
    Command(
        "app.models",
        "f8",
        "models",
        "Models",
        "List the models that live runs may ask, with keys and prices; add one, test one",
    ),
    Command("app.log", "at", "command_log", "Command log", "Show what you did, as shell commands"),
    Command("app.quit", "ctrl+q", "quit", "Quit", "Leave Stepgraph, from anywhere", priority=True),
    help="Everywhere",
)


_MOVED = {
    "down": ("j,down", "next", "Down", "Go to the next {}"),
    "up": ("k,up", "previous", "Up", "Go to the previous {}"),
    "page_down": ("pagedown", "page_down", "Page down", "Go down a page"),
    "page_up": ("pageup", "page_up", "Page up", "Go up a page"),
    "first": ("g,home", "first", "First", "Go to the first {}"),
    "last": ("G,end", "last", "Last", "Go to the last {}"),
}
LINES, PAGES, ENDS = ("down", "up"), ("page_down", "page_up"), ("top", "bottom")


def in_list(context: str, noun: str, *names: str) -> tuple[Command, ...]:
    """Give a list the keys that move its cursor.

    Args:
        context: What has the keys.
        noun: What the list calls an entry.
        *names: Which of them: ``LINES``, ``PAGES``; all of them, those to its ends too, unless any is named.
    """
    return tuple(
        Command(f"{context}.{name}", keys, f"to('{way}')", label, tooltip.format(noun), palette=False)
        for name, (keys, way, label, tooltip) in ((name, _MOVED[name]) for name in names or _MOVED)
    )


_SCROLLED = {
    "down": ("j,down", "Down", "Scroll down"),
    "up": ("k,up", "Up", "Scroll up"),
    "page_down": ("pagedown", "Page down", "Scroll a page down"),
    "page_up": ("pageup", "Page up", "Scroll a page up"),
    "top": ("g", "Top", "Scroll to the top"),
    "bottom": ("G", "Bottom", "Scroll to the bottom"),
}


def scrolling(context: str, *ways: str) -> tuple[Command, ...]:
    """Give a dialog the keys that scroll what it shows.

    Args:
        context: What has the keys.
        *ways: Which of them: ``LINES``, ``PAGES``, ``ENDS``.
    """
    return tuple(
        Command(f"{context}.{way}", keys, f"scroll('{way}')", label, tooltip, palette=False)
        for way, (keys, label, tooltip) in ((way, _SCROLLED[way]) for way in ways)
    )
