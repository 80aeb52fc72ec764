"""What a template may call: filters, methods and functions.

What is in these tables is allowed, and nothing else is. Each function takes the budget first, then the value,
then what is in parentheses, and pays for what it is given before it does anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from .render_budget import (
    GUARDS,
    ITEM,
    LOOKED,
    STEP,
    TESTS,
    Absent,
    Function,
    Namespace,
    RenderBudget,
    TemplateError,
    items_of,
    kind_of,
    number,
    only,
    part_of,
    present,
    whole,
)


def _list(budget: RenderBudget, value: Any) -> list[Any]:
    budget.make(len(items_of(value)), ITEM)
    return list(value)


def _text(budget: RenderBudget, value: Any) -> str:
    """Print a value that a filter makes another text of, of about that length."""
    text = budget.text(value)
    budget.make(len(text))
    return text


# filters of texts


def _of_text(function: Callable[[str], str]) -> Function:
    def made(budget: RenderBudget, value: Any) -> str:
        text = function(_text(budget, value))
        budget.make(len(text))  # some characters are several in the other case
        return text

    return made


_WORD = re.compile(r"[^-\s({\[<]+")
_lower = _of_text(str.lower)
_title = _of_text(lambda text: _WORD.sub(lambda word: word[0][0].upper() + word[0][1:].lower(), text))


def _replace(budget: RenderBudget, value: Any, old: Any, new: Any, count: int | None = None) -> str:
    text, old, new = (_text(budget, each) for each in (value, old, new))
    times = text.count(old) if count is None else min(text.count(old), max(whole(count), 0))
    budget.make(len(text) + times * (len(new) - len(old)))
    return text.replace(old, new, times)


def _indent(
    budget: RenderBudget, value: Any, width: int | str = 4, first: bool = False, blank: bool = False
) -> str:
    budget.make(width if isinstance(width, int) else len(width))
    by, lines = width if isinstance(width, str) else " " * width, (_text(budget, value) + "\n").splitlines()
    budget.make(sum(map(len, lines)) + len(lines) * len(by))
    budget.spend(len(lines) * ITEM)
    return "\n".join(by + line if (line or blank if at else first) else line for at, line in enumerate(lines))


def _truncate(
    budget: RenderBudget,
    value: Any,
    length: int = 255,
    killwords: bool = False,
    end: str = "...",
    leeway: int = 5,
) -> str:
    text = budget.text(value)
    if len(text) <= length + leeway:
        return text
    kept = text[: max(length - len(_text(budget, end)), 0)]
    budget.make(len(kept))
    return (kept if killwords else kept.rsplit(" ", 1)[0]) + end


_FIELD = re.compile(r"%(?:[-+ 0]*\d{0,3}(?:\.\d{1,2})?[sdfeg]|%)")


def _format(budget: RenderBudget, value: Any, *values: Any) -> str:
    text = _text(budget, value)
    if "%" in _FIELD.sub("", text):
        raise TemplateError("%s, %d, %5d, %.2f, %e and %g are its fields, and %% is a sign")
    given = tuple(each if isinstance(each, (int, float)) else _text(budget, each) for each in values)
    budget.make(len(text) + text.count("%") * 2_000)  # the longest number has 4,000 digits
    try:
        return text % given
    except TypeError:
        raise TemplateError("a value for each field, and numbers for %d, %f, %e and %g") from None


def _tojson(budget: RenderBudget, value: Any, indent: int = 0) -> str:
    if indent not in range(9):
        raise TemplateError("its indent is from 0 to 8")
    return budget.json(value, indent)


def _join(budget: RenderBudget, value: Any, d: Any = "", attribute: str | int | None = None) -> str:
    return budget.join([budget.text(item) for item in _parts(budget, value, attribute)], budget.text(d))


# filters of numbers


def _read(read: Function, value: Any) -> Any:
    """Read a number, and None where there is none; a text of endless digits is none."""
    try:
        is_text = isinstance(value, str)
        return None if is_text and len(value) > 4_000 else number(read(value if is_text else number(value)))
    except (ValueError, OverflowError, TemplateError):
        return None


def _int(_: RenderBudget, value: Any, default: Any = 0) -> Any:
    found = _read(int, value)
    found = _read(lambda text: int(float(text)), value) if found is None else found
    return default if found is None else found


def _float(_: RenderBudget, value: Any, default: Any = 0.0) -> Any:
    found = _read(float, value)
    return default if found is None else found


def _round(_: RenderBudget, value: Any, precision: int = 0, method: str = "common") -> Any:
    if precision not in range(-15, 16) or method not in ("common", "ceil", "floor"):
        raise TemplateError("it takes from -15 to 15 places, and 'common', 'ceil' or 'floor'")
    if method == "common":
        return number(round(number(value), precision))
    return number(getattr(math, method)(number(value) * 10**precision) / 10**precision)


# filters of lists and tables


def _default(_: RenderBudget, value: Any, default_value: Any = "", boolean: bool = False) -> Any:
    return default_value if isinstance(value, Absent) or (boolean and not value) else value


def _first(_: RenderBudget, value: Any) -> Any:
    return next(iter(_sized(value)), Absent("it is empty"))


def _last(_: RenderBudget, value: Any) -> Any:
    return next(reversed(_sized(value)), Absent("it is empty"))


def _sized(value: Any) -> Any:
    return value if isinstance(value, dict) else items_of(value)


def _reverse(budget: RenderBudget, value: Any) -> Any:
    return _text(budget, value)[::-1] if isinstance(value, str) else _list(budget, value)[::-1]


def _items(budget: RenderBudget, value: Any) -> list[Any]:
    return [[key, value[key]] for key in _list(budget, only(dict, value))]


def _inner(budget: RenderBudget, value: Any, attribute: str | int) -> Any:
    """Read an attribute of an item, such as ``"order.items.0"``; ``""`` is the item itself."""
    if not isinstance(attribute, str):
        return part_of(budget, value, attribute)
    budget.look(attribute)
    for part in re.findall("[^.]+", attribute):
        budget.spend(STEP)
        value = part_of(budget, value, int(part) if re.fullmatch("[0-9]{1,9}", part) else part)
    return value


def _parts(budget: RenderBudget, value: Any, attribute: str | int | None) -> list[Any]:
    """List the items, or an attribute of each."""
    items = _list(budget, value)
    return items if attribute is None else [present(_inner(budget, item, attribute)) for item in items]


def _sort(
    budget: RenderBudget,
    value: Any,
    reverse: bool = False,
    case_sensitive: bool = False,
    attribute: str | int | None = None,
) -> list[Any]:
    items, keys = _list(budget, value), _parts(budget, value, attribute)
    if not case_sensitive:
        keys = [_lower(budget, key) if isinstance(key, str) else key for key in keys]
    budget.spend(budget.weigh(keys) * len(keys).bit_length() // LOOKED)
    try:
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(reverse))
    except TypeError:
        kinds = " and ".join(sorted({kind_of(key) for key in keys}))
        raise TemplateError(f"{kinds} cannot be ordered; attribute='name' says what to compare") from None
    return [items[index] for index in order]


def _dictsort(
    budget: RenderBudget, value: Any, case_sensitive: bool = False, by: str = "key", reverse: bool = False
) -> list[Any]:
    if by not in ("key", "value"):
        raise TemplateError("it sorts by 'key' or by 'value'")
    return _sort(budget, _items(budget, value), reverse, case_sensitive, 0 if by == "key" else 1)


def _unique(
    budget: RenderBudget, value: Any, case_sensitive: bool = False, attribute: str | int | None = None
) -> list[Any]:
    found: dict[tuple[bool, str], Any] = {}  # keys are texts, since whole numbers can be made to collide
    for item, key in zip(_list(budget, value), _parts(budget, value, attribute), strict=True):
        text = budget.text(key) if case_sensitive else _lower(budget, key)
        found.setdefault((isinstance(key, str), text), item)
    return list(found.values())


def _sum(budget: RenderBudget, value: Any, attribute: str | int | None = None, start: float = 0) -> Any:
    total = number(start)
    for item in _parts(budget, value, attribute):
        total = number(total + number(item))
    return total


def _map(
    budget: RenderBudget,
    value: Any,
    filter: str | None = None,
    *values: Any,
    attribute: str | int | None = None,
    default: Any = None,
) -> list[Any]:
    if filter is not None:
        budget.spend(STEP * len(_list(budget, value)))
        return [present(FILTERS[filter](budget, item, *values)) for item in items_of(value)]
    if attribute is None or default is None:
        return _parts(budget, value, attribute)
    return [_default(budget, _inner(budget, item, attribute), default) for item in _list(budget, value)]


def _selecting(wanted: bool) -> Function:
    def select(
        budget: RenderBudget, value: Any, attribute: str | int, test: str | None = None, *values: Any
    ) -> list[Any]:
        found = []
        for item in _list(budget, value):
            budget.spend(STEP)
            given = _inner(budget, item, attribute)
            given = given if test in GUARDS else present(given)
            if bool(given if test is None else TESTS[test](budget, given, *values)) is wanted:
                found.append(item)
        return found

    return select


_selectattr, _rejectattr = _selecting(True), _selecting(False)

FILTERS: dict[str, Function] = {
    "abs": lambda _, value: abs(number(value)),
    "capitalize": _of_text(str.capitalize),
    "count": lambda _, value: len(_sized(value)),
    "d": _default,
    "default": _default,
    "dictsort": _dictsort,
    "first": _first,
    "float": _float,
    "format": _format,
    "indent": _indent,
    "int": _int,
    "items": _items,
    "join": _join,
    "last": _last,
    "length": lambda _, value: len(_sized(value)),
    "list": _list,
    "lower": _lower,
    "map": _map,
    "max": lambda budget, value, case_sensitive=False, attribute=None: _first(
        budget, _sort(budget, value, True, case_sensitive, attribute)
    ),
    "min": lambda budget, value, case_sensitive=False, attribute=None: _first(
        budget, _sort(budget, value, False, case_sensitive, attribute)
    ),
    "reject": lambda budget, value, test=None, *values: _rejectattr(budget, value, "", test, *values),
    "rejectattr": _rejectattr,
    "replace": _replace,
    "reverse": _reverse,
    "round": _round,
    "select": lambda budget, value, test=None, *values: _selectattr(budget, value, "", test, *values),
    "selectattr": _selectattr,
    "sort": _sort,
    "string": RenderBudget.text,
    "sum": _sum,
    "title": _title,
    "tojson": _tojson,
    "trim": _of_text(str.strip),
    "truncate": _truncate,
    "unique": _unique,
    "upper": _of_text(str.upper),
    "wordcount": lambda budget, value: sum(1 for _ in re.finditer(r"\w+", _text(budget, value))),
}

NAMING: dict[str, tuple[int, dict[str, Function]]] = {
    "map": (0, FILTERS),
    "reject": (0, TESTS),
    "rejectattr": (1, TESTS),
    "select": (0, TESTS),
    "selectattr": (1, TESTS),
}
"""The filters that take the name of another filter or of a test: at which place, and of which."""


# methods and functions


def _split(budget: RenderBudget, value: Any, separator: str | None = None, most: int = -1) -> list[Any]:
    text = _text(budget, value)
    budget.make(len(text) // 2 if separator is None else text.count(separator), ITEM)
    return list(text.split(separator, most))


_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


def _splitlines(budget: RenderBudget, value: Any) -> list[str]:
    text = _text(budget, value)
    budget.make(sum(map(text.count, _LINE_ENDS)) + 1, ITEM)
    return text.splitlines()


def _begins(method: Function) -> Function:
    def begins(budget: RenderBudget, value: Any, text: Any) -> bool:
        budget.look(only(str, text))
        return bool(method(only(str, value), text))

    return begins


def _method(kind: type, function: Function) -> Function:
    @wraps(function)
    def method(budget: RenderBudget, value: Any, *given: Any, **named: Any) -> Any:
        return function(budget, only(kind, value), *given, **named)

    return method


METHODS: dict[str, Function] = {
    "capitalize": _method(str, FILTERS["capitalize"]),
    "endswith": _begins(str.endswith),
    "get": _method(
        dict, lambda budget, value, key, default=None: _default(budget, part_of(budget, value, key), default)
    ),
    "items": _items,
    "join": _method(str, lambda budget, value, items: _join(budget, items, value)),
    "keys": _method(dict, _list),
    "lower": _method(str, _lower),
    "lstrip": _method(str, _of_text(str.lstrip)),
    "replace": _method(str, _replace),
    "rstrip": _method(str, _of_text(str.rstrip)),
    "split": _method(str, _split),
    "splitlines": _method(str, _splitlines),
    "startswith": _begins(str.startswith),
    "strip": _method(str, FILTERS["trim"]),
    "title": _method(str, _of_text(str.title)),
    "upper": _method(str, FILTERS["upper"]),
    "values": _method(dict, lambda budget, value: list(map(value.get, _list(budget, value)))),
}


def _range(budget: RenderBudget, start: int, stop: int | None = None, step: int = 1) -> list[int]:
    given = (start,) if stop is None else (start, stop, step)
    numbers = range(*map(whole, given))
    budget.make(len(numbers), ITEM)
    return list(numbers)


FUNCTIONS: dict[str, Function] = {"namespace": lambda _, **values: Namespace(values), "range": _range}
