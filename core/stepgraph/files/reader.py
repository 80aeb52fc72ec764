"""Reading graph files: from a path to a StateGraph, with nothing imported that the file names."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ..toml.statements import line_at, without_quoted
from ..toml.syntax import SourceText, parse
from ..values.errors import GraphFileError
from ..values.json_values import preview
from ..values.problems import Place, Problem, did_you_mean

if TYPE_CHECKING:
    from ..graphs.builder import StateGraph


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
    """Build the problem of a file that goes beyond a limit."""
    return Problem("F007", "error", message, Place(file=file, line=line), "is this really a graph file?")


FORMAT = 1
"""The format of graph files that this version reads and writes."""


def read_graph(path: Path) -> StateGraph:
    """Read a graph file.

    What is wrong with the graph itself is kept in it and reported by ``check`` and ``compile``.

    Raises:
        GraphFileError: The file is missing, unreadable, beyond a limit, not TOML, or of a newer format.
    """
    from ..documents.loader import from_document

    file = str(path)
    table, source = read_table(path)
    refuse_newer(table, source, file)
    # Not resolved: handlers are looked up beside the path that was given, also where it is a link.
    absolute = Path(os.path.abspath(path))  # noqa: PTH100  # Path.absolute keeps ".."
    return from_document(table, source=absolute, locate=source, file=file, opaque=False)


def refuse_newer(table: Mapping[str, object], source: SourceText, file: str) -> None:
    """Refuse a document of a newer format.

    Raises:
        GraphFileError: Its format is a newer one.
    """
    format_ = table.get("format")
    if isinstance(format_, int) and not isinstance(format_, bool) and format_ > FORMAT:
        message = (
            f"it is written in format {preview(format_)}, and this version of Stepgraph reads format {FORMAT}"
        )
        place = Place(file=file, line=source(("format",)), key="format")
        refuse(Problem("F009", "error", message, place, "update Stepgraph"))


def read_table(path: Path) -> tuple[Mapping[str, object], SourceText]:
    """Read the tables of a TOML file within the limits of graph files, and its text to find lines in.

    Raises:
        GraphFileError: The file is missing, unreadable, beyond a limit or not TOML.
    """
    file = str(path)
    data = read_bytes(path, file)
    text = decoded(data, file)
    source = SourceText(text, data)
    return parsed(text, source, file), source


def parsed(text: str, source: SourceText, file: str) -> Mapping[str, object]:
    """Parse a graph file's text into its tables.

    Raises:
        GraphFileError: It is not TOML, or beyond a limit.
    """
    problem = text_limits(text, file)
    if problem is not None:
        refuse(problem)
    table = parse(text, source, file)
    if isinstance(table, Problem):
        refuse(table)
    problem = count_limits(table, file)
    if problem is not None:
        refuse(problem)
    return table


def read_bytes(path: Path, file: str, most: int = MAX_BYTES, kind: str = ".toml") -> bytes:
    """Read the content of a file, looked at before it is read: it may be a device, or huge.

    Args:
        path: The file.
        file: Its name in problems.
        most: How many bytes it may have.
        kind: What the names of such files end in; empty for any.

    Raises:
        GraphFileError: It is missing, no plain file, unreadable or too large.
    """
    place = Place(file=file)
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            hint = f"give the path of a {kind} file" if kind else "give the path of a file"
            refuse(Problem("F002", "error", f"it is {what}", place, hint))
        with path.open("rb") as stream:
            data = stream.read(most + 1)
    except FileNotFoundError:
        hint = _files_near(path, kind)
        refuse(Problem("F001", "error", "there is no such file", place, hint))
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = getattr(error, "strerror", None) or str(error)
        refuse(Problem("F003", "error", f"it cannot be read: {reason}", place, "check its permissions"))
    problem = size_limit(len(data), file, most)
    if problem is not None:
        refuse(problem)
    return data


def _files_near(path: Path, kind: str) -> str:
    names = sorted(item.name for item in path.parent.glob(f"*{kind}") if item.is_file())
    return did_you_mean(path.name, names, listing="there are") or "check the path"


def decoded(data: bytes, file: str) -> str:
    """Decode a graph file, without a byte order mark.

    Raises:
        GraphFileError: It is not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The byte order mark, which was skipped, counts for the offset.
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        line = data.count(b"\n", 0, offset) + 1
        message = f"it is not UTF-8: byte {offset:,} is 0x{data[offset]:02x}"
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        hint = "it looks like UTF-16; save it as UTF-8" if utf16 else "save it as UTF-8"
        refuse(Problem("F005", "error", message, Place(file=file, line=line), hint))


def refuse(problem: Problem) -> NoReturn:
    """Raise the one problem that keeps a file from being read."""
    raise GraphFileError("this graph file cannot be read", [problem])
