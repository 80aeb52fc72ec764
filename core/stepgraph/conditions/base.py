"""What all conditions have in common, and those whose inside can be seen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from ..expressions import Explanation, Facts, Test, Tree, compile_test, explain, parse
from ..expressions.tree import Compare, Constant, IsNone, Path, Visits, operands, written_key
from ..values.errors import ExpressionError, StateError
from ..values.json_values import Json, canonical, dumps, json_line, plain
from ..values.state import Scope, State

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
            self._test = compile_test(self._require_tree())
        return self._test

    def matches(self, context: Facts) -> bool:
        """Check whether the edge is taken.

        Raises:
            EvaluationError: The state does not fit the condition; a predicate may raise anything.
        """
        return self.test(context)

    def bind(self, resolve: Resolve) -> Test:
        """Compile the test; ``resolve`` looks up the Python functions that the graph names."""
        return self.test

    @abstractmethod
    def describe(self) -> str:
        """Describe the condition in a few words."""

    def explain(self, context: Facts) -> Explanation:
        """Describe how it comes out, part by part; it never raises for what the state holds."""
        return explain(self._require_tree(), context)

    @abstractmethod
    def to_json(self) -> Json:
        """Write the condition for a stored definition."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self), self._identity()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.describe()!r})"

    def _require_tree(self) -> Tree:
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
        """Return ``always``."""
        return "always"

    def explain(self, context: Facts) -> Explanation:
        """Return one part that is true."""
        return Explanation("always", result=True)

    def to_json(self) -> Json:
        """Return null."""
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
            self.value = plain(value, f"the value that {written_key(key)} is compared with")
        except StateError as error:
            raise ExpressionError(error.message, hint=error.hint) from None
        self.key = key
        path = Path(written_key(key), key)
        is_word = self.value is None or isinstance(self.value, bool)
        constant = Constant(str(self.value) if is_word else json_line(self.value), self.value)
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
        """Return the text itself."""
        return self.text

    def to_json(self) -> Json:
        """Write the text under ``expr``."""
        return {"expr": self.text}


EdgeTest = Callable[["RoutingContext"], bool]


class RunPast(Protocol):
    """The steps before, as conditions may ask about them; a run's history answers."""

    run_id: str

    @property
    def visited(self) -> Mapping[str, Sequence[int]]:
        """The rows of each visited node's steps."""
        ...

    def count(self, node: str, upto: int | None = None) -> int:
        """Count how often the node was visited, up to a row."""
        ...

    def outputs(self, upto: int | None = None) -> dict[str, list[str]]:
        """Collect what each node put out, visit by visit."""
        ...


class RoutingContext:
    """The things that the conditions of a step may look at: the state after the node, and the run so far.

    A predicate gets this object; expressions read it through ``values``, ``last_output``, ``step`` and
    ``visit_count``.
    """

    __slots__ = ("_output", "_seq", "_updates", "history", "node", "step", "values")

    def __init__(
        self,
        node: str,
        step: int,
        values: Mapping[str, Json],
        output: str | None,
        updates: dict[str, Json] | None,
        history: RunPast,
        seq: int | None = None,
    ) -> None:
        self.node = node
        """The node that has just run."""
        self.step = step
        """The number of the step that is being routed."""
        self.values = values
        """The state itself, not copies: never change it; predicates use ``state``."""
        self._output = output
        self._updates = updates
        self.history = history
        """The run's past, without the step that is being routed."""
        self._seq = seq  # of the step's row; None while the step is not committed yet

    @property
    def upto(self) -> int | None:
        """The row up to which the past goes; None while the step is not committed yet."""
        return self._seq

    @property
    def last_output(self) -> str:
        """What the node just run put out."""
        if self._output is None:
            self._output = dumps(self._updates or {})
        return self._output

    @property
    def state(self) -> State:
        """The state after the node, read-only and with copies of its lists and tables."""
        return State(self.values, self.history.run_id, self.step)

    def visit_count(self, node: str) -> int:
        """Count how often the run has visited the node, this visit included."""
        if self._seq is not None:
            return self.history.count(node, self._seq)
        return self.history.count(node) + (node == self.node)

    @property
    def visits(self) -> dict[str, int]:
        """How often the run has visited each node, this visit included."""
        names = dict.fromkeys([*self.history.visited, self.node])
        return {name: count for name in names if (count := self.visit_count(name))}

    @property
    def outputs(self) -> dict[str, list[str]]:
        """What each node put out, visit by visit, this visit included."""
        outputs = self.history.outputs(self._seq)
        if self._seq is None:
            outputs.setdefault(self.node, []).append(self.last_output)
        return outputs


def choose(tests: tuple[EdgeTest, ...], context: RoutingContext) -> tuple[int | None, BaseException | None]:
    """Walk a node's edges in order until one matches.

    Returns:
        The position of the edge that matched, or of the one whose condition raised together with
        what it raised; (None, None) when none matched.
    """
    position = 0
    try:
        for test in tests:
            if test(context):
                return position, None
            position += 1
    except BaseException as error:  # whatever a user's predicate raises is a routing failure, as in nodes
        return position, error
    return None, None


class ScopedCondition(Condition):
    """A condition of a graph that runs inside another one.

    Args:
        inner: The condition, as the graph's own file has it.
        scope: The subgraph.
    """

    __slots__ = ("inner", "kind", "scope")

    def __init__(self, inner: Condition, scope: Scope) -> None:
        super().__init__()
        self.inner, self.scope = inner, scope
        self.kind = inner.kind  # type: ignore[misc]  # it is of the kind of what it holds
        self.reads = frozenset(map(scope.outer, inner.reads))
        self.visits_read = frozenset(map(scope.outer, inner.visits_read))

    @property
    def test(self) -> Test:
        """The answer to the question inside."""
        return self._inside(self.inner.test)

    def bind(self, resolve: Resolve) -> Test:
        """Compile the test of the condition inside."""
        return self._inside(self.inner.bind(resolve))

    def _inside(self, test: Test) -> Test:
        return lambda context: test(ScopedContext(context, self.scope))  # type: ignore[arg-type]

    def describe(self) -> str:
        """Describe the condition by the names that it has inside."""
        return self.inner.describe()

    def explain(self, context: object) -> Explanation:
        """Describe how the condition inside comes out."""
        return self.inner.explain(ScopedContext(context, self.scope))  # type: ignore[arg-type]

    def to_json(self) -> Json:
        """Write the condition inside, with its scope."""
        return {"in": self.scope.node, "when": self.inner.to_json()}


def bare(condition: Condition) -> Condition:
    """Return the condition as its own file has it, where it is inside of subgraphs."""
    while isinstance(condition, ScopedCondition):
        condition = condition.inner
    return condition


def within(condition: Condition, context: RoutingContext) -> RoutingContext:
    """Return what a condition sees of what a condition of the whole run would see."""
    while isinstance(condition, ScopedCondition):
        context, condition = ScopedContext(context, condition.scope), condition.inner
    return context


class ScopedContext(RoutingContext):
    """What a condition inside of a subgraph may look at.

    Args:
        outer: What a condition of the whole run would see.
        scope: The subgraph.
    """

    __slots__ = ("_outer",)

    def __init__(self, outer: RoutingContext, scope: Scope) -> None:
        node = outer.node.removeprefix(scope.prefix)
        past = ScopedPast(outer.history, scope, outer.upto)
        super().__init__(node, outer.step, scope.within(outer.values), None, None, past, outer.upto)
        self._outer = outer

    @property
    def last_output(self) -> str:
        """What the node just run put out."""
        return self._outer.last_output


class ScopedPast:
    """The steps of a subgraph since the run entered it last.

    Args:
        outer: The steps of the whole run.
        scope: The subgraph.
        upto: The row up to which the past goes; None for all of it.
    """

    def __init__(self, outer: RunPast, scope: Scope, upto: int | None) -> None:
        self.run_id = outer.run_id
        self._outer, self._scope = outer, scope
        entered = outer.visited.get(scope.node, ())
        count = len(entered) if upto is None else bisect_right(entered, upto)
        self._since = entered[count - 1] if count else 0

    @property
    def visited(self) -> Mapping[str, Sequence[int]]:
        """The rows of each visited node's steps."""
        all_seqs = self._scope.within(self._outer.visited)
        return {
            node: later
            for node, seqs in all_seqs.items()
            if (later := seqs[bisect_right(seqs, self._since) :])
        }

    def count(self, node: str, upto: int | None = None) -> int:
        """Count how often the node was visited, up to a row."""
        name = self._scope.outer(node)
        return max(0, self._outer.count(name, upto) - self._outer.count(name, self._since))

    def outputs(self, upto: int | None = None) -> dict[str, list[str]]:
        """Collect what each node put out, visit by visit."""
        found = self._scope.within(self._outer.outputs(upto))
        skipped = {node: self._outer.count(self._scope.outer(node), self._since) for node in found}
        return {node: later for node, texts in found.items() if (later := texts[skipped[node] :])}
