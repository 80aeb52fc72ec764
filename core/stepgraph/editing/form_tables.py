"""Tables that forms give back: what of them goes into a file, and what they change, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..values.errors import StateError
from ..values.json_values import Json, identical, plain
from .edit import EditError
from .naming import joined, said

_NAMED = 3


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The keys that were added, removed or changed; empty when none was."""
    keys = [key for key in {**old, **new} if not _same(key, old, new)]
    if not keys:
        return "" if list(old) == list(new) else "the order of the settings"
    if len(keys) > _NAMED:
        return f"{len(keys)} settings"
    return joined([said(key) for key in keys])


def written(table: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """A table that a form gave, as a file can have it: without what is None.

    Args:
        table: What the form gave; what is new in it is copied.
        old: What stands there now. A value of it stays, whatever it is: files may have dates.

    Raises:
        EditError: A new value is none that a file can hold.
    """
    return {
        key: value if key in old and value is old[key] else _value(key, value)
        for key, value in table.items()
        if value is not None
    }


def _value(key: str, value: Any) -> Json:
    try:
        found = plain(value, said(key))
    except StateError as error:
        raise EditError(error.message, hint=error.hint) from None
    if _has_null(found):
        raise EditError(f"{said(key)} has a null in it, which no file can hold", hint="leave it out")
    return found


def _has_null(value: Json) -> bool:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(item is None or _has_null(item) for item in items)


def _same(key: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return key in old and key in new and identical(old[key], new[key])
