"""``--input key=value`` and ``--set key=value``: from words to checked values, every wrong one by its key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from stepgraph.compare import shown
from stepgraph.errors import StateError
from stepgraph.problems import nearest
from stepgraph.state import ValueType, check_value, fits, type_name
from stepgraph_tui.words.text import visible

if TYPE_CHECKING:
    from stepgraph.json_values import Json
    from stepgraph.state import StateKey

_NO_PAIR = "is not KEY=VALUE"
_LARGEST = 10_000_000  # bytes of an input file
_Fits = Callable[[str, "Json"], str | None]
"""Says why a value does not suit a key, or None when it does."""


def read_inputs(words: Sequence[str], keys: Mapping[str, StateKey]) -> dict[str, Json]:
    """The values of ``--input``.

    Args:
        words: ``key=value`` each: JSON where that parses and suits the key's declared type, else text.
            ``key=@file`` reads the value from a file.
        keys: The keys that the graph declares.

    Raises:
        StateError: Some are wrong; the message names every one of them.
    """

    def refusal(name: str, value: Json) -> str | None:
        key = keys.get(name)
        try:
            check_value(key, name, value)
        except StateError as error:
            if key is not None and key.type is not None:
                given = "" if key.secret else f" {shown(value)}"
                return f"takes a {key.type}, not the {type_name(value)}{given}"
            return error.message
        return (
            None if value is not None or key is None or key.type is None else f"takes a {key.type}, not null"
        )

    return _read("--input", words, refusal)


def read_changes(words: Sequence[str], editable: Mapping[str, ValueType]) -> dict[str, Json]:
    """The values of ``--set``; paths that are not editable are left to the review to refuse.

    Raises:
        StateError: Some are wrong; the message names every one of them.
    """

    def refusal(path: str, value: Json) -> str | None:
        type_ = editable.get(path)
        if type_ is None or fits(value, type_):
            return None
        return f"takes a {type_}, not the {type_name(value)} {shown(value)}"

    return _read("--set", words, refusal)


def undeclared(values: Mapping[str, Json], keys: Mapping[str, StateKey]) -> list[str]:
    """A remark for each given key that looks like a slip of a declared one."""
    remarks = []
    for name in values:
        close = nearest(name, keys) if name not in keys else None
        if close is not None:
            remarks.append(f"note: the graph declares no key {name!r}; did you mean {close!r}?")
    return remarks


def _read(option: str, words: Sequence[str], refusal: _Fits) -> dict[str, Json]:
    values: dict[str, Json] = {}
    wrong: list[str] = []
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name:
            wrong.append(f"{option} {visible(word)!r} {_NO_PAIR}")
        elif name in values:
            wrong.append(f"{option} {visible(name)} is given twice")
        else:
            try:
                values[name] = _value(name, text, refusal)
            except StateError as error:
                wrong.append(f"{option} {visible(name)}: {error.message}")
    if wrong:
        misspelt = any(text.endswith(_NO_PAIR) for text in wrong)
        raise StateError(
            "; ".join(wrong), hint=f"write {option} KEY=VALUE, or {option} KEY=@FILE" if misspelt else ""
        )
    return values


def _value(name: str, text: str, refusal: _Fits) -> Json:
    if text.startswith("@"):
        text = _content(text[1:])
    parsed = _parsed(text)
    if parsed is not _NOTHING and (refusal(name, parsed) is None or parsed == text):
        return parsed
    refused = refusal(name, text)
    if refused is None:
        return text
    raise StateError((refusal(name, parsed) if parsed is not _NOTHING else None) or refused)


_NOTHING: Json = ["no JSON"]


def _parsed(text: str) -> Json:
    try:
        value: Json = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):  # also a number of too many digits
        return _NOTHING
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)  # NaN and Infinity are no JSON


def _content(name: str) -> str:
    path = Path(name).expanduser()
    try:
        with path.open("rb") as stream:
            data = stream.read(_LARGEST + 1)
        if len(data) > _LARGEST:
            raise StateError(f"the file {path} is larger than 10 MB")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise StateError(f"the file {path} is not UTF-8") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StateError(f"the file {path} cannot be read: {reason}") from None
