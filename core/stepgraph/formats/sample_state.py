"""Values for the keys that conditions read, so that a graph of which only the edges are known can run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..conditions import Condition
from ..expressions.tree import Compare, Constant, Group, IsNone, Not, Path, Tree
from ..values.json_values import Json

_LONGEST = 20
"""How long a list gets for a position in it that is asked for."""


def sample_state(conditions: Iterable[Condition]) -> dict[str, Json]:
    """Make a state in which each condition can be asked, and the first that reads a key mostly says yes."""
    state: dict[str, Any] = {}
    for condition in conditions:
        for path, value in _wanted(condition.tree) if condition.tree is not None else ():
            _put(state, (path.key, *path.parts), value)
    return state


def _wanted(tree: Tree) -> Iterator[tuple[Path, Json]]:
    """Find the paths of a condition, each with a value that it can be compared with there."""
    if isinstance(tree, Path):
        yield tree, True
    elif isinstance(tree, Not):
        yield from _wanted(tree.part)
    elif isinstance(tree, Group):
        # What is there at all is asked for beside what it is, and that says more.
        for part in sorted(tree.parts, key=lambda part: isinstance(part, IsNone)):
            yield from _wanted(part)
    elif isinstance(tree, IsNone):
        if tree.negated and isinstance(tree.operand, Path):
            yield tree.operand, True
    elif isinstance(tree, Compare):
        yield from ((path, value) for path, value in _compared(tree) if value is not None)


def _compared(tree: Compare) -> Iterator[tuple[Path, Json]]:
    left, right = tree.left, tree.right
    if isinstance(left, Path):
        value = right.value if isinstance(right, Constant) else 0
        if tree.operator.endswith("in") and isinstance(value, list):
            value = value[0] if value else ""
        yield left, value
    if isinstance(right, Path):
        value = left.value if isinstance(left, Constant) else 0
        yield right, [value] if tree.operator.endswith("in") else value


def _put(state: Any, path: tuple[str | int, ...], value: Json) -> None:
    """Put a value at a path, where nothing else was put on the way to it."""
    at: Any = state
    for part, following in zip(path, (*path[1:], None), strict=True):
        if isinstance(part, int):
            if not isinstance(at, list) or not -_LONGEST <= part < _LONGEST:
                return
            at += [""] * ((part + 1 if part >= 0 else -part) - len(at))
        elif not isinstance(at, dict):
            return
        there = at.get(part) if isinstance(part, str) else at[part]
        if there in (None, ""):  # nothing, or what fills a list up
            there = at[part] = value if following is None else [] if isinstance(following, int) else {}
        at = there
