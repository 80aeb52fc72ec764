"""Asking yes or no; no is what everything but one key means."""

from __future__ import annotations

from rich.text import Text

from stepgraph_tui.commands import COMMANDS, CONFIRM, bindings
from stepgraph_tui.commands.live import live_commands

from .asking import Asking


class Confirm(Asking[bool], inherit_bindings=False):
    """A question that only ``y`` says yes to. Enter and Esc leave everything as it is; clicks do nothing.

    Args:
        question: What would be done, and to what: ``Forget run r-7?``.
        verb: What ``y`` does, in one or two words.
    """

    BINDINGS = bindings(CONFIRM)

    def __init__(self, question: str, verb: str = "Yes") -> None:
        super().__init__(question)
        self.verb = verb

    def begin(self) -> None:
        """Say which keys there are."""
        self.say_verbs()

    def say_verbs(self, yes: str | None = None) -> None:
        """Show the verbs, by the keys that they have now."""
        keys = {live.command.id: live.keys[0] for live in live_commands(self)}
        key = keys.get("confirm.yes", COMMANDS["confirm.yes"].keys)
        self.say_answers(
            Text.assemble((key, "bold"), f" {yes or self.verb}   ", ("Enter Esc", "bold"), " Cancel")
        )

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_no(self) -> None:
        """Leave it."""
        self.dismiss(False)
