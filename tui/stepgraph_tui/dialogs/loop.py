"""The page of the loop doctor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.text import Text

from stepgraph_tui.commands import COMMANDS, dialog_bindings
from stepgraph_tui.text.loops import loop_lines

from .pages import Copy, Page

if TYPE_CHECKING:
    from stepgraph_tui.commands.command import Wording
    from stepgraph_tui.view.loops import SafeLoop


class LoopPage(Page, inherit_bindings=False):
    """Shows what a run goes round; at its step limit, one key returns by how many steps to extend it.

    Args:
        loop: What was found.
        copy: Copies a text.
        more: How many steps the run is given by that key; 0 where it does not stand at its step limit.
    """

    BINDINGS = dialog_bindings("loop", "list")

    def __init__(self, loop: SafeLoop, copy: Copy, more: int) -> None:
        super().__init__("LOOP DOCTOR", copy)
        self._loop = loop
        self._more = more

    def lines(self, width: int) -> list[Text]:
        """Write what was found for the width."""
        return [Text(line, "bold" if bold else "") for line, bold in loop_lines(self._loop, width)]

    def renamed(self) -> Mapping[str, Wording]:
        """Describe how many steps the key gives."""
        return {"loop.extend": COMMANDS["loop.extend"].called(f"{self._more:,} more steps")}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer more steps only at the cap."""
        return self._more > 0 if action == "extend" else super().check_action(action, parameters)

    def action_extend(self) -> None:
        """Return the steps by which the run is to be extended."""
        self.dismiss(self._more)
