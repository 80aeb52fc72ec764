"""The filters of templates: Jinja2's own, each of which looks at the size of what it is given first."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from jinja2 import TemplateRuntimeError, pass_context
from jinja2.filters import FILTERS
from jinja2.runtime import Context

from .measure import bounded, collected, join, percent, replace, text_of, to_json, weigh

_MAX_ARGUMENT = 1_000_000  # widths, counts and precisions that filters take
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


_OWN: dict[str, Callable[..., Any]] = {
    "format": _filter_format,
    "indent": _filter_indent,
    "join": _filter_join,
    "replace": _filter_replace,
    "string": text_of,
    "tojson": to_json,
}


def _measured(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that looks at the size of what it is given before it does anything."""

    @functools.wraps(function)
    def measured(*args: Any, **kwargs: Any) -> Any:
        given = [collected(arg) for arg in args]
        for value in (*given, *kwargs.values()):
            weigh(value)
            if isinstance(value, int) and value is not args[0] and abs(value) > _MAX_ARGUMENT:
                raise TemplateRuntimeError(f"{value:,} is too much for a filter")
        return function(*given, **kwargs)

    return measured


def bounded_filters() -> dict[str, Callable[..., Any]]:
    """All filters that templates may use, by name."""
    known = {name: made for name, made in FILTERS.items() if name not in _LEFT_OUT}
    return {name: _measured(made) for name, made in {**known, **_OWN}.items()}
