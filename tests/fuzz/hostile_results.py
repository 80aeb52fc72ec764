"""Results that fight back: values and exceptions whose classes raise or lie when anybody looks at them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from stepgraph import NodeResult, ReviewRequest, State
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
def _behaviours(draw: st.DrawFn, methods: tuple[str, ...], properties: tuple[str, ...]) -> dict[str, Any]:
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


@st.composite
def liars(draw: st.DrawFn) -> object:
    """Draw an object of a class that raises or lies, a subclass of one of JSON's types or of none."""
    base = draw(st.sampled_from(_BASES))
    body = draw(_behaviours(_METHODS, _PROPERTIES))
    meta = draw(st.sampled_from([type, type, _Named]))
    kind = meta("Liar", (base,), body)
    try:
        return base.__new__(kind, *_FIRST.get(base, ())) if base not in (list, dict) else _filled(base, kind)
    except BaseException:  # such a class has no objects
        return None


def _filled(base: Any, kind: type) -> object:
    made = base.__new__(kind)
    base.__init__(made, *_FIRST[base])
    return made


@st.composite
def hostile_errors(draw: st.DrawFn) -> BaseException:
    """Draw an exception that cannot be looked at."""
    base: Any = draw(
        st.sampled_from([Exception, KeyError, SyntaxError, OSError, SystemExit, StepgraphError, NodeFailed])
    )
    body = draw(_behaviours(("__str__", "__repr__", "__hash__", "__eq__"), _OF_EXCEPTIONS))
    kind = draw(st.sampled_from([type, type, _Named]))("Trap", (base,), body)
    made: BaseException = base.__new__(kind, "words")
    if base in (StepgraphError, NodeFailed) and draw(st.booleans()):
        made.__dict__.update(message=draw(plain_values()), hint=draw(plain_values()))
    return made


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
    """Draw values with liars anywhere in them."""
    keys = st.one_of(st.text(max_size=3), liars().filter(_is_hashable))
    return st.recursive(
        st.one_of(plain_values(), liars()),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.tuples(inner, inner),
            st.dictionaries(keys, inner, max_size=3),
            inner.map(_holding_itself),
        ),
        max_leaves=8,
    )


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except BaseException:
        return False
    return True


def _holding_itself(value: object) -> list[Any]:
    made: list[Any] = [value]
    made.append(made)
    return made


@st.composite
def _made(draw: st.DrawFn, kind: type, fields: tuple[str, ...]) -> Any:
    """Draw an object of one of our classes with anything in its fields."""
    made: Any = object.__new__(kind)
    for name in fields:
        object.__setattr__(made, name, draw(values()))
    return made


_REQUEST = ("prompt", "action", "arguments", "show", "editable", "allow", "risk", "risk_reason")
_GOOD_REQUEST: dict[str, Any] = {
    "prompt": "Go on?",
    "arguments": {"n": 1},
    "show": ("v",),
    "editable": {"v": "text"},
}


@st.composite
def requests(draw: st.DrawFn) -> ReviewRequest:
    """Draw a question with one part or more that is anything."""
    spoilt = draw(st.dictionaries(st.sampled_from(_REQUEST), values(), max_size=3))
    return ReviewRequest(**{**_GOOD_REQUEST, **spoilt})


@st.composite
def results(draw: st.DrawFn) -> Any:
    """Draw what a node may return."""
    how = draw(st.sampled_from(["value", "table", "result", "pause", "made"]))
    if how == "table":
        return draw(st.dictionaries(st.text(max_size=3), values(), max_size=3))
    if how == "result":
        status = draw(st.one_of(st.sampled_from(["success", "failed", "paused"]), liars()))
        return NodeResult(draw(values()), draw(values()), status, draw(values()), draw(values()))  # type: ignore[arg-type]
    if how == "pause":
        return NodeResult.pause(draw(requests()))
    if how == "made":
        return draw(_made(NodeResult, ("updates", "output", "status", "error", "review")))
    return draw(values())


@st.composite
def nodes(draw: st.DrawFn) -> Callable[[State], Any]:
    """Draw a node that returns or raises something hostile."""
    if draw(st.integers(0, 3)) == 0:
        error = draw(hostile_errors())

        def raises(state: State) -> Any:
            raise error

        return raises
    result = draw(results())
    return lambda state: result
