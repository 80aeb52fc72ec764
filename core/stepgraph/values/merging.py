"""How the updates of a node are checked, and merge into the state."""

from __future__ import annotations

from collections.abc import Mapping

from .compare import type_name
from .errors import StateError
from .json_values import Json, identical, plain, plain_names, preview, text
from .state import Op, StateKey, fits

HOLDS = {"append": "list", "merge": "table"}
"""What the reducers that do not replace need the key to hold."""
_WIDE = 1 << 63
_SMALL = 64
"""Text up to this many characters is stored again even when it did not change: looking costs more."""


def check_value(key: StateKey | None, name: str, value: object) -> Json:
    """Check a value for the state key ``name``, and copy it.

    Raises:
        StateError: It is not JSON, or not of the key's declared type.
    """
    checked = plain(value, f'state["{name}"]')
    if key is None or key.type is None or checked is None or fits(checked, key.type):
        return checked
    if key.reducer == "append" and key.type == "list":
        return checked  # any other value becomes one item
    raise StateError(
        f'state["{name}"] is {type_name(checked)}, declared as {key.type}',
        hint=f"give it a {key.type}, or change its type in the graph",
    )


def check_whole(key: StateKey | None, name: object, value: object) -> Json:
    """Check a value that becomes the whole of the state key ``name``, its reducer left out, and copy it.

    Raises:
        StateError: The name is not text; the value is not JSON, or nothing that the key may hold.
    """
    checked = check_value(key, check_name(name), value)
    holds = None if key is None else HOLDS.get(key.reducer)
    if holds is None or checked is None or fits(checked, holds):
        return checked
    raise StateError(
        f'state["{name}"] is {type_name(checked)}, and its reducer "{key.reducer}" needs a {holds}',  # type: ignore[union-attr]
        hint=f"give it a {holds}",
    )


def check_name(name: object) -> str:
    """Check the name of a state key, and give it back.

    Raises:
        StateError: It is not text, or no sound one.
    """
    if not issubclass(type(name), str):
        raise StateError(
            f"the state cannot have the key {preview(name)}, which is not text", hint="write it as text"
        )
    return text(name, "a key of the state")


def merge_updates(
    values: dict[str, Json], updates: Mapping[str, object], keys: Mapping[str, StateKey]
) -> tuple[dict[str, Json], dict[str, Json], dict[str, Op] | None]:
    """Check a node's updates and merge them into a copy of the state.

    Args:
        values: The state before; not changed.
        updates: What the node returned.
        keys: The declared keys by name.

    Returns:
        The state after; the checked updates; and how each key that was not plainly replaced
        merged (None when all were): ``append`` and ``merge`` by its reducer, ``same`` for a large value
        that did not change (the ledger need not store it again), ``remove`` for an append key.

    Raises:
        StateError: A value is refused, by its path.
    """
    merged = values.copy()
    checked: dict[str, Json] = {}
    ops: dict[str, Op] | None = None
    for name, given in updates.items():
        if type(name) is not str:
            check_name(name)
            return merge_updates(values, plain_names(updates), keys)
        key = keys.get(name) if keys else None
        kind = type(given)
        if (  # the common case needs no call: a small scalar that is surely JSON
            key is None
            and name.isascii()
            and (
                kind is bool
                or (kind is int and -_WIDE < given < _WIDE)  # type: ignore[operator]
                or (kind is str and len(given) <= _SMALL and given.isascii())  # type: ignore[arg-type,attr-defined]
            )
        ):
            merged[name] = checked[name] = given  # type: ignore[assignment]
            continue
        value = check_value(key, check_name(name), given)
        checked[name] = value
        op = _merge_one(merged, name, value, key)
        if op is not None:
            if ops is None:
                ops = {}
            ops[name] = op
    return merged, checked, ops


def _merge_one(merged: dict[str, Json], name: str, value: Json, key: StateKey | None) -> Op | None:
    reducer = "replace" if key is None else key.reducer
    if value is None:
        merged.pop(name, None)
        return "remove" if reducer == "append" else None
    if reducer == "append":
        merged[name] = appended(merged.get(name), value, name)
        return "append"
    if reducer == "merge" and name in merged:
        merged[name] = merged_tables(merged[name], value, name)
        return "merge"
    kind = type(value)
    if (kind is list or kind is dict or (kind is str and len(value) > _SMALL)) and identical(  # type: ignore[arg-type]
        merged.get(name), value
    ):
        return "same"
    merged[name] = value
    return None


def appended(old: Json, value: Json, name: str) -> list[Json]:
    """Append to a list: the items of a list, anything else as one item."""
    if old is not None and type(old) is not list:
        raise StateError(
            f'state["{name}"] is {type_name(old)}, and its reducer "append" needs a list',
            hint="start it with a list, or without a value",
        )
    return [*(old or []), *(value if type(value) is list else [value])]


def merged_tables(old: Json, value: Json, name: str) -> dict[str, Json]:
    """Merge ``value`` over the table ``old``, one level deep."""
    if type(old) is dict and type(value) is dict:
        return {**old, **value}
    wrong = old if type(old) is not dict else value
    raise StateError(
        f'state["{name}"] is {type_name(wrong)}, and its reducer "merge" needs tables',
        hint="return a table of the changed parts",
    )
