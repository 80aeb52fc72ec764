"""Conditions that can be looked into: key equals value, and expressions."""

from __future__ import annotations

from ..expressions import Explanation, Facts, Test, Tree, compile_test, explain, parse
from ..expressions.spelling import spelt
from ..expressions.tree import Compare, Constant, IsNone, Path, Visits, operands
from ..values.compare import shown
from ..values.errors import ExpressionError, StateError
from ..values.json_values import Json, plain
from .base import Condition


class _Parsed(Condition):
    """What conditions with a tree share."""

    __slots__ = ("_reads", "_test", "_visits_read", "tree")

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._test: Test | None = None
        # An editor asks for both after every edit, of every condition.
        parts = list(operands(tree))
        self._reads = frozenset([part.key for part in parts if isinstance(part, Path)])
        self._visits_read = frozenset([part.node for part in parts if isinstance(part, Visits)])

    @property
    def test(self) -> Test:
        """The answer; it is compiled when it is first asked for, which a graph in an editor never is."""
        if self._test is None:
            self._test = compile_test(self.tree)
        return self._test

    @property
    def reads(self) -> frozenset[str]:
        """The top-level keys of the state that it reads."""
        return self._reads

    @property
    def visits_read(self) -> frozenset[str]:
        """The nodes whose visits it counts."""
        return self._visits_read

    def explain(self, context: Facts) -> Explanation:
        """The tree of its parts with every operand's value."""
        return explain(self.tree, context)


class KeyEquals(_Parsed):
    """A key of the state equals a value, as JSON does.

    It asks what the expression of the same words asks, so a key that is not there is an error; only
    the value None asks whether the key is missing.

    Args:
        key: The top-level key.
        value: Any JSON value; it is copied.

    Raises:
        ExpressionError: The key is no text, or the value is no JSON.
    """

    __slots__ = ("key", "value")
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
        if self.value is None:
            super().__init__(IsNone(f"{path.text} is None", path, False))
        else:
            constant = Constant(_literal(self.value), self.value)
            super().__init__(Compare(f"{path.text} == {constant.text}", path, "==", constant))

    def describe(self) -> str:
        """The condition as an expression: ``category == "billing"``."""
        return self.tree.text

    def to_json(self) -> Json:
        """The key and the value under ``equals``."""
        return {"equals": {"key": self.key, "value": self.value}}


class Expression(_Parsed):
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
    words = {True: "True", False: "False"}
    return words[value] if isinstance(value, bool) else shown(value)
