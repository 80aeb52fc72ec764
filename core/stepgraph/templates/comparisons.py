"""What a template may ask of values: how they compare, and what they are.

Each function takes the budget first, and pays for what it looks at.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .render_budget import Absent, RenderBudget, TemplateError, items_of, kind_of, number, only

Function = Callable[..., Any]

GUARDS = frozenset({"d", "default", "defined", "undefined"})
"""The filters and tests that take a value that may be missing."""


def _comparing(compare: Function) -> Function:
    def compared(budget: RenderBudget, value: Any, other: Any) -> bool:
        if isinstance(value, str) and isinstance(other, str):
            budget.look(min(value, other, key=len))
        elif type(value) is type(other):  # no more of them is looked at than there is in one
            budget.weigh(value)
        try:
            return bool(compare(value, other))
        except TypeError:
            raise TemplateError(f"{kind_of(value)} and {kind_of(other)} cannot be ordered") from None

    return compared


def _contained(budget: RenderBudget, value: Any, other: Any) -> bool:
    if isinstance(value, str):
        budget.look(value)
    if isinstance(other, str):
        budget.look(other)
        return only(str, value) in other
    if isinstance(other, dict):
        return isinstance(value, str) and value in other
    budget.weigh(items_of(other))
    return value in other


COMPARISONS: dict[str, Function] = {
    "eq": _comparing(operator.eq),
    "ne": _comparing(operator.ne),
    "lt": _comparing(operator.lt),
    "lteq": _comparing(operator.le),
    "gt": _comparing(operator.gt),
    "gteq": _comparing(operator.ge),
    "in": _contained,
    "notin": lambda budget, value, other: not _contained(budget, value, other),
}


def _is(*kinds: type, but: type = Absent) -> Function:
    return lambda _, value: isinstance(value, kinds) and not isinstance(value, but)


TESTS: dict[str, Function] = {
    "boolean": _is(bool),
    "defined": _is(object, but=Absent),
    "divisibleby": lambda _, value, by: number(value) % number(by) == 0,
    "even": lambda _, value: number(value) % 2 == 0,
    "false": lambda _, value: value is False,
    "float": _is(float),
    "in": _contained,
    "integer": _is(int, but=bool),
    "iterable": _is(list, dict, str),
    "mapping": _is(dict),
    "none": lambda _, value: value is None,
    "number": _is(int, float, but=bool),
    "odd": lambda _, value: number(value) % 2 == 1,
    "sequence": _is(list, dict, str),
    "string": _is(str),
    "true": lambda _, value: value is True,
    "undefined": _is(Absent, but=type(None)),
}
for _name, _spellings in {
    "eq": ("eq", "==", "equalto"),
    "ne": ("ne", "!="),
    "lt": ("lt", "<", "lessthan"),
    "lteq": ("le", "<="),
    "gt": ("gt", ">", "greaterthan"),
    "gteq": ("ge", ">="),
}.items():
    TESTS.update(dict.fromkeys(_spellings, COMPARISONS[_name]))
