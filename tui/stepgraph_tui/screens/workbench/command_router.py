"""Commands on their way to controllers: which work in this mode, and what those of the other one are for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

from textual.actions import parse

from stepgraph_tui.commands import DEBUG, DESIGN, EDIT
from stepgraph_tui.commands.names import key_name
from stepgraph_tui.widgets.graph_view import GraphPane

if TYPE_CHECKING:
    from stepgraph_tui.commands import Command
    from stepgraph_tui.context import AppContext

    from .design_controller import DesignController
    from .grid import PaneGrid

_IN_BOTH = frozenset({"run.stop"})
"""The commands of Debug that hold in Design as well: a module may be imported there, too."""
_IN_DEBUG = frozenset(command.action for command in DEBUG) - _IN_BOTH
_OF_THE_GRAPH = frozenset(command.action for command in EDIT)
_IN_DESIGN = _OF_THE_GRAPH | {command.action for command in DESIGN}
_LOOKS = frozenset({"design.problem(1)", "design.problem(-1)", "run.ask"})
"""The commands of Design that edit nothing."""


class Controller(Protocol):
    """Does what keys ask for; ``do('run.step')`` calls ``action_step`` of the one that is called run."""

    def availability(self, verb: str, *arguments: object) -> bool | str:
        """Tell whether a key works; False where it is not offered, a text that says why it does nothing."""


class CommandRouter:
    """Hands commands to the controllers of the workbench.

    Args:
        context: How keys are mapped and named.
        controllers: Finds each controller, by the name that commands have for it.
        design: Knows the mode.
        grid: Knows the pane that has the keys.
    """

    def __init__(
        self,
        context: AppContext,
        controllers: Mapping[str, Callable[[], Controller]],
        design: DesignController,
        grid: PaneGrid,
    ) -> None:
        self._controllers, self._design, self._grid = controllers, design, grid
        self._hints, mapped = context.hints, context.settings.keys
        self._keys_of_other = {
            "design": ("Debug", _by_key(DEBUG, mapped)),
            "debug": ("Design", _by_key((*DESIGN, *EDIT), mapped)),
        }

    def controller(self, name: str) -> Controller:
        """Find a controller by the name that commands have for it."""
        return self._controllers[name]()

    def availability(self, command: str) -> bool | str:
        """Tell whether a command works; False where it is not offered, a text that says why not."""
        if command in (_IN_DEBUG if self._design.is_on else _IN_DESIGN):
            return False
        if command in _OF_THE_GRAPH and not isinstance(self._grid.pane, GraphPane):
            return False
        if command in _IN_DESIGN - _LOOKS and self._design.file.refusal:
            return self._design.file.refusal
        name, verb, arguments = parse(command)
        return self.controller(name).availability(verb, *arguments)

    def do(self, command: str) -> None:
        """Do what a controller offers: ``run.view(-1)`` is ``action_view(-1)`` of the run's."""
        name, verb, arguments = parse(command)
        getattr(self.controller(name), f"action_{verb}")(*arguments)

    def in_other_mode(self, key: str) -> str | None:
        """Say what a key would do in the other mode; None where it does nothing there, either."""
        mode, keys = self._keys_of_other[self._design.mode]
        if key not in keys:
            return None
        there = self._hints("{workbench.mode} goes there")
        return f"{key_name(key)} {keys[key].label}: a key of {mode}; {there}"


def _by_key(commands: Iterable[Command], mapped: Mapping[str, str]) -> dict[str, Command]:
    return {key: command for command in commands for key in mapped.get(command.id, command.keys).split(",")}
