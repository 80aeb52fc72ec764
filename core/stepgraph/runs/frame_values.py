"""The local variables of the user's functions where an exception was raised: cut, and without secrets.

No code of the user runs for it: an object is shown by its class and attributes, never its own ``repr``.
"""

from __future__ import annotations

import os
import re
import sysconfig
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from traceback import walk_tb
from types import FrameType, FunctionType, ModuleType, TracebackType
from typing import Any

from ..values.json_values import Json
from ..values.messages import encodable

_FRAMES, _VARIABLES = 5, 30
_LONGEST, _MOST = 200, 8_000  # characters of one value, and of all together
_DEPTH, _ITEMS, _READ = 3, 8, 10_000
_SENSITIVE = re.compile(
    r"(?:^|_|-)(?:api_?)?(?:key|token|secret|password|passwd|credential|cookie|authorization|bearer)s?$", re.I
)
_HIDDEN = "***"
_LEAST = 8  # characters of a variable of the environment that is looked for


def frames_of(trace: TracebackType | None, mask: Callable[[str], str] = str) -> list[Json]:
    """Return the local variables of the user's own frames, the innermost call last.

    Args:
        trace: Where the exception went through.
        mask: Hides the secrets of the run; it does before anything is cut.
    """
    own = [(frame, line) for frame, line in walk_tb(trace) if _is_own(frame)]
    frames: list[Json] = []
    room, hide = _MOST, _hider()
    for frame, line in own[-_FRAMES:][::-1]:
        values: dict[str, Json] = {}
        for name, value in list(frame.f_locals.items()):
            if room <= 0 or len(values) == _VARIABLES:
                break
            if name.startswith("__") or _is_passed_over(value):
                continue
            text = _shorten(encodable(hide(mask(_describe(value, name, _DEPTH)))))
            values[name] = text
            room -= len(name) + len(text)
        code = frame.f_code
        frames.append({"file": code.co_filename, "line": line, "function": code.co_name, "locals": values})
    return frames[::-1]


def _is_own(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    file = frame.f_code.co_filename
    return not name.startswith("stepgraph.") and not file.startswith(("<frozen", *_libraries()))


@cache
def _libraries() -> tuple[str, ...]:
    paths = sysconfig.get_paths()
    return tuple({paths[name] + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def _is_passed_over(value: object) -> bool:
    """Check whether a variable tells nothing: a module, a class, a function, or the state, which is shown."""
    kind = type(value)
    return kind.__module__.startswith("stepgraph.") or issubclass(kind, ModuleType | type | FunctionType)


def _hider() -> Callable[[str], str]:
    """Build the function that hides the values of the environment that are secret by their names."""
    secret = [value for name, value in os.environ.items() if _SENSITIVE.search(name) and len(value) >= _LEAST]
    if not secret:
        return str
    pattern = re.compile("|".join(re.escape(value) for value in sorted(secret, key=len, reverse=True)))
    return lambda text: pattern.sub(_HIDDEN, text)


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _describe(value: Any, name: str, depth: int) -> str:
    kind = type(value)
    if kind in (str, bytes):
        return _HIDDEN if _SENSITIVE.search(name) else repr(value[:_READ])
    if value is None or kind in (bool, int, float, complex):
        return repr(value) if kind is not int or value.bit_length() < 1_000 else "a large whole number"
    if depth == 0:
        return "…"
    if kind in (list, tuple, set, frozenset):
        items = _items((_describe(item, name, depth - 1) for item in value), len(value))
        return f"[{items}]" if kind is list else f"({items})" if kind is tuple else f"{{{items}}}"
    if kind is dict:
        pairs = (
            f"{_describe(key, '', depth - 1)}: {_describe(item, str(key), depth - 1)}"
            for key, item in value.items()
        )
        return f"{{{_items(pairs, len(value))}}}"
    parts = _attributes(value)
    pairs = (
        f"{key}={_describe(item, key, depth - 1)}" for key, item in parts.items() if not key.startswith("_")
    )
    return f"{kind.__name__}({_items(pairs, len(parts))})"


def _attributes(value: object) -> Mapping[str, Any]:
    """Read what an object keeps, past whatever its class makes of that."""
    try:
        kept = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return kept if type(kept) is dict else {}


def _items(items: Iterable[str], count: int) -> str:
    shown = [text for _, text in zip(range(_ITEMS), items, strict=False)]
    return ", ".join([*shown, "…"] if count > _ITEMS else shown)
