"""One declaration for a key: what binds it, and what footer, help, palette and README say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from textual.actions import parse
from textual.binding import Binding, BindingType

from .names import key_names

Context = Literal[
    "app", "workbench", "debug", "design", "edit", "graph", "state", "why", "node", "trace", "problems",
    "log", "approval", "home", "form", "choice", "declared", "list", "pick", "find", "confirm",
    "conflict", "draft", "unsaved", "tried",
]  # fmt: skip
"""Where a command holds. ``graph`` to ``log`` are panes of the workbench, ``debug`` and ``design`` its
modes, ``edit`` the graph while it is designed. ``list`` is any dialog that only shows something, ``find``
the field of a search, ``choice`` a field of a form, ``declared`` the list of state keys or tools, ``pick``
a field above a list of what can be taken. ``confirm`` is a question of yes or no; ``conflict``, ``draft`` and
``unsaved`` are questions with more answers: what is to become of a file that changed on disk, of a draft that
was left, of edits when a graph is closed. ``tried`` is what came of trying a node."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a key does."""

    id: str
    """Stable: settings re-map keys by it. Its context, a dot and a name."""
    keys: str
    """Keys as Textual names them, with commas between; the first is the one that people are told."""
    action: str
    """The action of the widget or screen that binds it; ``run.step`` is that of a controller of the screen,
    which Textual is told as ``do('run.step')``."""
    label: str
    """One or two words, for the footer."""
    tooltip: str
    """One sentence without a full stop, for help, palette and README."""
    footer: int = 0
    """Its rank in the footer, from 1; 0 for a key that is not named there."""
    palette: bool = True
    """Whether the palette offers it."""
    priority: bool = False
    """Whether it holds before anything that has the focus: quit and the palette alone."""

    @property
    def context(self) -> str:
        """Where it holds."""
        return self.id.partition(".")[0]

    @property
    def key(self) -> str:
        """The key that people are told, as they write it."""
        return key_names(self.keys)[0]

    def binding(self) -> Binding:
        """What Textual is told; the keys can be re-mapped by the command's id."""
        return Binding(
            self.keys,
            f"do({self.action!r})" if parse(self.action)[0] else self.action,
            self.label,
            show=self.footer > 0,
            tooltip=self.tooltip,
            id=self.id,
            priority=self.priority,
        )


def bindings(commands: Sequence[Command]) -> list[BindingType]:
    """The ``BINDINGS`` of the widget or screen that has these commands."""
    return [command.binding() for command in commands]
