"""Tables that forms give back: what of them goes into a file, and what they change, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..json_values import identical
from ..validation.names import is_sound
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


def written(table: Mapping[str, Any]) -> dict[str, Any]:
    """A table that a form gave, as a file can have it: without what is None.

    Raises:
        EditError: A text in it cannot be stored.
    """
    found = {key: value for key, value in table.items() if value is not None}
    for key, value in found.items():
        if not all(map(is_sound, _texts(value))):
            raise EditError(f"{said(key)} has half a character in it", hint="retype it")
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _same(key: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return key in old and key in new and identical(old[key], new[key])
