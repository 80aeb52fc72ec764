"""Values inside a state by their paths: found there, and changed without touching the rest."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from typing import Literal, TypeAlias

from ..values.errors import ExpressionError, StateError
from ..values.json_values import Json, identical
from ..values.state import UNSET, Unset
from . import tree
from .explaining import MISSING, Missing
from .parsing import parse
from .tree import HIDDEN, path_text, quoted

Path: TypeAlias = "tuple[str | int, ...]"
"""Where a value is: a key of the state, then keys of tables and positions in lists."""
Changes: TypeAlias = "Mapping[Path, Json | Unset]"
"""New values by their paths; UNSET for what is taken away."""


def read_path(text: str, known: Container[str]) -> Path:
    """Read a path as conditions write it; a key that the state has may be written as it is.

    Args:
        text: ``route``, ``order.amount``, ``docs[3]``, ``state["my-key"]``.
        known: The keys that the state has or may have, however they are spelled.

    Raises:
        StateError: It is none.
    """
    if text in known or text in HIDDEN:  # a fact of the run is not a place: the key of that name is meant
        return (text,)
    with suppress(ExpressionError):
        return parsed_path(text)
    if text.isidentifier():  # a word of Python's, such as class
        return (text,)
    hint = (
        f"write it as conditions do: order.amount, docs[0]; a new key of that name is state[{quoted(text)}]"
    )
    raise StateError(f"{text!r} is neither a key of the state nor a path", hint=hint)


def parsed_path(text: str) -> Path:
    """Read a path, spelled as in conditions.

    Raises:
        ExpressionError: It is none.
    """
    found: object = None
    with suppress(ExpressionError):
        found = parse(text)
    if not isinstance(found, tree.Path):
        hint = f"name a key, such as status or order.amount; one of that very name is state[{quoted(text)}]"
        raise ExpressionError(f"{text!r} is not part of the state", text=text, hint=hint)
    return (found.key, *found.parts)


def value_at(values: Mapping[str, Json], path: Path) -> Json | Literal[Missing.MISSING]:
    """Find a value by its path; MISSING where the path leads nowhere."""
    found = values.get(str(path[0]), MISSING)
    for part in path[1:]:
        if isinstance(found, dict) and isinstance(part, str):
            found = found.get(part, MISSING)
        elif isinstance(found, list) and isinstance(part, int) and -len(found) <= part < len(found):
            found = found[part]
        else:
            return MISSING
    return found


def updated(values: Mapping[str, Json], changes: Changes) -> dict[str, Json]:
    """Compute the top-level keys that changes change; None for a key that is taken away.

    Raises:
        StateError: A path leads through something that the state does not have.
    """
    updates: dict[str, Json] = {}
    for path, value in changes.items():
        key = str(path[0])
        if len(path) > 1 and key not in updates and key not in values:
            whole = path_text(path)
            raise StateError(
                f"the state has no key {key!r}, so it has no {whole}",
                hint=f"set the whole of {key!r} instead; a key of that very name is state[{quoted(whole)}]",
            )
        now = updates[key] if key in updates else values.get(key)
        if len(path) == 1:
            updates[key] = None if isinstance(value, Unset) else value
        else:
            updates[key] = _inside(now, path, 1, value)
    return updates


def _inside(container: Json, path: Path, at: int, value: Json | Unset) -> Json:
    """Copy a table or a list with one value replaced."""
    part, is_last = path[at], at == len(path) - 1
    copied: dict[str, Json] | list[Json]
    if isinstance(container, dict) and isinstance(part, str):
        copied = dict(container)
        found = part in copied
    elif isinstance(container, list) and isinstance(part, int):
        copied = list(container)
        found = 0 <= part < len(copied)
    else:
        raise _no_container(path, at)
    if not found and (not is_last or isinstance(value, Unset) or isinstance(container, list)):
        raise _not_there(path, at)
    if not is_last:
        copied[part] = _inside(copied[part], path, at + 1, value)  # type: ignore[index]
    elif isinstance(value, Unset):
        del copied[part]  # type: ignore[arg-type]
    else:
        copied[part] = value  # type: ignore[index]
    return copied


def _no_container(path: Path, at: int) -> StateError:
    kind = "list" if isinstance(path[at], int) else "table"
    return StateError(f"{path_text(path[:at])} is not a {kind}, so it has no {path_text(path[: at + 1])}")


def _not_there(path: Path, at: int) -> StateError:
    what = f"item {path[at]}" if isinstance(path[at], int) else f"key {path[at]!r}"
    return StateError(f"{path_text(path[:at])} has no {what}", hint="set the whole of it instead")


def changed_paths(before: Mapping[str, Json], after: Mapping[str, Json]) -> dict[Path, Json | Unset]:
    """List what differs between two states, as deep in their tables as possible."""
    return dict(_changed(before, after, ()))


def _changed(
    before: Mapping[str, Json], after: Mapping[str, Json], to: Path
) -> Iterator[tuple[Path, Json | Unset]]:
    for key in dict.fromkeys([*before, *after]):
        path = (*to, key)
        if key not in after:
            yield path, UNSET
        elif key not in before:
            yield path, after[key]
        else:
            old, new = before[key], after[key]
            if isinstance(old, dict) and isinstance(new, dict) and new:
                yield from _changed(old, new, path)
            elif not identical(old, new):
                yield path, new
