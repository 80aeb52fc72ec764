"""A question with several answers, each by a key of its own; leaving decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.words.text import visible_lines

from .asking import Asking


class Question(Asking[str | None], inherit_bindings=False):
    """Asks, and returns the answer's word; None when it is left open. Clicks do nothing.

    Its bindings are those of a context whose commands answer, scroll, or leave.

    Args:
        question: What is asked.
        remarks: What else there is to know, one paragraph each.
    """

    def __init__(self, question: str, remarks: Sequence[str] = ()) -> None:
        super().__init__(question)
        self.remarks = remarks

    def details(self) -> ComposeResult:
        """The remarks."""
        for remark in self.remarks:
            yield Static(Text("\n".join(visible_lines(remark))), classes="muted")

    def begin(self) -> None:
        """Say which keys there are."""
        verbs = [live for live in live_commands(self) if live.command.footer and live.node is self]
        verbs.sort(key=lambda live: live.command.footer)
        line = [Text.assemble((live.keys[0], "bold"), f" {live.command.label}") for live in verbs]
        self.say_answers(Text("   ").join(line))

    def action_answer(self, word: str) -> None:
        """Answer."""
        self.dismiss(word)

    def action_later(self) -> None:
        """Decide nothing."""
        self.dismiss(None)
