"""Explain invalid TOML, and map parts of a graph to positions in its text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from ..values.json_values import escaped
from ..values.problems import KeyPath, Place, Problem
from .statements import ListSizes, elements, key_path, last_open_text, statements

_DEEPEST = 12
"""How deep lists and tables are searched; what is deeper has the line of what holds it."""


class Repeated(NamedTuple):
    """A key or table that is given a second time."""

    path: KeyPath
    line: int
    first: int
    """The line of the first time."""


class SourceText:
    """The text that a graph was read from; called with a path it gives the line.

    The text is scanned when a line is first asked for: a file without problems never is.
    """

    def __init__(self, text: str, data: bytes) -> None:
        self.text = text
        self.digest = sha256(data).hexdigest()
        """The SHA-256 of the file as it was read."""

    @cached_property
    def _scanner(self) -> _Scanner:
        return _Scanner(self.text)

    def __call__(self, path: KeyPath) -> int | None:
        """Find the line of ``path``, counted from 1; of the nearest part that holds it when it is missing."""
        found = self._scanner.found
        while path and path not in found:
            path = path[:-1]
        return found[path] if path else 1

    @property
    def repeated(self) -> list[Repeated]:
        """What is given twice, in order."""
        return self._scanner.repeated


class _Scanner:
    """Finds the lines of the parts of a text, statement by statement; of broken TOML it finds what it can."""

    def __init__(self, text: str) -> None:
        self.found: dict[KeyPath, int] = {}
        self.repeated: list[Repeated] = []
        self._sizes = ListSizes()
        self._open: set[KeyPath] = set()  # tables that a longer header made, which may still get a header
        prefix: KeyPath = ()
        line = 1
        for statement in statements(text):
            if statement.kind in ("header", "list"):
                prefix = self._header(key_path(statement.key), line, is_list=statement.kind == "list")
            elif statement.kind == "item":
                value = statement.text[statement.opening : statement.closing]
                self._assignment(prefix, key_path(statement.key), value, line)
            line += statement.text.count("\n")

    def _header(self, parts: tuple[str, ...], line: int, *, is_list: bool) -> KeyPath:
        path = self._sizes.inside(parts[:-1])
        for end in range(1, len(path) + 1):
            if path[:end] not in self.found:
                self._open.add(path[:end])
                self.found[path[:end]] = line
        path = (*path, parts[-1])
        if path in self.found and path not in (self._sizes if is_list else self._open):
            self.repeated.append(Repeated(path, line, self.found[path]))
        self._open.discard(path)
        self.found.setdefault(path, line)
        if is_list:
            path = self._sizes.add(path)
            self.found.setdefault(path, line)
        return path

    def _assignment(
        self, prefix: KeyPath, parts: tuple[str, ...], value: str, line: int, depth: int = 0
    ) -> None:
        path = prefix + parts
        if path in self.found:
            self.repeated.append(Repeated(path, line, self.found[path]))
        for end in range(len(prefix) + 1, len(path) + 1):
            self.found.setdefault(path[:end], line)
        self._value(path, value, line, depth)

    def _value(self, path: KeyPath, text: str, line: int, depth: int) -> None:
        if text[:1] not in ("[", "{") or depth >= _DEEPEST:
            return
        begun = 0
        for number, each in enumerate(elements(text).items):
            line, begun = line + text.count("\n", begun, each.start), each.start
            if text[0] == "{":
                self._assignment(path, each.path, each.value, line, depth + 1)
            else:
                self.found.setdefault((*path, number), line)
                self._value((*path, number), each.text, line, depth + 1)


_WHERE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_UNQUOTED = re.compile(r"""^\s*(?P<key>[^=\s"'][^="']*?)\s*=\s*(?P<value>[^\s"'\[{#=][^#]*?)\s*(?:#.*)?$""")
_LOOKED_AT = 300
"""How many characters of a line are searched for the mistake: patterns are slow on endless lines."""
_CURLY = re.compile("[\u201c\u201d\u201e\u2018\u2019]")
_WORDS = {"true": "true", "false": "false", "yes": "true", "no": "false", "on": "true", "off": "false"}
_NOTHING = {"none", "null", "nil"}
_REPEATED = ("Cannot overwrite a value", "Cannot declare", "Cannot mutate immutable namespace", "Duplicate")


def parse(text: str, source: SourceText, file: str) -> Mapping[str, object] | Problem:
    """Parse a TOML text.

    Args:
        text: The text, already within the limits of ``limits.text_limits``.
        source: The same text, for line numbers.
        file: Its path, for the problem.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _explained(str(error), source, file)
    except RecursionError:
        message, hint = "its lists or tables are nested too deep", "is this really a graph file?"
        return Problem("F007", "error", message, Place(file=file), hint)
    except ValueError as error:  # such as a number that int() refuses
        return Problem("F006", "error", f"it is not valid TOML: {error}", Place(file=file))


def _explained(report: str, source: SourceText, file: str) -> Problem:
    message, line, column = _parts(report, source.text)
    if message.startswith(_REPEATED):
        found = _repeated(source, line)
        if found is not None:
            return found_problem(*found, file=file)
    lines = source.text.split("\n")
    shown = lines[line - 1][:_LOOKED_AT].rstrip("\r") if line <= len(lines) else ""
    better = _common_mistake(message, shown, source)
    if better is not None:
        words, hint, at = better
        return found_problem(words, hint, at or line, file=file)
    where = f", at column {column}" if column else ""
    quoted = f": {_short(shown.strip())}" if shown.strip() else ""
    return found_problem(f"it is not valid TOML: {_lowered(message)}{where}{quoted}", "", line, file=file)


def found_problem(message: str, hint: str, line: int, *, file: str) -> Problem:
    """Build the problem of a syntax error at a line."""
    return Problem("F006", "error", message, Place(file=file, line=line), hint)


def _parts(report: str, text: str) -> tuple[str, int, int | None]:
    """Split tomllib's report into message, line and column; "end of document" is the last line with text."""
    match = _WHERE.search(report)
    message = report[: match.start()] if match else report
    if match and match[1]:
        return message, int(match[1]), int(match[2])
    return message, text.rstrip().count("\n") + 1, None


def _repeated(source: SourceText, line: int) -> tuple[str, str, int] | None:
    at_line = [item for item in source.repeated if item.line == line] or source.repeated
    if not at_line:
        return None
    path, again, first = at_line[0]
    hint = (
        "tables of a list are headed by [[...]], and one table has one header" if path == ("edges",) else ""
    )
    return f"{_dotted(path)!r} is given twice: on line {first} and here", hint or "remove one of them", again


def _dotted(path: KeyPath) -> str:
    return ".".join(str(part) for part in path)


def _common_mistake(message: str, shown: str, source: SourceText) -> tuple[str, str, int | None] | None:
    """Recognise a mistake that people often make: the words, the hint and the line (None: as reported)."""
    if _CURLY.search(shown):
        return f"curly quotes do not work in TOML: {_short(shown.strip())}", "use \" or '", None
    if message.startswith(("Unterminated string", "Illegal character '\\n'")):
        opened = last_open_text(source.text) if message.startswith("Unterminated") else None
        return (
            "a text is not closed: its second quote is missing",
            'texts of several lines go between """',
            opened,
        )
    if message.startswith(("Unescaped '\\'", "Invalid hex value")):
        hint = "write \\\\ for a backslash, or put the text between ' and '"
        return f"a backslash in a text in double quotes starts an escape: {_short(shown.strip())}", hint, None
    if message.startswith("Expected '=' after a key"):
        return (
            f"expected key = value: {_short(shown.strip())}",
            "keys with spaces or other signs go in quotes; notes start with #",
            None,
        )
    unquoted = _UNQUOTED.match(shown)
    if unquoted and message.startswith(("Invalid value", "Expected newline or end of document")):
        return (*_without_quotes(unquoted["key"].strip(), unquoted["value"]), None)
    return None


def _without_quotes(key: str, value: str) -> tuple[str, str]:
    word = value.lower()
    if word in _WORDS:
        return f"the value of {key!r} is {value}, which TOML does not know", f"write {key} = {_WORDS[word]}"
    if word in _NOTHING:
        return f"the value of {key!r} is {value}, and TOML has no such value", "leave the key out"
    return f"the value of {key!r} is text without quotes: {_short(value)}", f'write {key} = "{_short(value)}"'


def _lowered(message: str) -> str:
    return message[:1].lower() + message[1:]


def _short(text: str, width: int = 60) -> str:
    text = escaped(text)
    return text if len(text) <= width else text[: width - 1] + "…"
