"""What all questions look like: the question in a frame, what else there is to know, the answers below."""

from __future__ import annotations

from typing import Generic

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from stepgraph_tui.words.text import visible_lines

from .dialog import Answer, Dialog
from .scrolling import Scrolling


class Asking(Scrolling, Dialog[Answer], Generic[Answer], inherit_bindings=False):
    """A question that keys answer; clicks do nothing.

    Args:
        question: What is asked.
    """

    CSS_PATH = "question.tcss"

    def __init__(self, question: str) -> None:
        super().__init__()
        self.question = question

    def compose(self) -> ComposeResult:
        """A frame with the question, and the answers below."""
        with Vertical(classes="question"):
            with VerticalScroll(can_focus=False):
                yield Static(Text("\n".join(visible_lines(self.question))))
                yield from self.details()
            yield Static(classes="verbs")

    def details(self) -> ComposeResult:
        """What is shown below the question."""
        yield from ()

    def say_answers(self, answers: Text) -> None:
        """Say below which answers there are."""
        self.query_one(".verbs", Static).update(answers)

    @property
    def scrolled(self) -> VerticalScroll:
        """The question with what is below it."""
        return self.query_one(VerticalScroll)
