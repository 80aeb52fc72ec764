"""Why a template could not be rendered, in words: every missing name at once, the place, what to write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..values.errors import NodeFailed, StateError
from ..values.problems import nearest

if TYPE_CHECKING:
    from .parsing import Path

_KINDS = {"dict": "a table", "list": "a list", "str": "a text", "int": "a number", "float": "a number"}
_ATTRIBUTE = re.compile(r"'(\w+) object' has no (?:attribute|element)")


def failure(where: str, paths: Iterable[Path], state: Mapping[str, Any], error: Exception) -> NodeFailed:
    """The failure for whatever rendering a template raised.

    Args:
        where: The setting that the template comes from.
        paths: The paths that the template cannot do without.
        state: The state that it was rendered with.
        error: What was raised.
    """
    stated = isinstance(error, StateError)
    if stated or type(error).__name__ == "UndefinedError":
        lacking = list(_lacking(paths, state))
        if lacking:
            names = ", ".join(text for text, _ in lacking)
            message = f"the template {where!r} needs what the state does not have: {names}"
            return NodeFailed(message, hint=_known(state) if any(lost for _, lost in lacking) else "")
    if isinstance(error, StateError):
        return NodeFailed(f"the template {where!r} gives no JSON: {error.message}", hint=error.hint)
    return NodeFailed(f"the template {where!r} failed{_line(error)}: {_said(error)}")


def _lacking(paths: Iterable[Path], state: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """The paths that the state does not have, each once.

    Yields:
        The path with the nearest one that the state has; and whether nothing at all comes near.
    """
    seen: set[tuple[str | int, ...]] = set()
    for path in paths:
        parts = path[1:] if path[0] == "state" and "state" not in state else path
        value: Any = state
        for index, part in enumerate(parts):
            if _has(value, part):
                value = value[part]
                continue
            missing = parts[: index + 1]
            if missing not in seen:
                seen.add(missing)
                yield _described(missing, value)
            break


def _described(missing: Path, among: Any) -> tuple[str, bool]:
    name = repr(".".join(map(str, missing)))
    close = nearest(str(missing[-1]), among) if isinstance(among, Mapping) else None
    if close is None:
        return name, len(missing) == 1
    return f"{name} (did you mean {'.'.join(map(str, (*missing[:-1], close)))!r}?)", False


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, Mapping):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and -len(value) <= part < len(value)


def _known(state: Mapping[str, Any]) -> str:
    names = list(state)
    more = ", …" if len(names) > 10 else ""
    return f"it has: {', '.join(names[:10])}{more}" if names else "it is empty"


def _said(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it calls itself without end"
    message = _ATTRIBUTE.sub(lambda found: f"{_KINDS.get(found[1], 'a ' + found[1])} has no", str(error))
    return message if type(error).__module__.startswith("jinja2") else f"{type(error).__name__}: {message}"


def _line(error: Exception) -> str:
    """The line of the template at which it failed, as `` at line 3``."""
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<template>":
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" at line {line}" if line else ""
