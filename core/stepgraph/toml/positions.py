"""From a path in a graph file, such as ``("nodes", "draft", "prompt")``, to its line."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from ..values.problems import KeyPath
from .lexer import ListSizes, Token, tokens, unquoted

_DEEPEST = 40
"""How deep lists and tables are searched; what is deeper has the line of what holds it."""
_END = Token("newline", "", 0)


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
        scanner = _Scanner(self.text)
        scanner.scan()
        return scanner

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
    """One pass over the text. It takes broken TOML too, and then finds what it can."""

    def __init__(self, text: str) -> None:
        self.found: dict[KeyPath, int] = {}
        self.repeated: list[Repeated] = []
        self._tokens = [token for token in tokens(text) if token.kind != "comment"]
        self._at = 0
        self._sizes = ListSizes()
        self._open: set[KeyPath] = set()  # tables that a longer header made, which may still get a header
        self._prefix: KeyPath = ()

    def scan(self) -> None:
        while self._at < len(self._tokens):
            token = self._peek()
            if token.kind == "newline":
                self._at += 1
            elif token.text == "[":
                self._header()
            else:
                self._assignment(self._prefix, 0)
                self._skip_line()

    def _peek(self, ahead: int = 0) -> Token:
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else _END

    def _skip_line(self) -> None:
        while self._at < len(self._tokens) and self._peek().kind != "newline":
            self._at += 1

    def _header(self) -> None:
        line = self._peek().line
        is_array = self._peek(1).text == "["
        self._at += 2 if is_array else 1
        parts = self._key()
        self._skip_line()
        if not parts:
            return
        path = self._sizes.inside(parts[:-1])
        for end in range(1, len(path) + 1):
            if path[:end] not in self.found:
                self._open.add(path[:end])
                self.found[path[:end]] = line
        path = (*path, parts[-1])
        if is_array:
            self._item(path, line)
            return
        if path in self.found and path not in self._open:
            self.repeated.append(Repeated(path, line, self.found[path]))
        self._open.discard(path)
        self.found.setdefault(path, line)
        self._prefix = path

    def _item(self, path: KeyPath, line: int) -> None:
        if path in self.found and path not in self._sizes:
            self.repeated.append(Repeated(path, line, self.found[path]))
        self.found.setdefault(path, line)
        self._prefix = self._sizes.add(path)
        self.found.setdefault(self._prefix, line)

    def _key(self) -> tuple[str, ...]:
        parts: list[str] = []
        while self._peek().kind in ("bare", "text"):
            token = self._peek()
            parts.append(token.text if token.kind == "bare" else unquoted(token.text))
            self._at += 1
            if self._peek().text != ".":
                break
            self._at += 1
        return tuple(parts)

    def _assignment(self, prefix: KeyPath, depth: int) -> None:
        line = self._peek().line
        parts = self._key()
        if not parts or self._peek().text != "=":
            self._at += not parts
            return
        self._at += 1
        path = prefix + parts
        if path in self.found:
            self.repeated.append(Repeated(path, line, self.found[path]))
        for end in range(len(prefix) + 1, len(path) + 1):
            self.found.setdefault(path[:end], line)
        self._value(path, depth)

    def _value(self, path: KeyPath, depth: int) -> None:
        opening = self._peek().text
        if opening not in ("[", "{") or depth >= _DEEPEST:
            self._skip_value()
            return
        self._at += 1
        closing = "]" if opening == "[" else "}"
        number = 0
        while self._at < len(self._tokens) and self._peek().text != closing:
            token = self._peek()
            if token.kind == "newline" or token.text == ",":
                self._at += 1
            elif opening == "{":
                self._assignment(path, depth + 1)
            else:
                before = self._at
                self.found.setdefault((*path, number), token.line)
                self._value((*path, number), depth + 1)
                number += 1
                self._at += self._at == before  # a bracket that closes nothing
        self._at += 1

    def _skip_value(self) -> None:
        """Go behind a value: to the comma, the closing bracket or the line end that follows it."""
        inside = 0
        while self._at < len(self._tokens):
            token = self._peek()
            if token.kind == "mark" and token.text in "[{":
                inside += 1
            elif token.kind == "mark" and token.text in "]}":
                if inside == 0:
                    return
                inside -= 1
            elif inside == 0 and (token.kind == "newline" or token.text == ","):
                return
            self._at += 1
