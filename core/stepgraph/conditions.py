"""The conditions that an edge may have: none, key equals value, an expression, a Python predicate."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal

from .compare import escaped, shown
from .errors import ExpressionError, StateError, StepgraphError
from .expressions import Explanation, Facts, Test, Tree, compile_test, explain, parse
from .expressions.paths import spelt
from .expressions.tree import Compare, Constant, IsNone, Path, Visits, operands
from .json_values import Json, canonical, plain

__all__ = [
    "Always",
    "Condition",
    "Explanation",
    "Expression",
    "HandlerPredicate",
    "KeyEquals",
    "Kind",
    "Opaque",
    "Predicate",
    "from_json",
    "parse_condition",
]

Kind = Literal["always", "equals", "expression", "predicate"]
Resolve = Callable[[str], Callable[..., Any]]


class Condition(ABC):
    """What decides whether an edge is taken. Conditions are immutable, and equal when they ask the same."""

    __slots__ = ("test",)

    kind: ClassVar[Kind]
    test: Test
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

    def __init__(self) -> None:
        self.test = _yes

    def describe(self) -> str:
        """The word ``always``."""
        return "always"

    def explain(self, context: Facts) -> Explanation:
        """One part that is true."""
        return Explanation("always", result=True)

    def to_json(self) -> Json:
        """Null."""
        return None


class _Parsed(Condition):
    """What conditions with a tree share."""

    __slots__ = ("tree",)

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.test = compile_test(tree)

    @property
    def reads(self) -> frozenset[str]:
        """The top-level keys of the state that it reads."""
        return frozenset(part.key for part in operands(self.tree) if isinstance(part, Path))

    @property
    def visits_read(self) -> frozenset[str]:
        """The nodes whose visits it counts."""
        return frozenset(part.node for part in operands(self.tree) if isinstance(part, Visits))

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


class Predicate(Condition):
    """A Python function that is asked at run time. Nothing is known of what it reads.

    Args:
        function: It gets the routing context, and its answer counts as Python's truth does.
    """

    __slots__ = ("function",)
    kind = "predicate"

    def __init__(self, function: Callable[..., object]) -> None:
        self.function = function
        self.test = _asking(function)

    def describe(self) -> str:
        """The function's name."""
        return _name(self.function)

    def explain(self, context: Facts) -> Explanation:
        """One opaque part; the function is not called again, for it may answer otherwise now."""
        return _opaque(self.describe())

    def to_json(self) -> Json:
        """The word ``python``: a definition holds no code."""
        return "python"

    def _identity(self) -> object:
        return id(self.function)


class HandlerPredicate(Condition):
    """A predicate that a graph file names; its function is looked up when the graph is about to run.

    Args:
        ref: Where the function is, as ``module:function``.
    """

    __slots__ = ("ref",)
    kind = "predicate"

    def __init__(self, ref: str) -> None:
        self.ref = ref
        self.test = _unbound

    def bind(self, resolve: Resolve) -> Test:
        """The test of the function that ``resolve`` finds.

        Raises:
            ExpressionError: The function is async.
        """
        return parse_condition(resolve(self.ref)).test

    def describe(self) -> str:
        """Where the function is."""
        return escaped(self.ref)

    def explain(self, context: Facts) -> Explanation:
        """One opaque part; the function is not called again, for it may answer otherwise now."""
        return _opaque(self.describe())

    def to_json(self) -> Json:
        """The spelling under ``predicate``."""
        return {"predicate": self.ref}


class Opaque(Condition):
    """A predicate of a stored definition: that there is one is all that is known."""

    __slots__ = ()
    kind = "predicate"

    def __init__(self) -> None:
        self.test = _unknown

    def describe(self) -> str:
        """The word ``python``."""
        return "python"

    def explain(self, context: Facts) -> Explanation:
        """One opaque part."""
        return _opaque("python")

    def to_json(self) -> Json:
        """The word ``python``."""
        return "python"


def from_json(data: Json) -> Condition:
    """The condition that ``to_json`` wrote; ``"python"`` gives an Opaque one.

    Raises:
        ExpressionError: It is none of the forms, or an expression that does not parse.
    """
    match data:
        case None:
            return Always()
        case "python":
            return Opaque()
        case {"expr": str(text), **rest} if not rest:
            return Expression(text)
        case {"predicate": str(ref), **rest} if not rest:
            return HandlerPredicate(ref)
        case {"equals": {"key": str(key), "value": value, **others}, **rest} if not rest and not others:
            return KeyEquals(key, value)
    raise ExpressionError(
        f"the stored condition {shown(data)} has no known form",
        hint='known: null, "python", {"expr": ...}, {"equals": {"key": ..., "value": ...}}, {"predicate": ...}',
    )


def parse_condition(when: object) -> Condition:
    """The condition that a builder was given: None, text, a predicate, or a condition already.

    Raises:
        ExpressionError: The text does not parse, or it is none of these.
    """
    if when is None:
        return Always()
    if isinstance(when, str):
        return Expression(when)
    if isinstance(when, Condition):
        return when
    if _is_async(when):
        raise ExpressionError(
            f"the predicate {_name(when)!r} is async, and its answer would never be awaited",
            hint="make it a plain function, and do what must be awaited in a node",
        )
    if callable(when):
        return Predicate(when)
    raise ExpressionError(
        f"a condition cannot be of type {type(when).__name__}",
        hint="give None, the text of an expression, or a function that takes the routing context",
    )


def _asking(function: Callable[..., object]) -> Test:
    def ask(context: Facts) -> bool:
        answer = function(context)
        if answer is True or answer is False:
            return answer
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise StepgraphError(
                f"the predicate {_name(function)!r} returned something to await, not an answer",
                hint="make it a plain function, and do what must be awaited in a node",
            )
        return bool(answer)

    return ask


def _unbound(context: Facts) -> bool:
    raise StepgraphError(
        "this condition's Python function has not been looked up",
        hint="run the graph with an Executor, which asks for trust first",
    )


def _unknown(context: Facts) -> bool:
    raise StepgraphError(
        "this condition is Python code that a stored definition does not hold",
        hint="run it with an Executor of the program that built the graph",
    )


def _opaque(name: str) -> Explanation:
    return Explanation(f"{name}: Python code, not called again to explain it", role="python")


def _is_async(function: object) -> bool:
    call = getattr(function, "__call__", None)  # noqa: B004  # an object may have an async __call__
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _name(function: object) -> str:
    inner = getattr(function, "func", function)  # what a functools.partial calls
    name = getattr(inner, "__name__", None)
    return escaped(name) if isinstance(name, str) else type(function).__name__


def _literal(value: Json) -> str:
    words = {True: "True", False: "False"}
    return words[value] if isinstance(value, bool) else shown(value)
