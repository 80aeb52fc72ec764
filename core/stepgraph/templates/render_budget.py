"""What templates compute with, and what one rendering may use up.

Work is counted, never timed: a part of the template, a character that is made, an item that is looked at.
Whatever hands a value of any size to Python's own code pays for it first.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable
from itertools import chain
from typing import Any

WORK = 20_000_000
"""How much work a rendering may be: a second or two."""
STEP = 20
"""What a part of the template costs, each time that it is computed."""
ITEM = 16
"""What an item of a list or a table costs, in characters."""
LOOKED = 8
"""How many characters of a text may be looked at for the price of one that is made."""
LONGEST = 1_000_000
"""How many characters a text may have that a template makes, and all that it renders."""
MAX_BITS = 13_300
"""Whole numbers of more than 4,000 digits cannot go into the state."""


class TemplateError(Exception):
    """A template asks for what it cannot have; the message says what, and what to do instead."""


class MissingValue(TemplateError):
    """A template needs a value that is not there."""


class Absent:
    """What stands for a value that is not there; whoever needs it fails.

    Args:
        message: What is missing.
    """

    def __init__(self, message: str) -> None:
        self.message = message


class Namespace:
    """Variables that a loop may set: ``{% set found.count = found.count + 1 %}``."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values


class RenderBudget:
    """The work that is left for one rendering, and what costs it."""

    def __init__(self) -> None:
        self.left = WORK

    def spend(self, work: int) -> None:
        """Count some work.

        Raises:
            TemplateError: It is too much.
        """
        self.left -= max(work, 0)
        if self.left < 0:
            raise TemplateError(
                "it is too much work; loop over less, or let a tool or handler prepare the text"
            )

    def weigh(self, value: object, indent: int = 0) -> int:
        """Count what is in a value, however deep: a part that is in it twice counts twice.

        Args:
            value: The value.
            indent: How far each level is going to be indented.
        """
        weight, levels = 0, [iter((value,))]
        while levels:
            for item in levels[-1]:
                own = (len(item) if isinstance(item, str) else ITEM) + (len(levels) - 1) * indent
                if isinstance(item, int):
                    own += item.bit_length() // 3
                self.spend(own)
                weight += own
                if isinstance(item, (list, dict)):
                    levels.append(chain(item, item.values()) if isinstance(item, dict) else iter(item))
                    break
            else:
                levels.pop()
        return weight

    def look(self, text: str) -> None:
        """Pay for going through a text once."""
        self.spend(len(text) // LOOKED)

    def make(self, size: int, cost: int = 1) -> None:
        """Pay for a text or a list, before it is made.

        Raises:
            TemplateError: It is too long, or too much work.
        """
        if size > LONGEST:
            count = f"{size:,}" if size < 10**15 else "so many"
            unit = "characters" if cost == 1 else "items"
            raise TemplateError(f"{count} {unit} are too many: {LONGEST:,} are the most")
        self.spend(size * cost)

    def text(self, value: Any) -> str:
        """Print a value: text as it is, lists and tables as JSON, the rest as Python writes it."""
        if isinstance(value, str):
            return value
        if isinstance(value, (list, dict)):
            return self.json(value)
        if value is not None and not isinstance(value, (int, float)):
            raise TemplateError(f"{kind_of(value)} cannot be printed: print what is in it")
        self.weigh(value)
        return str(value)

    def json(self, value: Any, indent: int = 0) -> str:
        """Write a value as JSON for people and models: no escapes for HTML."""
        if self.weigh(value, indent) > 4 * LONGEST:
            raise TemplateError("it is too large to be written as JSON")
        try:
            return json.dumps(value, ensure_ascii=False, indent=indent or None)
        except TypeError:
            raise TemplateError("a namespace cannot be written as JSON") from None

    def join(self, texts: list[str], separator: str = "") -> str:
        """Join texts."""
        self.make(sum(map(len, texts)) + len(separator) * max(len(texts) - 1, 0))
        return separator.join(texts)


def present(value: Any) -> Any:
    """Return a value unchanged.

    Raises:
        MissingValue: It is not there.
    """
    if isinstance(value, Absent):
        raise MissingValue(value.message)
    return value


def part_of(budget: RenderBudget, value: Any, key: Any) -> Any:
    """Read ``value.key`` or ``value[key]``: of a table by text, of a list or a text by number."""
    if isinstance(key, str):
        budget.look(key)  # it is compared with the key that it equals
    if isinstance(value, Absent):
        return value
    kind, found = kind_of(value), value.values if isinstance(value, Namespace) else value
    if isinstance(found, dict) and isinstance(key, str):
        return found[key] if key in found else Absent(f"{kind} has no {_short(key)}")
    if isinstance(found, (list, str)) and isinstance(key, int):
        return found[key] if -len(found) <= key < len(found) else Absent(f"{kind} has no item {_short(key)}")
    return Absent(f"{kind} has no {_short(key)}")


def items_of(value: Any) -> list[Any] | str:
    """Return what can be looped over: a list, the keys of a table, the characters of a text.

    Raises:
        TemplateError: It is none of them.
    """
    if isinstance(value, dict):
        return list(value)
    if isinstance(value, (list, str)):
        return value
    raise TemplateError(f"a list is needed here, not {kind_of(value)}")


def number(value: Any) -> Any:
    """Return a number unchanged.

    Raises:
        TemplateError: It is none, or none that can be stored.
    """
    if not isinstance(value, (int, float)):
        raise TemplateError(f"a number is needed here, not {kind_of(value)}")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise TemplateError("the number has more than 4,000 digits")
    if isinstance(value, float) and not math.isfinite(value):
        raise TemplateError("the number is too large")
    return value


def whole(value: Any) -> int:
    """Return a whole number unchanged.

    Raises:
        TemplateError: It is none.
    """
    if not isinstance(value, int):
        raise TemplateError(f"a whole number is needed here, not {kind_of(value)}")
    return value


def kind_of(value: object) -> str:
    """Describe what a value is, for messages."""
    kinds: dict[type, str] = {
        bool: "a boolean",
        dict: "a table",
        float: "a number",
        int: "a number",
        list: "a list",
        str: "a text",
        Namespace: "a namespace",
    }
    return "none" if value is None else kinds.get(type(value), "what is not JSON")


def only(kind: type, value: Any) -> Any:
    """Return a value, or refuse one of another kind."""
    if not isinstance(value, kind):
        raise TemplateError(f"{kind_of(kind())} is needed here, not {kind_of(value)}")
    return value


def _short(key: object) -> str:
    if isinstance(key, str):
        return repr(key[:100])
    return str(key) if isinstance(key, int) and key.bit_length() < 64 else kind_of(key)


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
