"""What all conditions have in common, and those whose inside can be seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, TypeAlias

from ..expressions import Explanation, Facts, Test, Tree, compile_test, explain, parse
from ..expressions.spelling import spelt
from ..expressions.tree import Compare, Constant, IsNone, Path, Visits, operands
from ..values.compare import shown
from ..values.errors import ExpressionError, StateError
from ..values.json_values import Json, canonical, plain

Kind = Literal["always", "equals", "expression", "predicate"]
Resolve: TypeAlias = Callable[[str], Callable[..., Any]]


class Condition(ABC):
    """The question that decides whether an edge is taken.

    Conditions are immutable, and equal when they ask the same.

    Args:
        tree: What it asks, where that can be looked into. A condition without a tree has a ``test`` and an
            ``explain`` of its own.
    """

    __slots__ = ("_test", "reads", "tree", "visits_read")

    kind: ClassVar[Kind]

    def __init__(self, tree: Tree | None = None) -> None:
        self.tree = tree
        self._test: Test | None = None
        # An editor asks for both after every edit, of every condition.
        parts = operands(tree) if tree is not None else []
        self.reads = frozenset([part.key for part in parts if isinstance(part, Path)])
        """The top-level keys of the state that it is known to read."""
        self.visits_read = frozenset([part.node for part in parts if isinstance(part, Visits)])
        """The nodes whose visits it counts."""

    @property
    def test(self) -> Test:
        """The answer, without any indirection: what the executor calls at every step."""
        if self._test is None:  # compiled when it is first asked for, which a graph in an editor never is
            self._test = compile_test(self._asked())
        return self._test

    def matches(self, context: Facts) -> bool:
        """Tell whether the edge is taken.

        Raises:
            EvaluationError: The state does not fit the condition; a predicate may raise anything.
        """
        return self.test(context)

    def bind(self, resolve: Resolve) -> Test:
        """Make the test ready to run; ``resolve`` looks up the Python functions that the graph names."""
        return self.test

    @abstractmethod
    def describe(self) -> str:
        """Say the condition in a few words."""

    def explain(self, context: Facts) -> Explanation:
        """Tell how it comes out, part by part; it never raises for what the state holds."""
        return explain(self._asked(), context)

    @abstractmethod
    def to_json(self) -> Json:
        """Write the condition for a stored definition."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self), self._identity()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.describe()!r})"

    def _asked(self) -> Tree:
        if self.tree is None:
            raise TypeError(f"{type(self).__name__} has no tree: define test and explain")
        return self.tree

    def _identity(self) -> object:
        return canonical(self.to_json())


def _yes(context: Facts) -> bool:
    return True


class Always(Condition):
    """No condition: the edge is taken whenever it is reached."""

    __slots__ = ()
    kind = "always"

    @property
    def test(self) -> Test:
        """The answer, which is always yes."""
        return _yes

    def describe(self) -> str:
        """Say ``always``."""
        return "always"

    def explain(self, context: Facts) -> Explanation:
        """Give one part that is true."""
        return Explanation("always", result=True)

    def to_json(self) -> Json:
        """Give null."""
        return None


class KeyEquals(Condition):
    """A key of the state equals a value, as JSON does.

    It asks what the expression of the same words asks, so a key that is not there is an error; only
    the value None asks whether the key is missing.

    Args:
        key: The top-level key.
        value: Any JSON value; it is copied.

    Raises:
        ExpressionError: The key is not text, or the value is not JSON.
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
        is_word = self.value is None or isinstance(self.value, bool)
        constant = Constant(str(self.value) if is_word else shown(self.value), self.value)
        self.text = f"{path.text} {'is' if self.value is None else '=='} {constant.text}"
        """The condition as an expression."""
        super().__init__(
            IsNone(self.text, path, False) if self.value is None else Compare(self.text, path, "==", constant)
        )

    def describe(self) -> str:
        """Write the condition as an expression: ``category == "billing"``."""
        return self.text

    def to_json(self) -> Json:
        """Write the key and the value under ``equals``."""
        return {"equals": {"key": self.key, "value": self.value}}


class Chosen(Condition):
    """An edge without a condition, out of a node that chooses among its edges by itself.

    It is taken where the node has written the edge's label (else where it leads) under its key. A file does
    not say so: it follows from the node.

    Args:
        key: The node's key.
        choice: What the node writes there when it chooses the edge.
    """

    __slots__ = ("_same",)
    kind = "equals"

    def __init__(self, key: str, choice: str) -> None:
        self._same = KeyEquals(key, choice)
        super().__init__(self._same.tree)

    def describe(self) -> str:
        """Write the condition as an expression: ``route == "refund"``."""
        return self._same.text

    def to_json(self) -> Json:
        """Write what a condition of the same words has."""
        return self._same.to_json()


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
        """Give the text itself."""
        return self.text

    def to_json(self) -> Json:
        """Write the text under ``expr``."""
        return {"expr": self.text}
