"""How much a template may make: the measures that its operators, methods and filters share."""

from __future__ import annotations

import json
import re
from collections.abc import ItemsView, Iterable, Iterator, KeysView, ValuesView
from typing import Any

from jinja2 import TemplateRuntimeError, Undefined

from .render_budget import ITEM, made, tick

WORKING = 10_000_000
"""How many characters a value may have while a template is rendered."""
MAX_TEXT = 1_000_000
"""How many characters a template may render."""

_VIEWS = (KeysView, ValuesView, ItemsView)
_WIDE_FIELD = re.compile(r"\{[^{}]*:[^{}]*?(?:\{|\d{4,})")
_PERCENT = re.compile(r"%(?:\([^)]*\))?[-+ #0]*(?:\d{4,}|\*|\d*\.(?:\d{4,}|\*))")


def weigh(value: object) -> int:
    """Count a value's characters, however deep, its items counted in.

    Raises:
        TemplateRuntimeError: More than ``WORKING``.
    """
    tick()
    total, rest = 0, [value]
    while rest:
        item = rest.pop()
        if isinstance(item, _VIEWS):
            item = list(item)
        if isinstance(item, str):
            total += len(item)
        elif isinstance(item, (dict, list, tuple)):
            total += len(item) * ITEM
            bounded(total)
            rest.extend(item if not isinstance(item, dict) else (*item.keys(), *item.values()))
        bounded(total)
    return total


def bounded(size: int) -> None:
    """Refuse to make more than ``WORKING`` characters.

    Raises:
        TemplateRuntimeError: ``size`` is more.
    """
    if size > WORKING:
        raise TemplateRuntimeError(f"it would make more than {WORKING:,} characters")


def text_of(value: Any) -> str:
    """Print a value: text as it is, lists and tables as JSON, the rest as Python writes it."""
    if isinstance(value, (str, Undefined)):
        return str(value)
    if isinstance(value, (dict, list, tuple, Iterator, *_VIEWS)):
        return to_json(value)
    if callable(value):
        name = getattr(value, "__name__", None) or getattr(value, "name", "it")
        raise TemplateRuntimeError(f"{name} is a function: call it with parentheses")
    return str(value)


def to_json(value: Any, indent: int | None = None) -> str:
    """Write a value as JSON for people and models: no escapes for HTML."""
    value = collected(value)
    size = weigh(value)
    if indent:
        bounded(size * indent)
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent)
    except TypeError as error:
        raise TemplateRuntimeError(f"it cannot be written as JSON: {error}") from None


def collected(value: Any) -> Any:
    """Make a list of an iterator or of a view of a table, within the bounds; other values stay."""
    if isinstance(value, _VIEWS):
        return list(value)
    if not isinstance(value, Iterator):
        return value
    items, total = [], 0
    for item in value:
        total += weigh(item)
        bounded(total)
        items.append(item)
    return items


def joined(pieces: Iterable[Any]) -> str:
    """Join the operands of ``~``."""
    return concat(map(text_of, pieces))


def concat(pieces: Iterable[str]) -> str:
    """Join the pieces of a macro or a block."""
    pieces = list(pieces)
    bounded(sum(map(len, pieces)))
    text = "".join(pieces)
    made(text)
    return text


def replace(text: str, old: str, new: str, count: int | None = None) -> str:
    """Do ``text.replace``, within the bounds."""
    times = text.count(old) if count is None or count < 0 else min(count, text.count(old))
    bounded(len(text) + times * len(new))
    return text.replace(old, new, -1 if count is None else count)


def join(separator: str, items: Iterable[Any]) -> str:
    """Do ``separator.join``, of any values and within the bounds."""
    texts = [text_of(item) for item in collected(items)]
    bounded(sum(map(len, texts)) + len(separator) * len(texts))
    return separator.join(texts)


def percent(template: str, values: object) -> str:
    """Do ``template % values``, within the bounds."""
    if _PERCENT.search(template):
        raise TemplateRuntimeError("a width or precision of more than three digits")
    bounded(len(template) + (template.count("%") + 1) * weigh(values))
    return template % values


def check_fields(template: str, values: object) -> None:
    """Refuse a ``template.format`` that could make more than the bounds allow.

    Raises:
        TemplateRuntimeError: It could.
    """
    if _WIDE_FIELD.search(template):
        raise TemplateRuntimeError("a width or precision of more than three digits")
    bounded(len(template) + template.count("{") * (weigh(values) + 1000))


def within(pieces: Iterable[str]) -> str:
    """Join the text that a template renders.

    Raises:
        TemplateRuntimeError: It is longer than ``MAX_TEXT``.
    """
    made: list[str] = []
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > MAX_TEXT:
            raise TemplateRuntimeError(f"it renders more than {MAX_TEXT:,} characters")
        made.append(piece)
    return "".join(made)
