"""Asking yes or no; no is what everything but one key means."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from stepgraph_tui.commands import COMMANDS, CONFIRM, bindings
from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.words.text import visible_lines

from .dialog import Dialog


class Confirm(Dialog[bool], inherit_bindings=False):
    """A question that only ``y`` says yes to. Enter and Esc leave everything as it is; clicks do nothing.

    Args:
        question: What would be done, and to what: ``Forget run r-7?``.
        verb: What ``y`` does, in one or two words.
    """

    BINDINGS = bindings(CONFIRM)
    CSS_PATH = "question.tcss"

    def __init__(self, question: str, verb: str = "Yes") -> None:
        super().__init__()
        self.question = question
        self.verb = verb

    def compose(self) -> ComposeResult:
        """A frame with the question, and the two verbs below."""
        with Vertical(classes="question"):
            with VerticalScroll(can_focus=False):
                yield Static(Text("\n".join(visible_lines(self.question))))
                yield from self.details()
            yield Static(classes="verbs")

    def details(self) -> ComposeResult:
        """What is shown below the question."""
        yield from ()

    def begin(self) -> None:
        """Say which keys there are."""
        self.say_verbs()

    def say_verbs(self, yes: str | None = None) -> None:
        """Show the verbs, by the keys that they have now."""
        keys = {live.command.id: live.keys[0] for live in live_commands(self)}
        key = keys.get("confirm.yes", COMMANDS["confirm.yes"].keys)
        line = Text.assemble((key, "bold"), f" {yes or self.verb}   ", ("Enter Esc", "bold"), " Cancel")
        self.query_one(".verbs", Static).update(line)

    def action_yes(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_no(self) -> None:
        """Leave it."""
        self.dismiss(False)

    @property
    def _body(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    def action_scroll_down(self) -> None:
        """Scroll down."""
        self._body.scroll_down(animate=False)

    def action_scroll_up(self) -> None:
        """Scroll up."""
        self._body.scroll_up(animate=False)

    def action_page_down(self) -> None:
        """Scroll a page down."""
        self._body.scroll_page_down(animate=False)

    def action_page_up(self) -> None:
        """Scroll a page up."""
        self._body.scroll_page_up(animate=False)
