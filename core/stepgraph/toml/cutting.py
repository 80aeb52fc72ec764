"""Cutting the text of a graph file into its tables, with the comments that belong to each."""

from __future__ import annotations

from collections.abc import Sequence

from ..values.problems import KeyPath
from .blocks import Table, parted
from .statements import Statement, key_path, statements


def cut(text: str) -> tuple[list[Table], str]:
    """Cut a text, as a TOML parser has read it, into tables.

    A table takes the comments directly above its header, and those directly behind its last item. What
    blank lines part from it is the file's own: the gap before the next table.

    Returns:
        The top level and then each table, and the file's own text behind the last.
    """
    cutter = _Cutter()
    for statement in statements(text):
        cutter.take(statement)
    return cutter.tables, cutter.close()


class _Cutter:
    """Takes the statements of a text, one after the other."""

    def __init__(self) -> None:
        self.tables: list[Table] = []
        self._path: KeyPath = ()
        self._gap = self._lead = self._header = ""
        self._inner: list[str] = []
        self._pending: list[Statement] = []  # comments and blank lines behind the last item
        self._line = self._start = 1
        self._counts: dict[KeyPath, int] = {}  # how many tables of a list there were until now

    def take(self, statement: Statement) -> None:
        """Go on with the next statement."""
        if statement.kind == "item":
            self._inner += [above.text for above in self._pending]
            self._inner.append(statement.text)
            self._pending = []
        elif statement.kind in ("header", "list"):
            self._begin(statement)
        else:
            self._pending.append(statement)
        self._line += statement.text.count("\n")

    def _begin(self, header: Statement) -> None:
        _, lead = parted(self._pending)
        size = lead.count("\n")
        self._pending = self._pending[: len(self._pending) - size]
        self._gap = self.close()
        self._path = self._resolved(key_path(header.key), is_item=header.kind == "list")
        self._lead, self._header, self._start = lead, header.text, self._line - size
        self._inner, self._pending = [], []

    def close(self) -> str:
        """End the table, and return the text behind it that is the file's own."""
        size = 0
        while (self._header or self._inner) and size < len(self._pending):
            if self._pending[size].kind != "comment":
                break
            size += 1
        inner = "".join([*self._inner, _text(self._pending[:size])])
        place = len(self.tables)
        self.tables.append(Table(self._path, self._gap, self._lead, self._header, inner, self._start, place))
        return _text(self._pending[size:])

    def _resolved(self, parts: tuple[str, ...], *, is_item: bool) -> KeyPath:
        """The path of a header in the document: a list of tables stands for its last table."""
        path: KeyPath = ()
        for part in parts[:-1]:
            path = (*path, part)
            if path in self._counts:
                path = (*path, self._counts[path] - 1)
        path = (*path, parts[-1])
        if not is_item:
            return path
        number = self._counts.get(path, 0)
        self._counts[path] = number + 1
        return (*path, number)


def _text(statements: Sequence[Statement]) -> str:
    return "".join(statement.text for statement in statements)
