"""A question with several answers, each by a key of its own; leaving decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from stepgraph_tui.commands.live import live_commands
from stepgraph_tui.words.text import visible_lines

from .dialog import Dialog


class Question(Dialog[str | None], inherit_bindings=False):
    """Asks, and returns the answer's word; None when it is left open. Clicks do nothing.

    Its bindings are those of a context whose commands answer, scroll, or leave.

    Args:
        question: What is asked.
        remarks: What else there is to know, one paragraph each.
    """

    CSS_PATH = "question.tcss"

    def __init__(self, question: str, remarks: Sequence[str] = ()) -> None:
        super().__init__()
        self.question = question
        self.remarks = remarks

    def compose(self) -> ComposeResult:
        """A frame with the question, and the answers below."""
        with Vertical(classes="question"):
            with VerticalScroll(can_focus=False):
                yield Static(Text("\n".join(visible_lines(self.question))))
                for remark in self.remarks:
                    yield Static(Text("\n".join(visible_lines(remark))), classes="muted")
            yield Static(classes="verbs")

    def begin(self) -> None:
        """Say which keys there are."""
        verbs = [live for live in live_commands(self) if live.command.footer and live.node is self]
        verbs.sort(key=lambda live: live.command.footer)
        line = [Text.assemble((live.keys[0], "bold"), f" {live.command.label}") for live in verbs]
        self.query_one(".verbs", Static).update(Text("   ").join(line))

    def action_answer(self, word: str) -> None:
        """Answer."""
        self.dismiss(word)

    def action_later(self) -> None:
        """Decide nothing."""
        self.dismiss(None)

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
