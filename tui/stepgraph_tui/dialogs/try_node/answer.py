"""What a person would answer a node that asks, written in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from stepgraph.reviews.model import Decision

if TYPE_CHECKING:
    from stepgraph.reviews.model import Verb

_WORDED = "respond"
"""The verb that is nothing without words."""


class AnswerQuestion:
    """Asks for an answer: a verb, and its words behind a colon.

    An edit is not among them: the values that it would change stand in the form.

    Args:
        verbs: The verbs on offer.
        given: The answer to begin with.
    """

    name = "answer"
    note = "What a person answers; empty shows what would be asked."
    secret = False
    one_line = True

    def __init__(self, verbs: Sequence[Verb], given: Decision | None = None) -> None:
        self._verbs = tuple(verb for verb in verbs if verb != "edit")
        self.kind = " or ".join(f"{verb}: TEXT" if verb == _WORDED else verb for verb in self._verbs)
        self.text = _written(given)

    def check(self, text: str) -> str | None:
        """What is wrong with a text; None when nothing is."""
        verb, words = _parts(text)
        if verb and verb not in self._verbs:
            return f"is one of: {', '.join(self._verbs)}"
        return "takes a text: respond: TEXT" if verb == _WORDED and not words else None

    def read(self, text: str, by: str) -> Decision | None:
        """The decision that a text stands for; None for no answer.

        Args:
            text: It was checked before.
            by: Who decides.
        """
        verb, words = _parts(text)
        for offered in self._verbs:
            if offered == verb == _WORDED:
                return Decision(offered, text=words, by=by)
            if offered == verb:
                return Decision(offered, comment=words, by=by)
        return None


def _parts(text: str) -> tuple[str, str]:
    verb, _, words = text.partition(":")
    return verb.strip().lower(), words.strip()


def _written(decision: Decision | None) -> str:
    if decision is None:
        return ""
    words = decision.text or decision.comment
    return f"{decision.verb}: {words}" if words else decision.verb
