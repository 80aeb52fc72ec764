"""The Jinja2 environment of templates: it reaches nothing outside, and it cannot fill the memory.

Jinja2's own sandbox keeps a template from Python's internals, but lets it write ``'a' * 10**9``. So
everything that can make much out of little is measured first: operators, methods, filters, loops and calls.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from jinja2 import StrictUndefined, TemplateRuntimeError, Undefined, pass_context
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace

from .filters import bounded_filters, bounded_tests
from .render_budget import ITEM, made, tick, turn
from .size_limits import bounded, check_fields, concat, join, joined, percent, replace, text_of, weigh

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
    """The values of a loop, counted."""
    for value in values:
        turn()
        yield value


def weighed(value: Any) -> Any:
    """A value that is going to be compared or hashed, which goes through all of it."""
    weigh(value)
    return value


def kept(value: Any) -> Any:
    """A value that the template has just made, counted."""
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
        """``table.key`` is the key first, also where tables have a method of that name."""
        if isinstance(obj, dict) and attribute in obj:
            return obj[attribute]
        if isinstance(obj, str) and attribute in ("join", "replace"):
            return functools.partial(join if attribute == "join" else replace, str(obj))
        return super().getattr(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """``table[key]``; a key of several parts is hashed, which goes through all of them."""
        if isinstance(argument, tuple):
            weigh(argument)
        return super().getitem(obj, argument)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Values of the state have only the methods that make no more than they were given."""
        for kind, methods in _METHODS.items():
            if isinstance(obj, kind):
                return attr in methods and not attr.startswith("_")
        return super().is_safe_attribute(obj, attr, value)

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """What stands for an attribute that templates may not use."""
        made = super().unsafe_undefined(obj, attribute)
        made._undefined_hint = f"{attribute!r} is not available in templates"
        return made

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """``text.format`` with its fields measured first."""
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
