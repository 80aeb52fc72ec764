"""The form of a watch: one expression."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stepgraph.expressions import MAX_LENGTH, parse
from stepgraph.values.errors import ExpressionError
from stepgraph.values.state import UNSET

from .forms import completing
from .forms.field import Answers, Field, FormProblem
from .forms.form import FormContents
from .forms.formats import TextFormat
from .forms.model import FormKind, FormModel


class WatchForm(FormModel[str]):
    """Asks for the expression of a watch.

    Args:
        text: The expression that is edited; None for a new watch.
        names: What can be completed.
    """

    KIND = FormKind("Watch", is_edit=True)

    def __init__(self, text: str | None, names: Sequence[str]) -> None:
        self.heading = "Watch an expression" if text is None else "Edit the watch"
        self._text = Field(
            "expression",
            TextFormat("line"),
            UNSET if text is None else text,
            note="Such as order.amount, score > 3 or visits.draft; written as conditions are.",
            holds="expression",
            completer=completing.expression(names),
        )
        self.contents = FormContents([self._text])

    def problems(self, answers: Answers) -> Iterator[FormProblem]:
        """Tell why it is no expression."""
        text = answers.value(self._text)
        if text is UNSET:
            yield FormProblem("there is no expression", self._text)
            return
        try:
            parse(text)
        except ExpressionError as error:
            excerpt = error.caret() if len(text) <= MAX_LENGTH else ""
            said = f"{error.message} ({error.hint})" if error.hint else error.message
            yield FormProblem(said, self._text, excerpt=excerpt)

    def result(self, answers: Answers) -> str:
        """Give the expression."""
        text: str = answers.value(self._text)
        return text.strip()
