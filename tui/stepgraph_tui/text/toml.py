"""Values as they stand in graph files: from a text that a person wrote, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import tomli_w

from stepgraph.files.reader import parsed
from stepgraph.toml.positions import SourceText
from stepgraph.toml.writing import graph_text
from stepgraph.values.errors import GraphFileError

from .characters import is_plain, shows

_NULL = "<null, as the state of a run has it>"
_NULLS = re.compile(  # null where a value stands; all that may quote the word comes first, closed or not
    r'''"""(?:\\.|[^\\])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*+"?'''
    r"""|'{3}.*?(?:'{3}|\Z)|'[^'\n]*'?|#[^\n]*|(?P<null>(?<![\w.-])null(?![\w-])(?!\s*[.=]))""",
    re.DOTALL,
)
_QUOTED_NULL = re.compile(r'"<null[^"]*"?')
_PLACE = re.compile(r", at column \d+: .*", re.DOTALL)  # counts what stands before the value


class NotToml(ValueError):
    """A text that is not TOML; the message says what is wrong with it."""


def toml_value(text: str) -> Any:
    """Read the value that a text is, as it would be behind ``key =`` in a graph file, or null.

    Raises:
        NotToml: It is none, or more than one.
    """
    try:
        table = _table(f"value = {text.strip()}\n")
    except NotToml as error:
        raise NotToml(_PLACE.sub("", str(error))) from None
    if set(table) != {"value"}:
        raise NotToml("this is more than one value")
    return table["value"]


def toml_table(text: str) -> dict[str, Any]:
    """Read the table that lines of ``key = value`` are.

    Raises:
        NotToml: They are none.
    """
    return dict(_table(text))


def toml_text(value: Any) -> str:
    """Write a value as a graph file has it behind ``key =``; only line breaks in it move the cursor."""
    text = graph_text({"x": _with_nulls(value)}).removeprefix("x = ").removesuffix("\n")
    return _safe(text.replace(f'"{_NULL}"', "null"))


def toml_lines(table: Mapping[str, Any], *, by_paths: bool = False) -> str:
    """Write a table as lines of ``key = value``.

    Args:
        table: The table.
        by_paths: Whether its keys are paths, of which only such parts are quoted as must be.
    """
    return "\n".join(
        f"{'.'.join(map(toml_key, key.split('.'))) if by_paths else toml_key(key)} = {toml_text(value)}"
        for key, value in table.items()
    )


def toml_key(name: str) -> str:
    """Write a key as a graph file has it: in quotes where it must be."""
    return _safe(tomli_w.dumps({name: 0}).removesuffix(" = 0\n"))


def _safe(text: str) -> str:
    """Write the same TOML with escapes for what could fool a terminal. Only quoted texts have such."""
    if is_plain(text):
        return text
    seen = zip(text, shows(text), strict=True)
    return "".join(char if shown or char == "\n" else _escape(ord(char)) for char, shown in seen)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _with_nulls(value: Any) -> Any:
    """Put a text in the place of each null, which TOML does not know."""
    if isinstance(value, Mapping):
        return {key: _with_nulls(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(_with_nulls, value))
    return _NULL if value is None else value


def _null_again(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _null_again(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(_null_again, value))
    return None if value == _NULL else value


def _table(text: str) -> Mapping[str, Any]:
    marked = _NULLS.sub(lambda found: f'"{_NULL}"' if found["null"] else found[0], text)
    try:
        table = parsed(marked, SourceText(marked, marked.encode(errors="replace")), "")
        return table if marked == text else _null_again(table)
    except GraphFileError as error:
        problem = error.problems[0]
    where = f"line {problem.place.line}: " if problem.place.line and "\n" in text.rstrip("\n") else ""
    hint = f" ({problem.hint})" if problem.hint else ""
    raise NotToml(_QUOTED_NULL.sub("null", f"{where}{problem.message}{hint}"))
