"""The filters of templates: Jinja2's own, each of which looks at the size of what it is given first."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jinja2 import Environment, TemplateRuntimeError, pass_context, pass_environment
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.tests import TESTS

from .render_budget import made, tick
from .size_limits import bounded, collected, join, percent, replace, text_of, to_json, weigh

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
    """A filter that looks at the size of what it is given before it does anything."""
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
    """A test that looks at the size of what it is going to compare."""

    @functools.wraps(function)
    def looking(*args: Any) -> Any:
        if len(args) > 1:
            weigh(args)
        else:
            tick()
        return function(*args)

    return looking


def bounded_filters() -> dict[str, Callable[..., Any]]:
    """All filters that templates may use, by name."""
    known = {name: function for name, function in FILTERS.items() if name not in _LEFT_OUT}
    return {name: _measured(name, function) for name, function in {**known, **_OWN}.items()}


def bounded_tests() -> dict[str, Any]:
    """All tests that templates may use, by name."""
    known: dict[str, Any] = dict(TESTS)
    return {name: _looking(function) for name, function in known.items()}
