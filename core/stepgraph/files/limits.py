"""The limits that keep reading a graph file fast and safe, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..toml.lexer import line_at, without_quoted
from ..values.problems import Place, Problem

MAX_BYTES = 1_000_000
MAX_KEY_PARTS = 32
"""tomllib needs seconds for one key of thousands of parts."""
MAX_DIGITS = 4_000
MAX_HEX_DIGITS = 3_000
"""Of a number written as 0x, 0o or 0b: in decimals it has no more than MAX_DIGITS."""
MAX_TEMPLATES = 120_000
"""Characters between the braces of all templates: Jinja2 needs a second to parse that many."""
MAX_NODES = 5_000
MAX_EDGES = 20_000
MAX_KEYS = 5_000
MAX_TOOLS = 5_000

_COUNTED = (
    ("state", "state keys", MAX_KEYS),
    ("tools", "tools", MAX_TOOLS),
    ("nodes", "nodes", MAX_NODES),
    ("edges", "edges", MAX_EDGES),
)
_LONG_KEY = re.compile(rf"\.(?:[ \t]*+[\w\"-]++[ \t]*+\.){{{MAX_KEY_PARTS - 1}}}")
_LONG_NUMBER = re.compile(
    rf"(?<![0-9_])(?:[0-9_]{{{MAX_DIGITS + 1}}}|0[xob][0-9A-Fa-f_]{{{MAX_HEX_DIGITS + 1}}})"
)

_TEMPLATE = re.compile(r"\{[{%].*?(?:[%}]\}|\Z)", re.DOTALL)


def text_limits(text: str, file: str) -> Problem | None:
    """Find what must not reach the TOML parser; None when all is well.

    Args:
        text: The text of a graph file.
        file: Its path, for the problem.
    """
    bare = without_quoted(text)
    found = _LONG_KEY.search(bare)
    if found:
        return over_limit(f"a key has more than {MAX_KEY_PARTS} parts", file, line_at(bare, found.start()))
    found = _LONG_NUMBER.search(bare)
    if found:
        line = line_at(bare, found.start())
        most = MAX_HEX_DIGITS if found[0][1] in "xob" else MAX_DIGITS
        return over_limit(f"a number has more than {most:,} digits", file, line)
    size = sum(len(found[0]) for found in _TEMPLATE.finditer(text))
    if size > MAX_TEMPLATES:
        message = (
            f"its templates have {size:,} characters between braces; at most {MAX_TEMPLATES:,} are allowed"
        )
        return over_limit(message, file)
    return None


def count_limits(table: Mapping[str, object], file: str) -> Problem | None:
    """Find what there is too much of in a parsed graph file; None when all is well."""
    for key, noun, most in _COUNTED:
        part = table.get(key)
        count = len(part) if isinstance(part, (dict, list)) else 0
        if count > most:
            return over_limit(f"it has {count:,} {noun}; a graph file may have at most {most:,}", file)
    return None


def size_limit(size: int, file: str, most: int = MAX_BYTES) -> Problem | None:
    """Refuse a file that is too large; None when it is not."""
    if size <= most:
        return None
    hint = "keep data in separate files, and let a tool read it"
    message = f"it is larger than {most // 1_000_000} MB ({most:,} bytes)"
    return Problem("F004", "error", message, Place(file=file), hint)


def over_limit(message: str, file: str, line: int | None = None) -> Problem:
    """Make the problem of a file that goes beyond a limit."""
    return Problem("F007", "error", message, Place(file=file, line=line), "is this really a graph file?")
