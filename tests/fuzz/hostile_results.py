"""Results that fight back: values and exceptions whose classes raise or lie when anybody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from stepgraph import NodeResult, ReviewRequest
from stepgraph.values.errors import NodeFailed, StateError, StepgraphError

RAISED: tuple[type[BaseException], ...] = (
    ValueError,
    TypeError,
    AttributeError,
    StopIteration,
    RecursionError,
    MemoryError,
    SystemExit,
    KeyboardInterrupt,
    GeneratorExit,
    StateError,
    NodeFailed,
)
_BASES: tuple[type, ...] = (object, str, int, float, list, tuple, dict)
_METHODS = (
    *(
        "__eq__",
        "__hash__",
        "__bool__",
        "__len__",
        "__iter__",
        "__getitem__",
        "__contains__",
        "__lt__",
        "__gt__",
    ),
    *("__repr__", "__str__", "__format__", "__int__", "__float__", "__index__", "__add__", "__reduce__"),
    *("items", "keys", "values", "get", "copy", "encode", "isascii", "isprintable", "startswith", "strip"),
)
_PROPERTIES = ("__class__", "__dict__", "status", "updates", "output", "review", "error")
_OF_EXCEPTIONS = (
    "__cause__",
    "__context__",
    "__traceback__",
    "__notes__",
    "args",
    "message",
    "hint",
    "__class__",
)
_ERRORS = (Exception, KeyError, SyntaxError, OSError, SystemExit, StepgraphError, NodeFailed)
_FIRST: dict[type, tuple[Any, ...]] = {
    str: ("v",),
    int: (3,),
    float: (1.5,),
    list: ([1, 2],),
    tuple: ((1, 2),),
    dict: ({"a": 1},),
}


def raiser(kind: type[BaseException]) -> Callable[..., Any]:
    """Make a function that raises."""

    def raises(*_: object, **__: object) -> Any:
        raise kind("it fights back")

    return raises


class _Named(type):
    """A metaclass that lies about names."""

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise SystemExit("no name")


@st.composite
def _behaviors(draw: st.DrawFn, methods: tuple[str, ...], properties: tuple[str, ...]) -> dict[str, Any]:
    """Draw what a class does instead: each chosen method or property raises, or gives something else."""
    chosen = draw(st.lists(st.sampled_from(methods + properties), max_size=6, unique=True))
    body: dict[str, Any] = {}
    for name in chosen:
        does: Callable[..., Any]
        if draw(st.booleans()):
            does = raiser(draw(st.sampled_from(RAISED)))
        else:
            given = draw(st.sampled_from([None, True, 7, "text", [1], {"a": 1}, dict, NodeResult, object()]))
            does = lambda *_, given=given, **__: given  # noqa: E731
        body[name] = property(does) if name in properties else does
    return body


class Recipe:
    """What makes a hostile value when the code under test is to have it, and nobody before.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def made(value: Any) -> Any:
    """Make the values of all recipes in a plain value."""
    if isinstance(value, Recipe):
        return value.make()
    if isinstance(value, list | tuple):
        return type(value)(map(made, value))
    if isinstance(value, dict):
        return {key if isinstance(key, str) else _key(made(key)): made(item) for key, item in value.items()}
    return value


def _key(value: object) -> object:
    try:
        hash(value)
    except BaseException:  # no dict can have it
        return "key"
    return value


@st.composite
def liars(draw: st.DrawFn) -> Recipe:
    """Draw an object of a class that raises or lies, a subclass of one of JSON's types or of none."""
    base: Any = draw(st.sampled_from(_BASES))
    body = draw(_behaviors(_METHODS, _PROPERTIES))
    meta = draw(st.sampled_from([type, type, _Named]))

    def make() -> object:
        try:
            kind = meta("Liar", (base,), dict(body))
            liar = base.__new__(kind, *(() if base in (list, dict) else _FIRST.get(base, ())))
            if base in (list, dict):
                base.__init__(liar, *_FIRST[base])
        except BaseException:  # such a class has no objects
            return None
        return liar

    return Recipe(make)


@st.composite
def hostile_errors(draw: st.DrawFn) -> Recipe:
    """Draw an exception that cannot be looked at."""
    base: Any = draw(st.sampled_from(_ERRORS))
    body = draw(_behaviors(("__str__", "__repr__", "__hash__", "__eq__"), _OF_EXCEPTIONS))
    meta = draw(st.sampled_from([type, type, _Named]))
    words = draw(st.one_of(st.none(), st.tuples(plain_values(), plain_values())))

    def make() -> BaseException:
        error: BaseException = base.__new__(meta("Trap", (base,), dict(body)), "words")
        if words is not None:
            vars(BaseException)["__dict__"].__get__(error).update(message=words[0], hint=words[1])
        return error

    return Recipe(make)


def plain_values() -> st.SearchStrategy[Any]:
    """Draw what a state may hold, and what it may not."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=4),
        st.sampled_from(["\ud800", b"raw", {1}, 10**4001, object(), range(3), iter(())]),
    )
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


def values() -> st.SearchStrategy[Any]:
    """Draw values with recipes anywhere in them."""
    keys = st.one_of(st.text(max_size=3), liars())
    return st.recursive(
        st.one_of(plain_values(), liars()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.tuples(inner, inner),
            st.dictionaries(keys, inner, max_size=3),
            inner.map(lambda value: Recipe(lambda: _holding_itself(made(value)))),
        ),
        max_leaves=8,
    )


def _holding_itself(value: object) -> list[Any]:
    whole: list[Any] = [value]
    whole.append(whole)
    return whole


_REQUEST = ("prompt", "action", "arguments", "show", "editable", "allow", "risk", "risk_reason")
_GOOD_REQUEST: dict[str, Any] = {
    "prompt": "Go on?",
    "arguments": {"n": 1},
    "show": ("v",),
    "editable": {"v": "text"},
}


def requests() -> st.SearchStrategy[Recipe]:
    """Draw a question with a part or more that is anything."""
    spoilt = st.dictionaries(st.sampled_from(_REQUEST), values(), max_size=3)
    return spoilt.map(lambda parts: Recipe(lambda: ReviewRequest(**{**_GOOD_REQUEST, **made(parts)})))


def results() -> st.SearchStrategy[Any]:
    """Draw what a node may return."""
    parts = st.fixed_dictionaries(
        {
            "status": st.one_of(st.sampled_from(["success", "failed", "paused"]), liars()),
            "updates": st.one_of(st.none(), st.dictionaries(st.text(max_size=3), values()), values()),
            "output": values(),
            "error": values(),
            "review": st.one_of(requests(), values()),
        }
    )
    return st.one_of(
        st.dictionaries(st.sampled_from(["v", "list", "table", "n", "new"]), values(), max_size=3),
        parts.map(lambda each: Recipe(lambda: NodeResult(**made(each)))),
        requests().map(lambda asked: Recipe(lambda: NodeResult.pause(asked.make()))),
        values(),
    )
