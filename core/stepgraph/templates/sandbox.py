"""The Jinja2 environment of templates: it reaches nothing outside, and it cannot fill the memory.

Jinja2's own sandbox keeps a template from Python's internals, but lets it write ``'a' * 10**9``. So
everything that can make much out of little is measured first: operators, methods, filters, loops and calls.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jinja2 import (
    Environment,
    StrictUndefined,
    TemplateRuntimeError,
    Undefined,
    pass_context,
    pass_environment,
)
from jinja2.filters import FILTERS
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.tests import TESTS
from jinja2.utils import Namespace

from .render_budget import ITEM, made, tick, turn
from .size_limits import (
    bounded,
    check_fields,
    collected,
    concat,
    join,
    joined,
    percent,
    replace,
    text_of,
    to_json,
    weigh,
)

_MAX_ARGUMENT = 1_000_000  # widths, counts and precisions that filters take
_MAX_DIGITS = 5_000
_CHEAP = {"count", "d", "default", "first", "last", "length"}  # they look at the outside of a value only
_LEFT_OUT = {"batch", "center", "pprint", "random", "slice", "urlize", "wordwrap", "xmlattr"}


def _filter_format(value: str, *args: Any, **kwargs: Any) -> str:
    return percent(text_of(value), kwargs or args)


def _filter_indent(value: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    text = text_of(value)
    lines = text.count("\n") + 1
    bounded(len(text) + lines * (width if isinstance(width, int) else len(width)))
    made: str = FILTERS["indent"](text, width, first, blank)
    return made


def _filter_replace(value: Any, old: Any, new: Any, count: int | None = None) -> str:
    return replace(text_of(value), text_of(old), text_of(new), count)


@pass_context
def _filter_join(context: Context, value: Any, d: str = "", attribute: str | int | None = None) -> str:
    if attribute is not None:
        value = FILTERS["map"](context, value, attribute=attribute)
    return join(text_of(d), value)


def _filter_int(value: Any, default: Any = 0, base: int = 10) -> Any:
    if isinstance(value, str) and len(value) > _MAX_DIGITS:
        return default  # as for any other text that is no number
    return FILTERS["int"](value, default, base)


@pass_environment
def _filter_sum(
    environment: Environment, value: Any, attribute: str | int | None = None, start: float = 0
) -> Any:
    if not isinstance(start, (int, float)):
        raise TemplateRuntimeError("sum adds numbers only")
    return FILTERS["sum"](environment, value, attribute, start)


_OWN: dict[str, Callable[..., Any]] = {
    "format": _filter_format,
    "indent": _filter_indent,
    "int": _filter_int,
    "join": _filter_join,
    "replace": _filter_replace,
    "string": text_of,
    "sum": _filter_sum,
    "tojson": to_json,
}


def _measured(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a filter so that it looks at the size of what it is given before it does anything."""
    weighing = name not in _CHEAP

    @functools.wraps(function)
    def measured(*args: Any, **kwargs: Any) -> Any:
        tick()
        given = [collected(arg) for arg in args]
        for value in (*given, *kwargs.values()):
            if weighing:
                weigh(value)
            if isinstance(value, int) and value is not args[0] and abs(value) > _MAX_ARGUMENT:
                raise TemplateRuntimeError(f"{value:,} is too much for a filter")
        result = function(*given, **kwargs)
        made(result)
        return result

    return measured


def _looking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a test so that it looks at the size of what it is going to compare."""

    @functools.wraps(function)
    def looking(*args: Any) -> Any:
        if len(args) > 1:
            weigh(args)
        else:
            tick()
        return function(*args)

    return looking


def bounded_filters() -> dict[str, Callable[..., Any]]:
    """Collect all filters that templates may use, by name."""
    known = {name: function for name, function in FILTERS.items() if name not in _LEFT_OUT}
    return {name: _measured(name, function) for name, function in {**known, **_OWN}.items()}


def bounded_tests() -> dict[str, Any]:
    """Collect all tests that templates may use, by name."""
    known: dict[str, Any] = dict(TESTS)
    return {name: _looking(function) for name, function in known.items()}


_MAX_BITS = 20_000  # whole numbers of more than 4,300 digits cannot be printed
_GROWING = {"center", "expandtabs", "format_map", "join", "ljust", "replace", "rjust", "translate", "zfill"}
_FOREIGN = {"encode", "maketrans"}  # their results are no JSON
_METHODS: dict[type, frozenset[str]] = {
    str: frozenset(dir(str)) - _GROWING - _FOREIGN,
    dict: frozenset({"get", "items", "keys", "values"}),
    list: frozenset({"count", "index"}),
    tuple: frozenset({"count", "index"}),
    int: frozenset(),
    float: frozenset({"is_integer"}),
}


def each(values: Iterable[Any]) -> Iterator[Any]:
    """Count the turns of a loop over the values."""
    for value in values:
        turn()
        yield value


def weighed(value: Any) -> Any:
    """Weigh a value that is going to be compared or hashed, which goes through all of it."""
    weigh(value)
    return value


def kept(value: Any) -> Any:
    """Count a value that the template has just made."""
    tick()
    made(value)
    return value


class _Variables(Namespace):
    """Jinja2's ``namespace``, which would print all that it holds, however often the same part."""

    def __repr__(self) -> str:
        return "<namespace>"


@pass_context
def _printed(context: Context, value: Any) -> str:  # takes the context so that nothing runs while compiling
    return text_of(value)


def _times(left: Any, right: Any) -> Any:
    for text, count in ((left, right), (right, left)):
        if isinstance(text, (str, list, tuple)) and isinstance(count, int):
            bounded(len(text) * max(count, 0) * (1 if isinstance(text, str) else ITEM))
    if isinstance(left, int) and isinstance(right, int):
        _printable(left.bit_length() + right.bit_length())
    return left * right


def _power(left: Any, right: Any) -> Any:
    if isinstance(left, int) and isinstance(right, int):
        _printable(left.bit_length() * max(right, 0))
    return left**right


def _plus(left: Any, right: Any) -> Any:
    if isinstance(left, (str, list, tuple)) and isinstance(right, (str, list, tuple)):
        bounded((len(left) + len(right)) * (1 if isinstance(left, str) else ITEM))
    return left + right


def _modulo(left: Any, right: Any) -> Any:
    return percent(left, right) if isinstance(left, str) else left % right


def _printable(bits: int) -> None:
    if bits > _MAX_BITS:
        raise TemplateRuntimeError("the number would have thousands of digits")


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment in which all templates are compiled and rendered."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})
    concat = staticmethod(concat)

    def __init__(self) -> None:
        super().__init__(
            undefined=StrictUndefined,
            optimized=False,  # or constants would be computed while compiling
            autoescape=False,
            keep_trailing_newline=True,
            finalize=_printed,
            cache_size=0,
        )
        del self.globals["lipsum"]
        self.globals["namespace"] = _Variables
        self.binop_table |= {"+": _plus, "*": _times, "**": _power, "%": _modulo}
        own = {"_each": each, "_joined": joined, "_kept": kept, "_weighed": weighed}
        self.filters = {**bounded_filters(), **own}
        self.tests = bounded_tests()

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Read ``table.key``: the key first, also where tables have a method of that name."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        if isinstance(obj, str) and attribute in ("join", "replace"):
            return functools.partial(join if attribute == "join" else replace, str(obj))
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Read ``table[key]``; a key of several parts is hashed, which goes through all of them."""
        if isinstance(argument, tuple):
            weigh(argument)
        return super().getitem(obj, argument)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Allow of a value's methods only those that make no more than they were given."""
        for kind, methods in _METHODS.items():
            if isinstance(obj, kind):
                return attr in methods and not attr.startswith("_")
        return super().is_safe_attribute(obj, attr, value)

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """Make what stands for an attribute that templates may not use."""
        made = super().unsafe_undefined(obj, attribute)
        made._undefined_hint = f"{attribute!r} is not available in templates"
        return made

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Wrap ``text.format`` so that its fields are measured first."""
        made = super().wrap_str_format(value)
        if made is None:
            return None

        def measured(*args: Any, **kwargs: Any) -> str:
            check_fields(str(value.__self__), (args, kwargs))
            return made(*args, **kwargs)

        return measured

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call something, counted."""
        turn()
        made(args)
        if not isinstance(obj, (Macro, LoopContext)):  # what is no template compares and hashes what it gets
            weigh(args)
            weigh(kwargs)
        result = super().call(context, obj, *args, **kwargs)
        made(result)
        return result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Do arithmetic, counted."""
        tick()
        result = super().call_binop(context, operator, left, right)
        made(result)
        return result
