"""JSON that others have written: strictly read, with the line of what is wrong."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import NoReturn

from ..values.errors import StateError
from ..values.json_values import Json, plain
from .reading import refused

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\],]|\bNaN\b|-?\bInfinity\b')
_KEY = re.compile(r"\s*:")


class _Fault(ValueError):
    """What the parser takes and JSON does not have."""


def parse_json(text: str, name: str) -> Json:
    """Read JSON, as its definition has it: no NaN, no key twice, no half characters, no endless depth.

    Args:
        text: The text.
        name: The file's name in problems.

    Raises:
        GraphFileError: It is none; the problem has the line.
    """
    try:
        return plain(json.loads(text, parse_constant=_no_number, object_pairs_hook=_table), "the file")
    except json.JSONDecodeError as error:
        message = f"it is not JSON: {error.msg[0].lower()}{error.msg[1:]}, at column {error.colno}"
        raise refused("F031", message, name, error.lineno, "mend it there") from None
    except _Fault as error:
        hint = "JSON has finite numbers only" if error.args[0].endswith("number") else "rename one of them"
        raise refused("F031", f"it is not JSON: {error}", name, _line_of_fault(text), hint) from None
    except RecursionError:
        raise refused("F032", "it is nested too deeply", name, None, "is this really a graph?") from None
    except StateError as error:
        raise refused("F031", error.message, name, None, error.hint) from None
    except ValueError as error:  # a number of more than 4,300 digits
        raise refused("F032", f"it has a number that is too long: {error}", name, None, "") from None


def _no_number(word: str) -> NoReturn:
    raise _Fault(f"{word} is not a number")


def _table(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    table = dict(pairs)
    if len(table) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _Fault(f"the key {json.dumps(twice)} stands twice in a table")
    return table


def _line_of_fault(text: str) -> int | None:
    """Find the line of the first number that is none, or of the first key that its table has already."""
    tables: list[set[str]] = []
    for token in _TOKENS.finditer(text):
        word = token[0]
        fault = word.endswith(("NaN", "Infinity"))
        if word in "{[":
            tables.append(set())
        elif word in "}]":
            tables.pop()
        elif word[0] == '"' and _KEY.match(text, token.end()):
            key = json.loads(word)
            fault = key in tables[-1]
            tables[-1].add(key)
        if fault:
            return text.count("\n", 0, token.start()) + 1
    return None


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """Find the line where a part of JSON stands; of a part that is not there, that of what is around it.

    Args:
        text: JSON that parses.
        path: The keys and positions that lead to the part.
    """
    inside: list[str | int] = []  # where the token is, the last part being the key or position it stands at
    best, found = 0, None
    opened: list[bool] = []  # whether each of the containers around is a table
    for token in _TOKENS.finditer(text):
        word = token[0]
        is_key = word[0] == '"' and bool(opened) and opened[-1] and _KEY.match(text, token.end()) is not None
        if is_key:
            inside[-1] = json.loads(word)
        if len(inside) > best and inside == [*path[: len(inside)]]:
            best, found = len(inside), text.count("\n", 0, token.start()) + 1
            if best == len(path):
                break
        if word in "{[":
            opened.append(word == "{")
            inside.append("" if word == "{" else 0)
        elif word in "}]":
            opened.pop()
            inside.pop()
        elif word == "," and isinstance(inside[-1], int):
            inside[-1] += 1
    return found
