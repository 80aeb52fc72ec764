"""``--input key=value`` and ``--set key=value``: from words to checked values, every wrong one by its key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stepgraph.values import UNSET, StateError, nearest
from stepgraph_tui.text.typed import Refusal, parse_typed, refusal_by, refusal_of

if TYPE_CHECKING:
    from argparse import Namespace

    from stepgraph.expressions import Path as StatePath
    from stepgraph.values import Json, StateKey, Unset, ValueType

    from .output import Output
    from .parser import Parser

_NO_PAIR = "is not KEY=VALUE"
_PAIR = re.compile(r"""((?>\[(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]|[^=])*?)=(.*)""", re.DOTALL)
"""A key or a path, which may have an equals sign within brackets and quotes, and a value."""
_LARGEST = 10_000_000  # bytes of an input file


def read_inputs(words: Sequence[str], keys: Mapping[str, StateKey]) -> dict[str, Json]:
    """Read the values of ``--input``.

    Args:
        words: ``key=value`` each: JSON where that parses and suits the key's declared type, else text.
            ``key=@file`` reads the value from a file.
        keys: The keys that the graph declares.

    Raises:
        StateError: Some are wrong; the message names every one of them.
    """
    return _read("--input", words, lambda name: refusal_by(keys.get(name), name))


def read_changes(words: Sequence[str], editable: Mapping[str, ValueType]) -> dict[str, Json]:
    """Read the values of ``--set``; paths that are not editable are left to the review to refuse.

    Raises:
        StateError: Some are wrong; the message names every one of them.
    """

    def refusal(path: str) -> Refusal:
        type_ = editable.get(path)
        return refusal_of(type_) if type_ is not None else lambda value: None

    return _read("--set", words, refusal)


def add_changes(parser: Parser, *names: str) -> None:
    """Declare how parts of a state are changed; ``names`` are more names for the option that sets one."""
    parser.add_argument(
        "--set",
        *names,
        dest="set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="a value of the state, as JSON or else as text; PATH=@FILE reads a file; repeatable",
    )
    parser.add_argument(
        "--unset", action="append", default=[], metavar="PATH", help="remove a value; repeatable"
    )


def read_state_changes(
    output: Output, args: Namespace, keys: Mapping[str, StateKey], values: Mapping[str, Json]
) -> dict[StatePath, Json | Unset]:
    """Read the values of ``--set`` and ``--unset`` by their paths in a state.

    Args:
        output: Where a path that looks like a slip of a declared key is remarked on.
        args: The words.
        keys: The keys that the graph declares.
        values: The state.

    Raises:
        StateError: Some are wrong, or there are none.
    """
    from stepgraph.expressions import read_path

    known = {*keys, *values}

    def refusal(name: str) -> Refusal:
        path = read_path(name, known)
        return refusal_by(keys.get(str(path[0])), name) if len(path) == 1 else lambda value: None

    given = _read("--set", args.set, refusal)
    changes: dict[StatePath, Json | Unset] = {read_path(name, known): value for name, value in given.items()}
    for name in args.unset:
        path = read_path(name, known)
        if path in changes:
            raise StateError(f"{name} is both set and removed, or removed twice")
        changes[path] = UNSET
    for remark in _slips({str(path[0]): None for path in changes if path[0] not in values}, keys):
        output.narrate(remark)
    return changes


def _slips(values: Mapping[str, Json], keys: Mapping[str, StateKey]) -> list[str]:
    """Remark on each given key that looks like a slip of a declared one."""
    remarks = []
    for name in values:
        close = nearest(name, keys) if name not in keys else None
        if close is not None:
            remarks.append(f"note: the graph declares no key {name!r}; did you mean {close!r}?")
    return remarks


def _read(option: str, words: Sequence[str], refusal: Callable[[str], Refusal]) -> dict[str, Json]:
    values: dict[str, Json] = {}
    wrong: list[str] = []
    hint = ""
    for word in words:
        found = _PAIR.match(word)
        name, text = found.groups() if found else ("", "")
        if not name:
            wrong.append(f"{option} {word!r} {_NO_PAIR}")
        elif name in values:
            wrong.append(f"{option} {name} is given twice")
        else:
            try:
                values[name] = parse_typed(
                    _content(text[1:]) if text.startswith("@") else text, refusal(name)
                )
            except StateError as error:
                wrong.append(f"{option} {name}: {error.message}")
                hint = hint or error.hint
    if wrong:
        if any(text.endswith(_NO_PAIR) for text in wrong):
            hint = f"write {option} KEY=VALUE, or {option} KEY=@FILE"
        raise StateError("; ".join(wrong), hint=hint)
    return values


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
