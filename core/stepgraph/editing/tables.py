"""What changed between two tables of a file, in the words of a status line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..json_values import identical
from .naming import said

_NAMED = 3


def changed_keys(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """The keys that were added, removed or changed; empty when none was."""
    keys = [key for key in {**old, **new} if not _same(key, old, new)]
    if not keys:
        return "" if list(old) == list(new) else "the order of the settings"
    if len(keys) > _NAMED:
        return f"{len(keys)} settings"
    *some, last = map(said, keys)
    return f"{', '.join(some)} and {last}" if some else last


def _same(key: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return key in old and key in new and identical(old[key], new[key])
