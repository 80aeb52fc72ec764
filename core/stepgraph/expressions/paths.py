"""Paths into the state: reading one quickly, and saying exactly where one ends too early."""

from __future__ import annotations

import json
import keyword
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from ..values.compare import escaped, kind_of
from ..values.errors import EvaluationError
from ..values.json_values import Json
from ..values.problems import did_you_mean, nearest
from .facts import Facts, Getter
from .tree import Path

HIDDEN = frozenset({"last_output", "step", "visits", "state"})
"""Names that mean something of their own, so that a state key of that name needs ``state["step"]``."""

FOREIGN_WORDS = {"true": "True", "false": "False", "null": "None"}
"""Words of JSON, and Python's for the same."""

_COMPARED = 1000  # names that a missing one is compared with: in a huge table that would take seconds


def getter(path: Path) -> Getter:
    """A function that reads the path, and raises EvaluationError when it is missing."""
    key = path.key
    if not path.parts:

        def read_key(context: Facts) -> Json:
            try:
                return context.values[key]
            except KeyError:
                raise missing(path, context.values) from None

        return read_key
    parts = path.parts

    def read_parts(context: Facts) -> Json:
        value: Any = context.values
        try:
            value = value[key]
            for part in parts:
                if type(part) is int and type(value) is not list:
                    raise LookupError
                value = value[part]
        except (LookupError, TypeError):  # TypeError: a name asked of what is no table
            raise missing(path, context.values) from None
        found: Json = value
        return found

    return read_parts


def missing(path: Path, values: Mapping[str, Json]) -> EvaluationError:
    """The error for a path that is missing, at the first part that is not there."""
    if path.key not in values:
        message = f"{said(path.text)}: the state has no key {quoted(path.key)}"
        return EvaluationError(message, hint=_advice(path, path.key, values))
    value, there = values[path.key], spelt(path.key)
    for part in path.parts:
        if isinstance(value, dict) and part in value:
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int) and -len(value) <= part < len(value):
            value = value[part]
        else:
            break
        there += step_text(part)
    return _broken(path, there, value, part)


def _broken(path: Path, there: str, value: Json, part: str | int) -> EvaluationError:
    start = f"{said(path.text)}: {said(there)}"
    if isinstance(value, dict):
        hint = _advice(path, str(part), value)
        if isinstance(part, int) and str(part) in value:
            hint = f'the keys of a table are text: write ["{part}"]'
        return EvaluationError(f"{start} has no key {quoted(str(part))}", hint=hint)
    if isinstance(value, list) and isinstance(part, int):
        count = "1 item" if len(value) == 1 else f"{len(value)} items"
        return EvaluationError(f"{start} has {count}", hint=_ask_first(path))
    if isinstance(value, list):
        hint = f"name an item by its position, such as {said(there)}[0]"
    else:
        hint = f"end the path at {said(there)}, or mend what writes it"
    kind = kind_of(value)
    kind = kind if kind in ("text", "null") else f"a {kind}"
    return EvaluationError(f"{start} is {kind}, so it has no {said(step_text(part))}", hint=hint)


def _advice(path: Path, name: str, known: Iterable[str]) -> str:
    names = [escaped(key[:40]) for key in islice(known, _COMPARED)]
    close = nearest(name, names)
    if close is not None:
        return f"did you mean {close!r}?"
    listing = did_you_mean(name, names, listing="there is")
    return f"{listing}; {_ask_first(path)}" if listing else _ask_first(path)


def _ask_first(path: Path) -> str:
    return f"if it may be missing, write: {said(path.text)} is not None and ..."


def said(text: str) -> str:
    """A piece of the condition, short and on one line, for a message."""
    text = escaped(" ".join(text.splitlines()))
    return text if len(text) <= 120 else text[:119] + "…"


def quoted(name: str) -> str:
    """A name in double quotes, safe to print."""
    return escaped(json.dumps(name, ensure_ascii=False))


def spelt(key: str) -> str:
    """How an expression names a top-level key."""
    return (
        key
        if _plain_name(key) and key not in HIDDEN and key not in FOREIGN_WORDS
        else f"state[{quoted(key)}]"
    )


def step_text(part: str | int) -> str:
    """How an expression goes on from a path to one of its parts."""
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _plain_name(part) else f"[{quoted(part)}]"


def _plain_name(name: str) -> bool:
    # Python folds the spelling of names (NFKC), so a key in another spelling is out of a name's reach.
    if not name.isidentifier() or name.startswith("__") or keyword.iskeyword(name):
        return False
    return name.isascii() or unicodedata.normalize("NFKC", name) == name
