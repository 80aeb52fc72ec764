"""The values that a state may hold: JSON, checked and copied on the way in."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

from .errors import RunError, StateError

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None

MAX_DEPTH = 100
"""How many containers deep a value may be nested."""

MAX_PARTS = 5_000_000
"""How many values may be in one; a list that holds one list twice, and so on, has many in a few bytes."""

_PREVIEWED = 100  # characters
_BIGGEST = 10**4000  # CPython refuses to print integers of more than 4,300 digits.


def plain(value: object, path: str) -> Json:
    """Check that ``value`` is JSON and return a copy that shares no container with it.

    Tuples become lists, and subclasses of the JSON types become the plain types.

    Args:
        value: What a node, a file or a person gave.
        path: Where it belongs, for the message: ``state["docs"]``.

    Raises:
        StateError: It is not JSON; the message names the exact part that is not.
    """
    kind = type(value)
    if kind is str:
        return _text(value, path)  # type: ignore[arg-type]  # str by the line above
    if value is None or kind is bool:
        return value  # type: ignore[return-value]  # None or bool
    return _number_or_container(value, path, 0, [MAX_PARTS])


def text(value: object, path: str) -> str:
    """Check that ``value`` is a text that can be stored, and return it.

    Args:
        value: What somebody gave.
        path: What it is, for the message.

    Raises:
        StateError: It is none.
    """
    if not issubclass(type(value), str):
        raise StateError(f"{path} is {with_article(class_name(value))}, not a text", hint="write it as text")
    return _text(str.__str__(value), path)


def _text(value: str, path: str) -> str:
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise StateError(
            f"{path} has a lone surrogate at character {error.start}",
            hint="decode the bytes with errors='replace' before they go into the state",
        ) from None
    return value


def _number_or_container(value: Any, path: str, depth: int, room: list[int]) -> Json:
    """Copy a value by what it is, not by what its class says of it.

    ``isinstance`` would believe ``__class__``; ``int()`` and iteration call what a subclass has made of them.
    Only the items of a table are asked for, as the ``json`` module asks for them.
    """
    kind: Any = type(value)
    if kind is bool or value is None:
        return cast(bool | None, value)
    if issubclass(kind, (int, float)):
        return _number(value, kind, path)
    if issubclass(kind, str):
        return _text(str.__str__(value), path)
    if not issubclass(kind, (list, tuple, dict)):
        hint = "the state holds JSON only: " + _advice(kind)
        raise StateError(f"{path} is {with_article(class_name(value))}", hint=hint)
    if depth >= MAX_DEPTH:
        raise StateError(f"{path} is nested deeper than {MAX_DEPTH} levels", hint="does it contain itself?")
    if issubclass(kind, dict):
        items = pairs(value, path, room[0])
        room[0] -= len(items)
        return _table(items, path, depth, room)
    copied = list.copy(value) if issubclass(kind, list) else tuple.__getitem__(value, slice(None))
    room[0] -= len(copied)
    if room[0] < 0:
        raise _too_many(path)
    return [_number_or_container(item, f"{path}[{i}]", depth + 1, room) for i, item in enumerate(copied)]


def _number(value: Any, kind: Any, path: str) -> int | float:
    if issubclass(kind, int):
        whole = int.__int__(value)
        if -_BIGGEST < whole < _BIGGEST:
            return whole
        raise StateError(f"{path} is a whole number of more than 4,000 digits", hint="store it as text")
    number = float.__float__(value)
    if math.isfinite(number):
        return number
    raise StateError(f"{path} is {number}, not a finite number", hint="leave the key out, or store text")


def pairs(table: Mapping[Any, Any], path: str, most: int | None = None) -> list[tuple[Any, Any]]:
    """List the items of a table as they are now: another thread may be at it, and they may never end.

    Raises:
        StateError: There are too many.
    """
    most = MAX_PARTS if most is None else most
    items = list(islice(table.items(), most + 1))
    if len(items) > most:
        raise _too_many(path)
    return items


def plain_names(table: Mapping[Any, Any]) -> dict[Any, Any]:
    """Copy a table with its names as plain text: a subclass of text may hash and compare as it likes."""
    return {
        str.__str__(name) if issubclass(type(name), str) else name: value for name, value in table.items()
    }


def _too_many(path: str) -> StateError:
    hint = "keep it in a file or a database, and in the state where it is"
    return StateError(f"{path} is of a value that has more than {MAX_PARTS:,} parts", hint=hint)


def _table(items: list[tuple[Any, Any]], path: str, depth: int, room: list[int]) -> dict[str, Json]:
    table: dict[str, Json] = {}
    for key, item in items:
        if not issubclass(type(key), str):
            raise StateError(f"{path} has the key {preview(key)}, which is not text", hint="write it as text")
        name = _text(str.__str__(key), f"a key of {path}")
        table[name] = _number_or_container(item, f"{path}[{json.dumps(name)}]", depth + 1, room)
    return table


def preview(value: object) -> str:
    """Show the beginning of any object's ``repr``, for a message about it."""
    try:
        return str.__str__(repr(value))[:_PREVIEWED]
    except BaseException:  # whatever a repr of the user's raises must not hide what the message is about
        return f"<{class_name(value)} that cannot be shown>"


_class_name = type.__dict__["__name__"].__get__


def class_name(value: object) -> str:
    """Name a value's class, whatever the class or a metaclass says that its name is."""
    name: str = _class_name(type(value))
    return name


def with_article(noun: str) -> str:
    """Put ``a`` or ``an`` before a noun."""
    return f"an {noun}" if noun[:1].lower() in "aeiou" else f"a {noun}"


_ADVICE = {
    "model_dump": 'store what its model_dump(mode="json") returns',
    "__dataclass_fields__": "store what dataclasses.asdict returns for it",
    "isoformat": "store what its isoformat() returns",
    "tolist": "store what its tolist() returns",
}
"""What to do with a value whose class has a name: a model of pydantic, a dataclass, a date, an array."""


def _advice(kind: type) -> str:
    if issubclass(kind, (set, frozenset)):
        return "make it a list"
    if issubclass(kind, bytes):
        return "decode it to text"
    has = {name for base in kind.__mro__ for name in vars(base)}
    for name, advice in _ADVICE.items():
        if name in has:
            return advice
    return "text, numbers, booleans, lists and tables"


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Copy a value of JSON with each of its texts changed, also the names in tables."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [with_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {with_texts(name, change): with_texts(item, change) for name, item in value.items()}
    return value


def copy_json(value: Json) -> Json:
    """Copy a value that is known to be plain JSON, however deep."""
    if type(value) is list:
        return [copy_json(item) if type(item) is list or type(item) is dict else item for item in value]
    if type(value) is dict:
        return {
            key: copy_json(item) if type(item) is list or type(item) is dict else item
            for key, item in value.items()
        }
    return value


def identical(one: Json, other: Json) -> bool:
    """True when both values print as the same JSON text (so 2 and 2.0 differ, as do 1 and true)."""
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is list:
        return len(one) == len(other) and all(map(identical, one, other))  # type: ignore[arg-type]
    if kind is dict:
        return list(one) == list(other) and all(  # type: ignore[arg-type]
            identical(item, other[key])  # type: ignore[index]
            for key, item in one.items()  # type: ignore[union-attr]
        )
    return one == other and not (one == 0 and str(one) != str(other))  # 0.0 and -0.0 print differently


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_canonical = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


def dumps(value: object) -> str:
    """Write ``value`` as compact JSON, keys in their own order."""
    return _encode(value)


def canonical(value: object) -> str:
    """Write ``value`` as compact JSON with sorted keys: the same text for the same value, for hashing."""
    return _canonical(value)


def read_path(values: dict[str, Json], path: str) -> Json:
    """Read the value at a dotted path such as ``order.amount``.

    Raises:
        KeyError: No such value; the argument is the part of the path that is missing.
    """
    if path in values:
        return values[path]
    found: Json = values
    done: list[str] = []
    for part in path.split("."):
        done.append(part)
        if type(found) is not dict or part not in found:
            raise KeyError(".".join(done))
        found = found[part]
    return found


def by_path(table: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten a table to its dotted paths and their values; tables themselves are no values then."""
    found: dict[str, Any] = {}
    for key, value in table.items():
        inner = by_path(value) if isinstance(value, Mapping) else {}
        found |= {f"{key}.{path}": item for path, item in inner.items()} or {key: value}
    return found


def with_path(values: dict[str, Json], path: str, value: Json) -> dict[str, Json]:
    """Build the top-level update that sets ``value`` at a dotted path, the rest of the table kept.

    Raises:
        KeyError: A table on the way is missing; the argument is the part that is.
    """
    if path in values or "." not in path:
        return {path: value}
    head, rest = path.split(".", 1)
    table = values.get(head)
    if type(table) is not dict:
        raise KeyError(head)
    return {head: {**table, **with_path(table, rest, value)}}


_SINCE_BOOT: int | None = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
_LAST = 253_402_214_400  # a day before the calendar ends, since it ends earlier in the east


class _Clock(Protocol):
    def time(self) -> object: ...

    def perf_counter(self) -> object: ...


class CheckedClock:
    """Tells what a clock tells, and refuses what is no time.

    Args:
        clock: What is asked; the standard ``time`` module needs no check.
    """

    def __init__(self, clock: _Clock) -> None:
        self._clock = clock

    def time(self) -> float:
        """Return the seconds since 1970.

        Raises:
            RunError: The clock tells no time that a calendar has.
        """
        return checked_time(self._clock.time)

    def perf_counter(self) -> float:
        """Return the seconds since an arbitrary moment.

        Raises:
            RunError: The clock tells no number of seconds.
        """
        now = self._clock.perf_counter()
        if isinstance(now, (int, float)) and abs(now) < _LAST:
            return now
        raise RunError(
            f"the clock's perf_counter() gave {preview(now)}",
            hint="it must return the seconds since some moment as a number",
        )


def is_real(tell: Callable[[], object] | None) -> bool:
    """Return True for the machine's own clock, which None stands for, and False for a program's."""
    return tell is None or tell is time.time


def boot_id() -> str | None:
    """Read what names the time since this machine was started; None where the system does not tell."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return None


def uptime() -> float:
    """Read the seconds since this machine was started, by a clock that nobody sets.

    All processes have the same one, and it goes on while they or the machine sleep (not on Windows).
    """
    return time.monotonic() if _SINCE_BOOT is None else time.clock_gettime(_SINCE_BOOT)


def checked_time(tell: Callable[[], object]) -> float:
    """Ask for the seconds since 1970.

    Raises:
        RunError: It is no time of the calendar.
    """
    now = tell()
    if isinstance(now, (int, float)) and 0 <= now < _LAST:
        return now
    raise RunError(
        f"the clock's time() gave {preview(now)}",
        hint="it must return the seconds since 1970 as a number, before the year 10000",
    )


SHOWN = 60
"""How many characters of a value messages and explanations show."""

_spaced = json.JSONEncoder(ensure_ascii=False).encode


def json_pieces(value: Json) -> Iterator[str]:
    """Write a value as JSON on one line, piece by piece, for those who may not want all of it.

    What ``json`` itself has for this makes rings of functions at each call, which hold the value until
    somebody looks for garbage; a command of the shell never does.
    """
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield ", " if number else "["
            yield from json_pieces(item)
        yield "]" if value else "[]"
    elif isinstance(value, dict):
        for number, (name, item) in enumerate(value.items()):
            yield ", " if number else "{"
            yield f"{_spaced(name)}: "
            yield from json_pieces(item)
        yield "}" if value else "{}"
    else:
        yield _spaced(value)


def json_equal(one: Json, other: Json) -> bool:
    """True when both are the same JSON value.

    Numbers compare by value (2 equals 2.0), a boolean never equals a number, text equals only text;
    lists compare item by item, tables key by key whatever their order.
    """
    kind = type(one)
    if kind is type(other):
        if kind is list:
            return _same_items(one, other)  # type: ignore[arg-type]  # both are lists
        if kind is dict:
            return _same_table(one, other)  # type: ignore[arg-type]  # both are tables
        return one == other
    return is_number(one) and is_number(other) and one == other


def _same_items(one: list[Json], other: list[Json]) -> bool:
    return len(one) == len(other) and all(map(json_equal, one, other))


def _same_table(one: dict[str, Json], other: dict[str, Json]) -> bool:
    return one.keys() == other.keys() and all(json_equal(item, other[key]) for key, item in one.items())


def is_number(value: Json) -> bool:
    """True for whole and broken numbers, not for booleans."""
    kind = type(value)
    return kind is int or kind is float


def orderable(one: Json, other: Json) -> bool:
    """True when ``<`` means something between the two: numbers, or texts."""
    if type(one) is str:
        return type(other) is str
    return is_number(one) and is_number(other)


def contains(container: Json, item: Json) -> bool | None:
    """Check whether ``item in container``: an item of a list, a part of a text, a key of a table.

    Returns:
        None when the question makes no sense: a number in a text, anything in a number.
    """
    if type(container) is list:
        return any(json_equal(item, member) for member in container)
    if type(item) is str and (type(container) is str or type(container) is dict):
        return item in container
    return None


_JOINERS = "\u200c\u200d"  # parts of emoji and of several scripts; they move nothing


def escaped(text: str) -> str:
    """Write every character that does not print as itself as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char in _JOINERS else _escape(char) for char in text)


def _escape(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def json_line(value: Json, limit: int = SHOWN) -> str:
    """Write a value as JSON on one line, of at most ``limit`` characters, safe to print to a terminal."""
    if type(value) is str:
        value = value[: limit + 1]  # what is cut off need not be escaped first
    text = ""
    for piece in json_pieces(value):
        text += escaped(piece[: limit + 1])
        if len(text) > limit:
            return text[: limit - 1] + "…"
    return text


def with_kind(value: Json) -> str:
    """Show a value with its kind before it: ``the text "12"``."""
    return "null" if value is None else f"the {type_name(value)} {json_line(value)}"


def type_name(value: Json) -> str:
    """Name a value's type as graph files do."""
    if isinstance(value, bool):
        return "boolean"
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list):
        return "list"
    return "table" if isinstance(value, dict) else "number"
