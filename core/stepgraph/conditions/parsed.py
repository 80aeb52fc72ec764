"""Conditions that can be looked into: key equals value, and expressions."""

from __future__ import annotations

from ..expressions import parse
from ..expressions.spelling import spelt
from ..expressions.tree import Compare, Constant, IsNone, Path
from ..values.compare import shown
from ..values.errors import ExpressionError, StateError
from ..values.json_values import Json, plain
from .base import Condition


class KeyEquals(Condition):
    """A key of the state equals a value, as JSON does.

    It asks what the expression of the same words asks, so a key that is not there is an error; only
    the value None asks whether the key is missing.

    Args:
        key: The top-level key.
        value: Any JSON value; it is copied.

    Raises:
        ExpressionError: The key is no text, or the value is no JSON.
    """

    __slots__ = ("key", "text", "value")
    kind = "equals"

    def __init__(self, key: str, value: object) -> None:
        if not isinstance(key, str):
            raise ExpressionError(
                f"the key of a condition is {type(key).__name__}, not text", hint="name a key"
            )
        try:
            self.value = plain(value, f"the value that {spelt(key)} is compared with")
        except StateError as error:
            raise ExpressionError(error.message, hint=error.hint) from None
        self.key = key
        path = Path(spelt(key), key)
        constant = Constant(_literal(self.value), self.value)
        self.text = f"{path.text} {'is' if self.value is None else '=='} {constant.text}"
        """The condition as an expression."""
        super().__init__(
            IsNone(self.text, path, False) if self.value is None else Compare(self.text, path, "==", constant)
        )

    def describe(self) -> str:
        """Write the condition as an expression: ``category == "billing"``."""
        return self.text

    def to_json(self) -> Json:
        """The key and the value under ``equals``."""
        return {"equals": {"key": self.key, "value": self.value}}


class Expression(Condition):
    """A condition written as text.

    Args:
        text: What to ask, in a small subset of Python's syntax.

    Raises:
        ExpressionError: It does not parse; the error has a caret and a hint.
    """

    __slots__ = ("text",)
    kind = "expression"

    def __init__(self, text: str) -> None:
        super().__init__(parse(text))
        self.text = text

    def describe(self) -> str:
        """The text itself."""
        return self.text

    def to_json(self) -> Json:
        """The text under ``expr``."""
        return {"expr": self.text}


def _literal(value: Json) -> str:
    return str(value) if value is None or isinstance(value, bool) else shown(value)
