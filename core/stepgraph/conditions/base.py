"""What all conditions have in common, and the plainest of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, TypeAlias

from ..expressions import Explanation, Facts, Test
from ..values.json_values import Json, canonical

Kind = Literal["always", "equals", "expression", "predicate"]
Resolve: TypeAlias = Callable[[str], Callable[..., Any]]


class Condition(ABC):
    """What decides whether an edge is taken. Conditions are immutable, and equal when they ask the same."""

    __slots__ = ()

    kind: ClassVar[Kind]

    @property
    @abstractmethod
    def test(self) -> Test:
        """The answer, without any indirection: what the executor calls at every step."""

    def matches(self, context: Facts) -> bool:
        """Whether the edge is taken.

        Raises:
            EvaluationError: The state does not fit the condition; a predicate may raise anything.
        """
        return self.test(context)

    def bind(self, resolve: Resolve) -> Test:
        """The test, ready to run; ``resolve`` looks up the Python functions that the graph names."""
        return self.test

    @property
    def reads(self) -> frozenset[str]:
        """The top-level keys of the state that it is known to read."""
        return frozenset()

    @property
    def visits_read(self) -> frozenset[str]:
        """The nodes whose visits it counts."""
        return frozenset()

    @abstractmethod
    def describe(self) -> str:
        """The condition in a few words."""

    @abstractmethod
    def explain(self, context: Facts) -> Explanation:
        """How it comes out, part by part; it never raises for what the state holds."""

    @abstractmethod
    def to_json(self) -> Json:
        """The condition for a stored definition; ``from_json`` reads it back."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self), self._identity()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.describe()!r})"

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
        """Yes."""
        return _yes

    def describe(self) -> str:
        """The word ``always``."""
        return "always"

    def explain(self, context: Facts) -> Explanation:
        """One part that is true."""
        return Explanation("always", result=True)

    def to_json(self) -> Json:
        """Null."""
        return None
