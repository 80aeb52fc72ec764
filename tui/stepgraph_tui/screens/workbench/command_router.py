"""Commands, handed to the controller that does them: what a key may do now, and what it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from textual.actions import parse

from ...commands import CONTEXTS
from ...commands.command import key_name
from ...widgets.graph_view import GraphPane

if TYPE_CHECKING:
    from ...commands import Command
    from .screen import Workbench


_NAMED = {
    "run": "steps",
    "start": "starter",
    "live": "live",
    "reviews": "reviews",
    "breaks": "breaks",
    "pauses": "pauses",
    "version": "definition",
    "loop": "loops",
    "design": "design",
    "forms": "forms",
    "graph": "edits",
    "file": "files",
    "fork": "forks",
    "export": "exports",
    "trial": "trials",
    "watches": "watches",
    "panes": "grid",
}
"""Where each controller is, by the name that its commands begin with."""

_IN_BOTH = frozenset({"run.stop"})
"""The commands of Debug that hold in Design as well: a module may be imported there, too."""
_IN_DEBUG = frozenset(command.action for command in CONTEXTS["debug"]) - _IN_BOTH
_OF_THE_GRAPH = frozenset(command.action for command in CONTEXTS["edit"])
_IN_DESIGN = _OF_THE_GRAPH | {command.action for command in CONTEXTS["design"]}
_LOOKS = frozenset({"design.problem(1)", "design.problem(-1)", "run.ask"})
"""The commands of Design that edit nothing."""
_EDITS = _IN_DESIGN - _LOOKS


class Controller(Protocol):
    """Does what keys ask for; ``do('run.step')`` calls ``action_step`` of the one that is called run."""

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Check whether a key works; False where it is not offered, a text that says why it does nothing."""


class CommandRouter:
    """Hands commands to the controllers of the workbench.

    Args:
        screen: Has the controllers, and knows the mode and the pane that has the keys.
    """

    def __init__(self, screen: Workbench) -> None:
        self._screen = screen
        context = screen.context
        self._hints, mapped = context.hints, context.settings.keys
        self._keys_of_other = {
            "design": ("Debug", _by_key(CONTEXTS["debug"], mapped)),
            "debug": ("Design", _by_key((*CONTEXTS["design"], *CONTEXTS["edit"]), mapped)),
        }

    def controller(self, name: str) -> Controller:
        """Find a controller by the name that commands have for it."""
        found: Controller = getattr(self._screen, _NAMED[name])
        return found

    def availability(self, command: str) -> bool | str:
        """Check whether a command works; False where it is not offered, a text that says why not."""
        screen = self._screen
        if command in (_IN_DEBUG if screen.design.is_on else _IN_DESIGN):
            return False
        if command in _OF_THE_GRAPH and not isinstance(screen.grid.pane, GraphPane):
            return False
        if command in _EDITS and screen.file.refusal:
            return screen.file.refusal
        name, verb, arguments = parse(command)
        return self.controller(name).availability(verb, *arguments)

    def do(self, command: str) -> None:
        """Run a controller's action: ``run.view(-1)`` is ``action_view(-1)`` of the run's."""
        name, verb, arguments = parse(command)
        talk = getattr(self.controller(name), f"action_{verb}")(*arguments)
        if talk is not None:  # it asks people
            self._screen.begin(talk)

    def in_other_mode(self, key: str) -> str | None:
        """Describe what a key would do in the other mode; None where it does nothing there, either."""
        mode, keys = self._keys_of_other[self._screen.design.mode]
        if key not in keys:
            return None
        there = self._hints("{workbench.mode} goes there")
        return f"{key_name(key)} {keys[key].label}: a key of {mode}; {there}"


def _by_key(commands: Iterable[Command], mapped: Mapping[str, str]) -> dict[str, Command]:
    return {key: command for command in commands for key in mapped.get(command.id, command.keys).split(",")}
