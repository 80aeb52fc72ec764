"""The form of a watch: one expression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stepgraph.expressions import parse
from stepgraph.values.errors import ExpressionError
from stepgraph.values.state import UNSET

from .forms import completing
from .forms.field import Answers, EmptyField, Field
from .forms.form import FormContents
from .forms.formats import Misfit, TextFormat
from .forms.model import FormKind, FormModel


class WatchForm(FormModel[str]):
    """Asks for the expression of a watch.

    Args:
        text: The expression that is edited; None for a new watch.
        names: What can be completed.
    """

    KIND = FormKind("Watch")

    def __init__(self, text: str | None, names: Sequence[str]) -> None:
        self.heading = "Watch an expression" if text is None else "Edit the watch"
        self._text = Field(
            "expression",
            TextFormat("line"),
            UNSET if text is None else text,
            note="Such as order.amount, score > 3 or visits.draft; written as conditions are.",
            holds="expression",
            completer=completing.expression(names),
            required=True,
            accept=_expression,
        )
        self.contents = FormContents([self._text])

    def result(self, answers: Answers) -> str:
        """Give the expression."""
        text: str = answers.value(self._text)
        return text


def _expression(value: Any) -> Any:
    """Take a text that can be asked of a run."""
    if value is UNSET:
        raise EmptyField("write an expression, such as order.amount")
    try:
        parse(value)
    except ExpressionError as error:
        raise Misfit(f"{error.message} ({error.hint})" if error.hint else error.message) from None
    return value.strip()
